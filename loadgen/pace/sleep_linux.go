package pace

import (
	"syscall"
	"time"
)

// Values of prctl(2).
const (
	prSetTimerslack = 29
	prGetTimerslack = 30
)

// sharpenTimers sets the thread's timer slack to 1 ns (by default Linux may end a sleep 50 µs late) and returns what
// undoes it.
func sharpenTimers() (restore func()) {
	before, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prGetTimerslack, 0, 0)
	if errno != 0 {
		return func() {}
	}
	setTimerSlack(1)
	return func() { setTimerSlack(before) }
}

func setTimerSlack(ns uintptr) {
	// A refusal (a seccomp filter) leaves the sleeps less sharp, nothing else.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerslack, ns, 0)
}

// suspendThread suspends the thread. A signal may end it early; the caller looks at the clock.
func suspendThread(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
