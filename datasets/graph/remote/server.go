package remote

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/gomodule/redigo/redis"
)

// A server that neither answers nor takes anything for so long is lost.
const (
	connectTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second
)

// idleConnections of a server are kept for the next.
const idleConnections = 64

// server is one of Redis.
type server struct {
	name string // its address, without a password
	pool *redis.Pool
}

// newServer connects to nothing yet.
func newServer(address string) *server {
	dialer := net.Dialer{Timeout: connectTimeout}
	dial := func(ctx context.Context, network, host string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, host)
		if err != nil {
			return nil, err
		}
		return &buffered{c, bufio.NewReaderSize(c, readBuffer)}, nil
	}
	return &server{name: shown(address), pool: &redis.Pool{
		MaxIdle: idleConnections,
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, address, redis.DialContextFunc(dial), redis.DialReadTimeout(answerTimeout),
				redis.DialWriteTimeout(answerTimeout))
		},
	}}
}

// shown is an address without its password.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "with an address that is none"
	}
	return u.Host
}

// with calls do with a connection. Its error names the server.
func (s *server) with(ctx context.Context, do func(c redis.Conn) error) error {
	c, err := s.pool.GetContext(ctx)
	if err == nil {
		err = do(c)
		if closing := c.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		return fmt.Errorf("%w: server %s: %w", ErrFeatures, s.name, err)
	}
	return nil
}

// readBuffer makes one system call of many rows.
const readBuffer = 256 << 10

// buffered reads ahead.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }
