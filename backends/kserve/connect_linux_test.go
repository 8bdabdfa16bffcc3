package kserve

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTheKernelWatchesOverConnections checks that a vanished host is detected.
func TestTheKernelWatchesOverConnections(t *testing.T) {
	srv := serve(t, &server{}, "")
	conn, err := dialTCP(t.Context(), srv.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                string
		level, option, want int
	}{
		{"probes", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{"seconds to the first probe", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 10},
		{"seconds between probes", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 5},
		{"probes without an answer", unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 4},
		{"milliseconds without acknowledgement", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 30000},
	} {
		var got int
		if err := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), c.level, c.option) }); err != nil {
			t.Error(err)
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", c.name, got, err, c.want)
		}
	}
}
