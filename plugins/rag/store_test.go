package rag

import (
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/plumbline-ml/plumbline/sdk"
)

// way is a way to a store that can be cut, or stopped.
type way struct {
	net.Listener
	mu      sync.Mutex
	stopped bool
	open    []net.Conn
}

// newWay is one to the store at an address, which ends with the test, and the address that leads over it.
func newWay(t *testing.T, address string) (*way, string) {
	t.Helper()
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	w := &way{}
	if w.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cut)
	network, to := pgconn.NetworkAddress(c.Host, c.Port)
	go func() {
		for {
			in, err := w.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial(network, to)
			if err != nil {
				_ = in.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, in, out)
			w.mu.Unlock()
			go w.carry(out, in)
			go w.carry(in, out)
		}
	}()
	return w, "postgres://" + c.User + ":" + c.Password + "@" + w.Addr().String() + "/" + c.Database + "?sslmode=disable"
}

// carry carries bytes until one side ends; once the way is stopped, they are lost.
func (w *way) carry(to io.Writer, from io.Reader) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		stopped := w.stopped
		w.mu.Unlock()
		if err != nil {
			return
		}
		if !stopped {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
	}
}

func (w *way) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

func (w *way) cut() {
	_ = w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		_ = c.Close()
	}
}

// TestStoreOfPassages: passages that are kept elsewhere answer as those of a file; another embedder is a fault, and so
// is a store that goes away or hangs in mid-run.
func TestStoreOfPassages(t *testing.T) {
	address := os.Getenv("PLUMBLINE_PGVECTOR")
	if address == "" {
		t.Skip("PLUMBLINE_PGVECTOR names no store: make test-extra OF=store PGVECTOR=postgres://... runs this")
	}
	w := opened(t, nobody{}, sdk.Options{Model: pagesModel}, "index="+address)
	n := w.(interface{ Len() int }).Len()
	var all []int
	for i := range n {
		all = append(all, i)
	}
	p, err := answersOf(t, w, sessions(), all...)
	if err != nil || len(p.At(n-1)) != 32 || !strings.Contains(remarks(t, w), "passages of 64 values in the table at ") {
		t.Fatalf("%v, %q", err, remarks(t, w))
	}
	right := 0
	w = opened(t, nobody{}, sdk.Options{}, "index="+address)
	a, _ := sdk.As[*questionWorkload](w)
	if p, err = answersOf(t, w, sessions(), all[:12]...); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if strings.EqualFold(strings.Trim(decoded(t, p.At(i)).Answer, ". "), a.questions[i].Answer) {
			right++
		}
	}
	if right < 8 {
		t.Errorf("%d of 12 answers are right", right)
	}
	_, err = answersOf(t, w, sdk.Sessions{embedderPart: &session{dim: 32}, rerankerPart: &session{dim: 32}}, 0)
	if err == nil || !strings.Contains(err.Error(), "dimension") {
		t.Error(err)
	}
	w = opened(t, nobody{}, sdk.Options{}, "index="+address)
	_, err = answersOf(t, w, sdk.Sessions{embedderPart: &session{dim: 32}, rerankerPart: &session{dim: 32}}, 0)
	if err == nil || !strings.Contains(err.Error(), "vectors of 64 values, the embedder makes 32") {
		t.Error(err)
	}
	for what, end := range map[string]func(*way){
		"": (*way).cut, "no answer within the timeout of 1s": (*way).stop,
	} {
		over, at := newWay(t, address)
		w := opened(t, nobody{}, sdk.Options{}, "index="+at, "timeout=1")
		s := sessions()
		r, _ := sdk.As[sdk.Runner](w)
		run, err := r.NewRun(s)
		if err != nil {
			t.Fatal(err)
		}
		end(over)
		sample, err := w.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		err = run.Run(t.Context(), []sdk.Sample{sample}, &sdk.Payloads{})
		if err == nil || !strings.Contains(err.Error(), "parameter index: store of passages "+over.Addr().String()) ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("want %q: %v", what, err)
		}
	}
}
