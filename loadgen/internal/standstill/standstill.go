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
	// Every is how often to look.
	Every = 250 * time.Millisecond
	// Longest is how far two looks may lie apart.
	Longest = time.Second
)

// Look is what the clocks say at a moment.
type Look struct {
	Monotonic time.Duration // stands still while the machine is suspended
	Boot      time.Duration // goes on then
	Ran       time.Duration // processor time that the process has used
	// Waited is how long the process's threads have waited for a processor, summed up; below 0 where the system does not
	// say.
	Waited time.Duration
}

// Between is for how long the machine or the process stood still between two looks, 0 where it did not, or for Longest
// at most, or where that is not certain.
//
// A suspended machine shows by the difference of two clocks. A process that was stopped or frozen shows by a gap in
// which it could not look, though it neither ran nor waited for a processor: one that the machine had no time for
// waits, and one whose goroutines keep each other from looking runs.
func Between(last, next Look) time.Duration {
	gap := next.Monotonic - last.Monotonic
	suspended := next.Boot - last.Boot - gap
	switch {
	case suspended > Longest:
		return suspended + gap
	case gap <= Longest || next.Waited < 0 || last.Waited < 0:
		return 0
	}
	ran := next.Ran - last.Ran - time.Duration(runtime.NumCPU())*Every // as much as it may have, until it was stopped
	if ran > gap/2 || next.Waited-last.Waited > gap/2 {
		return 0
	}
	return gap
}
