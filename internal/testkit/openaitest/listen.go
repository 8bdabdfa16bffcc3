package openaitest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Memory contains servers with connections in memory. Tests that connect with its Dial can use the virtual clock of
// testing/synctest, so their times do not depend on the machine.
type Memory struct {
	mu        sync.Mutex
	listeners map[string]*listener
}

// Serve serves an address of the form host:port with a handler. The returned function closes the server and its
// connections.
func (m *Memory) Serve(address string, h http.Handler) (stop func()) {
	l := m.listen(address)
	server := &http.Server{Handler: h}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // until the listener is closed
	return func() {
		_ = server.Close()
		serving.Wait()
	}
}

// listen begins to accept connections to an address.
func (m *Memory) listen(address string) *listener {
	l := &listener{conns: make(chan net.Conn), done: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.listeners == nil {
		m.listeners = map[string]*listener{}
	}
	m.listeners[address] = l
	return l
}

// Dial connects to a server.
func (m *Memory) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	m.mu.Lock()
	l := m.listeners[address]
	m.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: "memory", Err: net.UnknownNetworkError(address)}
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }
