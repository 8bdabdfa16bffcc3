package doctor

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// enableExactSleep sets the kernel's most exact timer for this thread, like LoadGen's issuing loop, until release is
// called.
func enableExactSleep() (release func()) {
	runtime.LockOSThread()
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) != nil {
		return runtime.UnlockOSThread
	}
	return func() {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0)
		runtime.UnlockOSThread()
	}
}

func sleep(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	for unix.Nanosleep(&t, &t) == unix.EINTR {
	}
}
