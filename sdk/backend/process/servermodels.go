package process

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
)

// servedModel is an open model of the process.
type servedModel struct {
	session backend.Session
	runs    tensorcache.Runs // for a session that does not keep outputs itself
}

// runModel runs a batch. If the session does not keep outputs itself, this process keeps them in its memory.
func (m *servedModel) runModel(ctx context.Context, in, out []backend.Tensor) error {
	if backend.CacheMemory(m.session) != nil {
		return m.session.Run(ctx, in, out)
	}
	return m.runs.Run(in, out, func(in, out []backend.Tensor) error { return m.session.Run(ctx, in, out) })
}

// findModel finds the model of a stream.
func (s *backendService) findModel(number uint32) (*servedModel, error) {
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

// allSessions returns the sessions of all models. The caller must hold s.mu.
func (s *backendService) allSessions() []backend.Session {
	var all []backend.Session
	for _, m := range s.models {
		all = append(all, m.session)
	}
	return all
}
