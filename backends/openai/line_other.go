//go:build !unix

package openai

import (
	"io"
	"net"
)

// alive cannot be told here without waiting: maxIdleTime is what keeps requests off closed connections.
func (c *httpConn) alive() bool { return true }

// newSocket is the connection: what came at once is not known.
func newSocket(c net.Conn) net.Conn { return c }

// writer is where parts of a request are written.
func (c *httpConn) writer() io.Writer { return c.Conn }
