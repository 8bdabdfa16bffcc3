package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Time limits after which a server counts as lost.
const (
	connectTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second
)

// maxIdleConnections is the maximum number of idle connections per server.
const maxIdleConnections = 64

// redisServer is a Redis server with its idle connections.
type redisServer struct {
	name     string     // address without the password
	address  string     // HOST:PORT
	greeting [][]string // commands at the start of a connection
	tls      *tls.Config

	mu     sync.Mutex
	idle   []*redisConn
	closed bool
}

// newRedisServer parses an address. It does not connect.
func newRedisServer(address string) (*redisServer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" {
		return nil, errAddress
	}
	s := &redisServer{name: u.Host, address: u.Host}
	if u.Port() == "" {
		s.address = net.JoinHostPort(u.Hostname(), "6379")
	}
	if u.Scheme == "rediss" {
		s.tls = &tls.Config{ServerName: u.Hostname()}
	}
	password, given := u.User.Password()
	switch user := u.User.Username(); {
	case given && user != "":
		s.greeting = append(s.greeting, []string{"AUTH", user, password})
	case given || user != "": // a single word is a password, as in redis-cli
		s.greeting = append(s.greeting, []string{"AUTH", password + user})
	}
	if database := strings.TrimPrefix(u.Path, "/"); database != "" {
		if _, err := strconv.ParseUint(database, 10, 31); err != nil {
			return nil, errAddress
		}
		s.greeting = append(s.greeting, []string{"SELECT", database})
	}
	return s, nil
}

var errAddress = errors.New("no redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]")

// withConn calls do with a connection that is closed when ctx ends. Errors name the server.
func (s *redisServer) withConn(ctx context.Context, do func(c *redisConn) error) error {
	c, err := s.takeConn(ctx)
	if err == nil {
		stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
		err = do(c)
		if !stop() && err == nil {
			err = context.Cause(ctx)
		}
		s.returnConn(c, err == nil)
	}
	if err != nil {
		return fmt.Errorf("%w: server %s: %w", ErrFeatures, s.name, preferCause(ctx, err))
	}
	return nil
}

// preferCause returns ctx's cause if ctx has ended, which is why err occurred, and otherwise err.
func preferCause(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		return context.Cause(ctx)
	}
	return err
}

// takeConn returns an idle connection or a new one.
func (s *redisServer) takeConn(ctx context.Context) (*redisConn, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	dialed, err := s.dialServer(ctx)
	if err != nil {
		return nil, err
	}
	c := newConn(dialed)
	for _, words := range s.greeting {
		if _, err := c.runCommand(words...); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", words[0], err), dialed.Close())
		}
	}
	return c, nil
}

func (s *redisServer) dialServer(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{Timeout: connectTimeout}
	if s.tls != nil {
		return (&tls.Dialer{NetDialer: &dialer, Config: s.tls}).DialContext(ctx, "tcp", s.address)
	}
	return dialer.DialContext(ctx, "tcp", s.address)
}

// returnConn makes a connection idle. It closes connections that are not good.
func (s *redisServer) returnConn(c *redisConn, good bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if good && !s.closed && len(s.idle) < maxIdleConnections && c.reader.Buffered() == 0 {
		s.idle = append(s.idle, c)
		return
	}
	_ = c.conn.Close()
}

// close closes the idle connections. Connections in use are closed when they are returned.
func (s *redisServer) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	all := make([]error, len(s.idle))
	for i, c := range s.idle {
		all[i] = c.conn.Close()
	}
	s.idle = nil
	return errors.Join(all...)
}
