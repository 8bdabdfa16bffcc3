package openai

import (
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
)

// TestTheKernelProbesConnections checks that a vanished host is detected although first_timeout is long.
func TestTheKernelProbesConnections(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, wire, err := newClient(openaiSettings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := wire.dial(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for option, want := range map[int]int{syscall.TCP_KEEPIDLE: 10, syscall.TCP_KEEPINTVL: 5, syscall.TCP_KEEPCNT: 4} {
		var got int
		if err := raw.Control(func(fd uintptr) {
			got, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option)
		}); err != nil {
			t.Error(err)
		}
		if err != nil || got != want {
			t.Errorf("option %d: %d, %v; want %d", option, got, err, want)
		}
	}
}
