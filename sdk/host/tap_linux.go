package host

import (
	"errors"
	"io"
	"math"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The time between the checks of awaitKept, and their maximum number. A receiver of the output, such as a terminal, may
// block it.
const (
	keptInterval  = time.Millisecond
	maxKeptChecks = 2000
)

// outputTap reads the output of a process. It knows how many bytes the process has printed, in the pipe or already
// read, and how many of them are processed.
type outputTap struct {
	file *os.File

	mu      sync.Mutex
	taken   int64 // number of bytes read
	handled int64 // number of bytes before the current Read
}

func newTap(file *os.File, _ *pluginOutput) *outputTap { return &outputTap{file: file} }

// Read reads available output or waits. A caller that reads again has processed the previous bytes.
func (t *outputTap) Read(b []byte) (n int, err error) {
	t.mu.Lock()
	t.handled = t.taken
	t.mu.Unlock()
	raw, err := t.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	waited := raw.Read(func(fd uintptr) bool {
		n, err = t.readPipe(int(fd), b)
		return !errors.Is(err, unix.EAGAIN)
	})
	switch {
	case waited != nil:
		return 0, waited
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// readPipe reads bytes from the pipe and counts them.
func (t *outputTap) readPipe(fd int, b []byte) (n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for err = syscall.EINTR; errors.Is(err, unix.EINTR); {
		n, err = unix.Read(fd, b)
	}
	n = max(n, 0)
	t.taken += int64(n)
	return n, err
}

// stopReading records that reading has ended.
func (t *outputTap) stopReading() {
	t.mu.Lock()
	t.handled = math.MaxInt64
	t.mu.Unlock()
	_ = t.file.Close()
}

// printedBytes returns the number of bytes written into the pipe so far.
func (t *outputTap) printedBytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var unread uint32
	if raw, err := t.file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { unread, _ = unix.IoctlGetUint32(int(fd), unix.TIOCINQ) })
	}
	return t.taken + int64(unread)
}

func (t *outputTap) hasHandled(n int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.handled >= n
}

// awaitKept waits until all lines printed so far are processed.
func (t *outputTap) awaitKept() {
	n := t.printedBytes()
	for i := 0; i < maxKeptChecks && !t.hasHandled(n); i++ {
		time.Sleep(keptInterval)
	}
}
