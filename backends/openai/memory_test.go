package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
)

// inMemory returns a generator of servers to which connections are in memory, so that virtual time may pass: what is
// asserted of times and of shares then holds on any machine. Their model is m.
func inMemory(t *testing.T, handlers []http.Handler, options ...string) *openai.Generator {
	t.Helper()
	listeners := map[string]*pipeListener{}
	var urls []string
	for i, h := range handlers {
		host := fmt.Sprintf("server%d:80", i)
		listeners[host] = serveInMemory(t, h)
		urls = append(urls, "http://"+host)
	}
	given := asOptions(strings.Join(urls, ","), options)
	given["model"] = "m"
	return openai.ForTest(func(_ context.Context, _, address string) (net.Conn, error) {
		near, far := net.Pipe()
		l := listeners[address]
		select {
		case l.conns <- far:
			return near, nil
		case <-l.done:
			return nil, net.ErrClosed
		}
	}, given)
}

func serveInMemory(t *testing.T, h http.Handler) *pipeListener {
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { server.Close() })
	return l
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
