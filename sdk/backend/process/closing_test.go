package process

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// closing is the doubler in native code that heeds no context. It prints how many batches are at work when it is closed.
type closing struct {
	doubler
	work time.Duration // of a batch
}

func (c closing) Open(ctx context.Context, m backend.Model, config backend.Config) (backend.Session, error) {
	s, err := c.doubler.Open(ctx, m, config)
	return &closingSession{Session: s, work: c.work}, err
}

type closingSession struct {
	backend.Session
	work    time.Duration
	running atomic.Int32
}

func (s *closingSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	s.running.Add(1)
	defer s.running.Add(-1)
	time.Sleep(s.work)
	return s.Session.Run(ctx, in, out)
}

func (s *closingSession) Close() error {
	fmt.Fprintf(os.Stderr, "closed with %d batches at work\n", s.running.Load())
	return s.Session.Close()
}
