package osprocess

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime is the processor time, user and system together, that processes have taken since each began. It counts
// in nanoseconds, where /proc/PID/stat counts in ticks of 10 ms.
func ProcessorTime(pids ...int) (time.Duration, error) {
	var sum time.Duration
	for _, pid := range pids {
		var t unix.Timespec
		if err := unix.ClockGettime(cpuClock(pid), &t); err != nil {
			return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
		}
		sum += time.Duration(t.Nano())
	}
	return sum, nil
}

// cpuClock names the clock of a process, as clock_getcpuclockid(3) does: MAKE_PROCESS_CPUCLOCK with CPUCLOCK_SCHED.
func cpuClock(pid int) int32 { return int32(^pid)<<3 | 2 }
