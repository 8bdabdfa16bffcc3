package endpoint

import (
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many an address has at once: more than pages and scrapers need, and few enough that nobody
// takes the files that a process may open, or its memory, from the run.
const maxConnections = 128

// connLimiter bounds the connections of a server. One more than there may be costs another its place, so that who holds
// many shuts nobody out: the oldest that waits for a request, or else the oldest of all.
type connLimiter struct {
	mu    sync.Mutex
	came  uint64
	conns map[net.Conn]*connVisit
}

// connVisit is a connection's: when it came, as a number, and whether a request of it is being answered.
type connVisit struct {
	number uint64
	active bool
}

// connStateChanged is the server's http.Server.ConnState.
func (c *connLimiter) connStateChanged(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.admitConn(conn)
	case http.StateActive, http.StateIdle:
		if v := c.conns[conn]; v != nil { // else it had to go
			v.active = state == http.StateActive
		}
	default:
		delete(c.conns, conn)
	}
}

func (c *connLimiter) admitConn(conn net.Conn) {
	if c.conns == nil {
		c.conns = map[net.Conn]*connVisit{}
	}
	if len(c.conns) >= maxConnections {
		oldest := c.oldestConn()
		_ = oldest.Close()
		delete(c.conns, oldest)
	}
	c.came++
	c.conns[conn] = &connVisit{number: c.came}
}

// oldestConn is the connection that has to go.
func (c *connLimiter) oldestConn() (oldest net.Conn) {
	var first *connVisit
	for conn, v := range c.conns {
		if first == nil || !v.active && first.active || v.active == first.active && v.number < first.number {
			oldest, first = conn, v
		}
	}
	return oldest
}
