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

// How often awaitKept looks, and how many times at most: whoever takes the output, a terminal say, may hold it back.
const (
	keptLook  = time.Millisecond
	keptLooks = 2000
)

// outputTap reads what a process prints. It knows at any moment how much that is, in the pipe or read already, and how
// much of it was dealt with.
type outputTap struct {
	file *os.File

	mu      sync.Mutex
	taken   int64 // bytes read
	handled int64 // of those, before the Read that is under way
}

func newTap(file *os.File, _ *pluginOutput) *outputTap { return &outputTap{file: file} }

// Read reads what is there, or waits. Whoever reads on has dealt with what came before.
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

// readPipe moves bytes out of the pipe, and counts them with that.
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

// stopReading says that nobody reads any more.
func (t *outputTap) stopReading() {
	t.mu.Lock()
	t.handled = math.MaxInt64
	t.mu.Unlock()
	_ = t.file.Close()
}

// printedBytes is how many bytes were written into the pipe so far.
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

// awaitKept waits until all lines are dealt with that are printed by now.
func (t *outputTap) awaitKept() {
	n := t.printedBytes()
	for i := 0; i < keptLooks && !t.hasHandled(n); i++ {
		time.Sleep(keptLook)
	}
}
