package serve

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// scorerParts opens the models of one scorer, on the plugin's first backend.
type scorerParts struct {
	*service
	model   sdk.ModelInfo
	files   map[string]string // as the user named them
	source  *source           // nil: none is opened
	reports []sdk.PartReport
}

// open opens one part, for one run at a time on all cores.
func (s *scorerParts) open(ctx context.Context, p sdk.Part) (backend.Session, error) {
	if s.source == nil {
		_, b, err := s.backends.find("")
		if err != nil {
			return nil, err
		}
		s.source = &source{backend: b}
	}
	config := backend.Config{Concurrency: 1, LowLatency: true, MaxBatch: p.MaxBatch, ModelName: s.model.Name, Part: p.Name}
	session, err := s.source.open(s.lookout.watch.Over(ctx), p.Model, config)
	if err != nil {
		return nil, err
	}
	r, err := report(p, sdk.Options{PartFiles: s.files}, sdk.ModelInfo{Files: s.model.ScorerFiles}, false)
	if err != nil {
		return nil, err
	}
	r.Inputs, r.Outputs = tensors(session.Inputs()), tensors(session.Outputs())
	s.reports = append(s.reports, r)
	return session, nil
}

// close closes the sessions.
func (s *scorerParts) close() error {
	if s.source == nil {
		return nil
	}
	var faults []error
	for _, l := range s.source.sessions {
		faults = append(faults, l.Close())
	}
	return errors.Join(faults...)
}
