//go:build !unix

package openai

import (
	"io"
	"net"
)

// alive always returns true, because this system has no check that does not block. maxIdleTime prevents requests on
// closed connections.
func (c *httpConn) alive() bool { return true }

// newSocket returns the connection unchanged, because arrivals are unknown on this system.
func newSocket(c net.Conn) net.Conn { return c }

// writer returns the writer for parts of a request.
func (c *httpConn) writer() io.Writer { return c.Conn }
