//go:build unix

package openai

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// countingSocket is a system connection that counts arrivals. A read that continues an earlier one whose buffer was
// full belongs to the same arrival. Data that a proxy held back and sent together is thus one arrival, even with small
// buffers.
type countingSocket struct {
	net.Conn
	raw syscall.RawConn
	try func(fd uintptr) bool // reads once without blocking

	into         []byte
	n            int
	err          error
	waited       bool
	full         bool // the last read filled its buffer: there may be more data
	arrivalCount int
}

// newSocket wraps a system connection. It returns other connections unchanged.
func newSocket(c net.Conn) net.Conn {
	of, ok := c.(syscall.Conn)
	if !ok {
		return c
	}
	raw, err := of.SyscallConn()
	if err != nil {
		return c
	}
	s := &countingSocket{Conn: c, raw: raw}
	s.try = s.readOnce
	return s
}

// Read implements net.Conn.
func (s *countingSocket) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s.into, s.n, s.err, s.waited = p, 0, nil, false
	err := s.raw.Read(s.try)
	n, full := s.n, s.n == len(p)
	if s.into = nil; err != nil {
		return 0, err
	}
	if s.waited || !s.full {
		s.arrivalCount++
	}
	s.full = full
	switch {
	case s.err != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(),
			Err: os.NewSyscallError("read", s.err)}
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (s *countingSocket) readOnce(fd uintptr) bool {
	for {
		n, err := syscall.Read(int(fd), s.into)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			s.waited = true
			return false
		}
		s.n, s.err = max(n, 0), err
		return true
	}
}

// arrivals returns the number of arrivals.
func (s *countingSocket) arrivals() int { return s.arrivalCount }
