package standstill

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Supported says that this system has the clocks.
const Supported = true

// Clocks of clock_gettime(2).
const (
	clockMonotonic  = 1
	clockProcessCPU = 2
	clockBoot       = 7
)

// Now looks.
func Now() Look {
	return Look{Monotonic: read(clockMonotonic), Boot: read(clockBoot), Ran: read(clockProcessCPU), Waited: waited()}
}

// read reads a clock. These cannot fail.
func read(clock uintptr) time.Duration {
	var t syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// tasks has a folder for each thread of the process.
const tasks = "/proc/self/task"

// waited sums up how long the threads that live have waited on the queue of a processor.
func waited() time.Duration {
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return -1
	}
	var sum time.Duration
	for _, e := range entries {
		text, err := os.ReadFile(tasks + "/" + e.Name() + "/schedstat")
		if err != nil && len(entries) > 1 { // a thread that has ended meanwhile
			continue
		}
		ns, ok := waitedOf(string(text))
		if !ok {
			return -1
		}
		sum += ns
	}
	return sum
}

// waitedOf reads the second number of a schedstat: nanoseconds on the queue, behind those on a processor.
func waitedOf(schedstat string) (time.Duration, bool) {
	fields := strings.Fields(schedstat)
	if len(fields) < 2 {
		return 0, false
	}
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0, false
	}
	return time.Duration(ns), true
}
