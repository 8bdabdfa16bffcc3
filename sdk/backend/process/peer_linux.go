package process

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerPID returns the process that listens at the other end of a unix socket, or 0 if it is unknown.
func peerPID(conn net.Conn) (pid int32) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if c, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = c.Pid
		}
	})
	return pid
}
