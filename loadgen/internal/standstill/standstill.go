// Package standstill detects that the machine or the process was suspended between two readings of the clocks.
//
// In scope: suspended machines, stopped and frozen processes. Out of scope: the times of the readings, and the
// consequences; waits of seconds on a busy machine, since these times count.
package standstill

import (
	"runtime"
	"time"
)

const (
	// Every is the time between two readings.
	Every = 250 * time.Millisecond
	// Longest is the longest gap between two readings that does not count as a standstill.
	Longest = time.Second
)

// Look holds the values of the clocks at one moment.
type Look struct {
	Monotonic time.Duration // does not advance while the machine is suspended
	Boot      time.Duration // advances while the machine is suspended
	Ran       time.Duration // processor time of the process
	// Waited is how long the process's threads have waited for a processor, summed up. It is negative if the system does
	// not report it.
	Waited time.Duration
}

// Between returns how long the machine or the process stood still between two readings. It returns 0 if the gap is not
// longer than Longest or the standstill is not certain.
//
// The difference between two clocks reveals a suspended machine. A stopped or frozen process reveals itself by a gap in
// which it neither ran nor waited for a processor. On a busy machine the process would have waited, and if its
// goroutines kept each other from reading the clocks it would have run.
func Between(last, next Look) time.Duration {
	gap := next.Monotonic - last.Monotonic
	suspended := next.Boot - last.Boot - gap
	switch {
	case suspended > Longest:
		return suspended + gap
	case gap <= Longest || next.Waited < 0 || last.Waited < 0:
		return 0
	}
	ran := next.Ran - last.Ran - time.Duration(runtime.NumCPU())*Every // the maximum run time until it was stopped
	if ran > gap/2 || next.Waited-last.Waited > gap/2 {
		return 0
	}
	return gap
}
