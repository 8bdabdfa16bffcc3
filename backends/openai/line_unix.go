//go:build unix

package openai

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// alive reports, without blocking, whether the server has not closed an idle connection. A request on a closed
// connection would fail.
func (c *httpConn) alive() bool {
	conn := c.Conn
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	if s, ok := conn.(*countingSocket); ok {
		conn = s.Conn
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return true
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	alive := false
	err = raw.Control(func(fd uintptr) {
		var first [1]byte
		_, _, err := syscall.Recvfrom(int(fd), first[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		alive = errors.Is(err, syscall.EAGAIN) // no data, neither an end nor an unexpected answer
	})
	return alive && err == nil
}

// writer returns the writer for parts of a request. It can write several parts at once.
func (c *httpConn) writer() io.Writer {
	if s, ok := c.Conn.(*countingSocket); ok {
		return s.Conn
	}
	return c.Conn
}
