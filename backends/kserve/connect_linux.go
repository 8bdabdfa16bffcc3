package kserve

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged ends a connection whose data is not acknowledged within the time vanished.
func limitUnacknowledged(_, _ string, c syscall.RawConn) error {
	var fault error
	err := c.Control(func(fd uintptr) {
		fault = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(vanishTimeout.Milliseconds()))
	})
	return errors.Join(err, fault)
}
