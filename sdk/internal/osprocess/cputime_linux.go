package osprocess

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns the total user and system time of processes since their starts, in nanoseconds. (/proc/PID/stat
// counts in ticks of 10 ms.)
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

// cpuClock returns the clock of a process like clock_getcpuclockid(3): MAKE_PROCESS_CPUCLOCK with CPUCLOCK_SCHED.
func cpuClock(pid int) int32 { return int32(^pid)<<3 | 2 }
