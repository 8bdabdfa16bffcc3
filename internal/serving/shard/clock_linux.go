package shard

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// timeError is the result of adjtimex for an unsynchronized clock (TIME_ERROR of adjtimex(2)).
const timeError = 5

func systemClock() (string, time.Duration) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		id = nil
	}
	var t syscall.Timex
	state, err := syscall.Adjtimex(&t)
	return strings.TrimSpace(string(id)), clockError(state, int64(t.Maxerror), err) //nolint:unconvert // 32 bits on some
}

// clockError returns a clock's error from the result of adjtimex: its state, and its maximum error in microseconds.
func clockError(state int, micros int64, err error) time.Duration {
	if err != nil || state == timeError || micros < 0 {
		return unknownError
	}
	return time.Duration(micros) * time.Microsecond
}
