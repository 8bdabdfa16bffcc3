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

// sharpenTimers sets the thread's timer slack to 1 ns and returns a function that restores it. By default Linux may end
// a sleep 50 µs late.
func sharpenTimers() (restore func()) {
	before, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prGetTimerslack, 0, 0)
	if errno != 0 {
		return func() {}
	}
	setTimerSlack(1)
	return func() { setTimerSlack(before) }
}

func setTimerSlack(ns uintptr) {
	// If a seccomp filter refuses the call, sleeps only become less precise.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerslack, ns, 0)
}

// suspendThread suspends the thread for d. A signal may end the sleep early, so the caller must read the clock.
func suspendThread(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
