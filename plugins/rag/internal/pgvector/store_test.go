package pgvector

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
)

// listen takes connections on this machine until the test ends.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { _ = c.Close() })
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// greet lets a client in, and waits for its first request.
func greet(c net.Conn) {
	b := pgproto3.NewBackend(c, c)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if b.Flush() == nil {
		_, _ = b.Receive()
	}
}

// TestNoStore: a server that hangs, at once or behind its greeting, one that goes away and one that was never there are
// named, and no error has a password.
func TestNoStore(t *testing.T) {
	for what, serve := range map[string]func(net.Conn){
		"hangs":                   func(net.Conn) {},
		"hangs behind a greeting": greet,
		"goes away at once":       func(c net.Conn) { _ = c.Close() },
		"goes away":               func(c net.Conn) { greet(c); _ = c.Close() },
	} {
		at := listen(t, serve)
		_, err := Open(t.Context(), "postgres://me:hunter2@"+at+"/all?sslmode=disable", 300*time.Millisecond, 1)
		if !errors.Is(err, ErrStore) || !strings.Contains(err.Error(), at+"/all: connect") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", what, err)
		}
		if strings.HasPrefix(what, "hangs") && !errors.Is(err, errLate) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, address := range []string{"postgres://me:hunter2@127.0.0.1:1/all", "postgres://me:hunter2@127.0.0.1:no/all"} {
		_, err := Open(t.Context(), address, time.Minute, 1)
		if !errors.Is(err, ErrStore) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestLiteral(t *testing.T) {
	if got := formatVector([]float32{0.1, -1e-30, 3}); got != "[0.1,-1e-30,3]" {
		t.Error(got)
	}
}

// TestStoreOfPassages writes passages twice, and finds them.
func TestStoreOfPassages(t *testing.T) {
	address := os.Getenv("PLUMBLINE_PGVECTOR")
	if address == "" {
		t.Skip("PLUMBLINE_PGVECTOR names no store: make test-extra OF=store PGVECTOR=postgres://... runs this")
	}
	s, err := Open(t.Context(), address, time.Minute, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var sums [2]string
	for k := range sums {
		w := s.NewWriter()
		for i := range 2*batchSize + 7 {
			p := index.Passage{Text: "it's \"text\"\n\u2028", Source: "a.html", ID: i, URL: "https://x/?a&b"}
			if err := w.Add(t.Context(), p, []float32{float32(i), 1, 0}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Add(t.Context(), index.Passage{}, []float32{1}); !errors.Is(err, index.ErrVector) {
			t.Error(err)
		}
		if sums[k], err = w.FinishTable(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	dim, err := s.Dim(t.Context())
	if err != nil || dim != 3 || len(sums[0]) != 32 || sums[0] != sums[1] {
		t.Errorf("%d values, %v, %v", dim, sums, err)
	}
	found, err := s.Search(t.Context(), []float32{300.2, 1, 0}, 3)
	if err != nil || len(found) != 3 || found[0].ID != 300 || found[1].ID != 301 || found[2].ID != 299 ||
		found[0].Text != "it's \"text\"\n\u2028" || found[0].URL != "https://x/?a&b" || found[0].Source != "a.html" {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := s.Search(t.Context(), []float32{1, 2}, 3); !errors.Is(err, ErrStore) ||
		!strings.Contains(err.Error(), "dimension") {
		t.Error(err)
	}
}
