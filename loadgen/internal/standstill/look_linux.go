package standstill

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Supported reports whether this system has the necessary clocks.
const Supported = true

// Clocks of clock_gettime(2).
const (
	clockMonotonic  = 1
	clockProcessCPU = 2
	clockBoot       = 7
)

// Now reads the clocks.
func Now() Look {
	return Look{Monotonic: readClock(clockMonotonic), Boot: readClock(clockBoot), Ran: readClock(clockProcessCPU),
		Waited: queueWait()}
}

// readClock reads a clock. Reading these clocks cannot fail.
func readClock(clock uintptr) time.Duration {
	var t syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// tasksPath is the path of a folder that contains a folder for each thread of the process, named by its number.
var tasksPath = []byte("/proc/self/task\x00")

// readBuffers holds the buffers for the kernel's answers. Now must not allocate memory, because it is called during the
// timed test.
var readBuffers struct {
	sync.Mutex
	folder [8 << 10]byte // entries of tasks
	path   [64]byte
	text   [128]byte // text of a schedstat file
}

// queueWait returns how long the living threads of the process have waited for a processor, summed up. It returns a
// negative value if the system does not report it for any thread.
func queueWait() time.Duration {
	readBuffers.Lock()
	defer readBuffers.Unlock()
	const atCurrent = -100 // AT_FDCWD: tasks is an absolute path
	dir, ok := openAt(atCurrent, tasksPath)
	if !ok {
		return -1
	}
	defer func() { _ = syscall.Close(dir) }()
	sum, said := time.Duration(0), false
	for {
		n, err := syscall.ReadDirent(dir, readBuffers.folder[:])
		if err != nil || n <= 0 {
			if err != nil || !said {
				return -1
			}
			return sum
		}
		for name, rest := firstEntry(readBuffers.folder[:n]); name != nil; name, rest = firstEntry(rest) {
			text, ok := readSchedstat(dir, name)
			if !ok { // not a thread, or one that has ended in the meantime
				continue
			}
			ns, ok := parseQueueTime(text)
			if !ok {
				return -1
			}
			sum, said = sum+ns, true
		}
	}
}

// firstEntry returns the name of the first entry of a folder, as returned by getdents64(2), and the entries after it.
// It returns nil if there is none. Bytes 16 and 17 of an entry contain its length. The name begins at byte 19 and ends
// with a 0.
func firstEntry(entries []byte) (name, rest []byte) {
	const length, text = 16, 19
	if len(entries) < text {
		return nil, nil
	}
	n := int(binary.NativeEndian.Uint16(entries[length:]))
	if n < text || n > len(entries) {
		return nil, nil
	}
	name, _, _ = bytes.Cut(entries[text:n], []byte{0})
	return name, entries[n:]
}

// readSchedstat reads the schedstat file of a thread.
func readSchedstat(dir int, thread []byte) (text []byte, ok bool) {
	if len(thread) == 0 || thread[0] < '0' || thread[0] > '9' {
		return nil, false
	}
	file, ok := openAt(dir, append(append(readBuffers.path[:0], thread...), "/schedstat\x00"...))
	if !ok {
		return nil, false
	}
	defer func() { _ = syscall.Close(file) }()
	n, err := syscall.Read(file, readBuffers.text[:])
	return readBuffers.text[:max(n, 0)], err == nil && n > 0
}

// openAt opens a zero-terminated path, relative to a folder, for reading.
func openAt(folder int, path []byte) (file int, ok bool) {
	const how = syscall.O_RDONLY | syscall.O_CLOEXEC
	fd, _, err := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(folder), uintptr(unsafe.Pointer(&path[0])), how, 0, 0, 0)
	return int(fd), err == 0
}

// parseQueueTime parses the second number of a schedstat: the nanoseconds in the queue. The first number is the
// nanoseconds on a processor.
func parseQueueTime(schedstat []byte) (time.Duration, bool) {
	_, behind, _ := bytes.Cut(schedstat, []byte{' '})
	number, _, _ := bytes.Cut(behind, []byte{' '})
	ns, err := strconv.ParseInt(string(bytes.TrimRight(number, "\n")), 10, 64)
	if err != nil {
		return 0, false
	}
	return time.Duration(ns), true
}
