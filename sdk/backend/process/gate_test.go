package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// heldFault is the prefix of the fault of a process whose batches wait at a gate. The gate's path follows.
const heldFault = "held at "

// atWork is the output of such a process when a batch has arrived.
const atWork = "a batch is at work"

// held is the doubler in native code that ignores contexts. Its batches wait for the file gate. When it is closed, it
// prints the number of running batches.
type held struct {
	doubler
	gate string
}

func (h held) Open(ctx context.Context, m backend.Model, config backend.Config) (backend.Session, error) {
	s, err := h.doubler.Open(ctx, m, config)
	return &heldSession{Session: s, gate: h.gate}, err
}

type heldSession struct {
	backend.Session
	gate    string
	running atomic.Int32
}

func (s *heldSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	s.running.Add(1)
	defer s.running.Add(-1)
	fmt.Fprintln(os.Stderr, atWork)
	for {
		if _, err := os.Stat(s.gate); err == nil {
			return s.Session.Run(ctx, in, out)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *heldSession) Close() error {
	fmt.Fprintf(os.Stderr, "closed with %d batches at work\n", s.running.Load())
	return s.Session.Close()
}

// gate holds the batches of one process. A test therefore knows when a batch is running, and decides when it ends.
type gate struct {
	path string
	came chan struct{} // closed when the first batch is running

	mu      sync.Mutex
	printed []byte // output of the process
}

func newGate(t *testing.T) *gate {
	return &gate{path: filepath.Join(t.TempDir(), "gate"), came: make(chan struct{})}
}

// session opens the doubler in a process behind the gate, one batch at a time.
func (g *gate) session(t *testing.T) *processSession {
	t.Helper()
	return openWith(t, Backend{Output: g}, heldFault+g.path)
}

// Write receives the output of the process.
func (g *gate) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	came := bytes.Contains(g.printed, []byte(atWork))
	g.printed = append(g.printed, b...)
	if !came && bytes.Contains(g.printed, []byte(atWork)) {
		close(g.came)
	}
	return len(b), nil
}

// open lets all batches continue.
func (g *gate) open(t *testing.T) {
	if err := os.WriteFile(g.path, nil, 0o600); err != nil {
		t.Error(err)
	}
}

// giveUp runs a batch and cancels its context while it is running.
func (g *gate) giveUp(t *testing.T, s *processSession, in []backend.Tensor) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		select {
		case <-g.came:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := s.Run(ctx, in, make([]backend.Tensor, 2)); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the end of the context", err)
	}
}
