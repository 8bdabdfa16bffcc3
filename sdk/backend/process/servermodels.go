package process

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/keep"
)

// model is one that the process has open.
type model struct {
	session backend.Session
	runs    keep.Runs // of a session that keeps nothing itself
}

// run runs a batch. What the session does not keep itself is kept in the memory of this process.
func (m *model) run(ctx context.Context, in, out []backend.Tensor) error {
	if backend.KeptIn(m.session) != nil {
		return m.session.Run(ctx, in, out)
	}
	return m.runs.Run(in, out, func(in, out []backend.Tensor) error { return m.session.Run(ctx, in, out) })
}

// model finds the model of a stream.
func (s *service) model(number uint32) (*model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := s.models[number]; {
	case m != nil:
		return m, nil
	case len(s.models) == 0:
		return nil, errors.New("no model is open: call Open first")
	}
	return nil, fmt.Errorf("%w: no model %d is open", backend.ErrTensors, number)
}

// sessions are those of all models; s.mu is held.
func (s *service) sessions() []backend.Session {
	var all []backend.Session
	for _, m := range s.models {
		all = append(all, m.session)
	}
	return all
}
