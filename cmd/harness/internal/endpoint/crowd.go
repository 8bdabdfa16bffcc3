package endpoint

import (
	"net"
	"net/http"
	"sync"
)

// maxConnections limits the simultaneous connections of a server. Pages and scrapers need fewer, and their files and
// memory do not affect the run.
const maxConnections = 128

// connLimiter limits the connections of a server. At the limit, a new connection closes the oldest idle one, or the
// oldest of all if none is idle. A client with many connections therefore cannot lock out others.
type connLimiter struct {
	mu       sync.Mutex
	arrivals uint64
	conns    map[net.Conn]*connState
}

// connState contains a connection's number in order of arrival, and whether the server is answering one of its
// requests.
type connState struct {
	number uint64
	active bool
}

// connStateChanged implements http.Server.ConnState.
func (c *connLimiter) connStateChanged(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.admitConn(conn)
	case http.StateActive, http.StateIdle:
		if v := c.conns[conn]; v != nil { // nil: already closed by admitConn
			v.active = state == http.StateActive
		}
	default:
		delete(c.conns, conn)
	}
}

func (c *connLimiter) admitConn(conn net.Conn) {
	if c.conns == nil {
		c.conns = map[net.Conn]*connState{}
	}
	if len(c.conns) >= maxConnections {
		oldest := c.oldestConn()
		_ = oldest.Close()
		delete(c.conns, oldest)
	}
	c.arrivals++
	c.conns[conn] = &connState{number: c.arrivals}
}

// oldestConn returns the connection to close.
func (c *connLimiter) oldestConn() (oldest net.Conn) {
	var first *connState
	for conn, v := range c.conns {
		if first == nil || !v.active && first.active || v.active == first.active && v.number < first.number {
			oldest, first = conn, v
		}
	}
	return oldest
}
