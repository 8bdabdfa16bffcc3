package kserve

import (
	"context"
	"errors"
	"maps"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// wires connects to servers in memory, for virtual time.
type wires struct {
	mu    sync.Mutex
	hosts map[string]*wire
}

func (w *wires) dial(_ context.Context, address string) (net.Conn, error) {
	w.mu.Lock()
	host := w.hosts[address]
	w.mu.Unlock()
	if name, _, _ := net.SplitHostPort(address); strings.HasSuffix(name, ".invalid") {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	if host == nil {
		return nil, syscall.ECONNREFUSED
	}
	near, far := net.Pipe()
	select {
	case host.conns <- far:
		return near, nil
	case <-host.done:
		return nil, syscall.ECONNREFUSED
	}
}

// serve starts a server at an address; stop ends it.
func (w *wires) serve(t *testing.T, address string, s oip.GRPCInferenceServiceServer) (stop func()) {
	host := &wire{conns: make(chan net.Conn), done: make(chan struct{})}
	w.mu.Lock()
	w.hosts[address] = host
	w.mu.Unlock()
	g := grpc.NewServer(grpc.MaxRecvMsgSize(1<<30), grpc.MaxSendMsgSize(1<<30))
	oip.RegisterGRPCInferenceServiceServer(g, s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = g.Serve(host)
	}()
	stop = sync.OnceFunc(func() { g.Stop(); <-ended })
	t.Cleanup(stop)
	return stop
}

// wired opens a session with servers in memory at the addresses a:1, b:1 and so on, for a test on virtual time.
func wired(t *testing.T, options map[string]string, servers ...*server) backend.Session {
	t.Helper()
	w := &wires{hosts: map[string]*wire{}}
	var urls []string
	for i, s := range servers {
		s.address = string(rune('a'+i)) + ":1"
		s.stop = w.serve(t, s.address, s)
		urls = append(urls, s.address)
	}
	given := map[string]string{"url": strings.Join(urls, ",")}
	maps.Copy(given, options)
	s, err := Backend{dial: w.dial}.Open(t.Context(), doubler(), backend.Config{Options: given})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // tests of Close have already closed it
	return s
}

// wire is the listener of a server in memory.
type wire struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.done:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.done) })
	return nil
}

func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire"} }

// hanging is a server that can be made to stop answering whether it is ready.
type hanging struct {
	server
	hangs atomic.Bool
}

func (h *hanging) ModelReady(ctx context.Context, r *oip.ModelReadyRequest) (*oip.ModelReadyResponse, error) {
	if h.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return h.server.ModelReady(ctx, r)
}

// TestAnEndpointThatIsBack checks that an endpoint is used again within seconds of its return, whatever the others do.
func TestAnEndpointThatIsBack(t *testing.T) {
	for name, others := range map[string]bool{"alone": false, "while another hangs": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wires{hosts: map[string]*wire{}}
				hung := &hanging{}
				w.serve(t, "a:1", hung)
				stop := w.serve(t, "b:1", &server{})
				o, err := Backend{dial: w.dial}.Open(t.Context(), doubler(),
					backend.Config{Options: map[string]string{"url": "a:1,b:1", "lost": "go-on"}})
				if err != nil {
					t.Fatal(err)
				}
				s := o.(*kserveSession)
				if others {
					hung.hangs.Store(true)
					s.endpoints[0].markLost(errors.New("said so"))
				}
				stop()
				s.endpoints[1].markLost(errors.New("said so"))
				time.Sleep(8 * time.Minute)
				w.serve(t, "b:1", &server{})
				time.Sleep(5 * time.Second)
				if err := s.endpoints[1].lossReason(); err != nil {
					t.Error("it is still lost")
				}
				if got := s.endpoints[0].lossReason() != nil; got != others {
					t.Errorf("the other one is lost: %v, want %v", got, others)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
