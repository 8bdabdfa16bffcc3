//go:build unix

package openai

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// alive looks, without waiting, whether the server has closed a connection that nobody uses: a request on it would seem
// to be cut off.
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
		alive = errors.Is(err, syscall.EAGAIN) // nothing has come: neither an end nor what nobody asked for
	})
	return alive && err == nil
}

// writer is where parts of a request are written: what takes several at once.
func (c *httpConn) writer() io.Writer {
	if s, ok := c.Conn.(*countingSocket); ok {
		return s.Conn
	}
	return c.Conn
}
