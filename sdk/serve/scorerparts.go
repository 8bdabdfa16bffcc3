package serve

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// scorerParts opens the models of one scorer on the plugin's first backend.
type scorerParts struct {
	*pluginService
	model   sdk.ModelInfo
	files   map[string]string // as named by the user
	source  *sessionSource    // nil: no part is open
	reports []sdk.PartReport
}

// openPart opens one part, for one run at a time on all cores.
func (s *scorerParts) openPart(ctx context.Context, p sdk.Part) (backend.Session, error) {
	if s.source == nil {
		_, b, err := s.backends.findBackend("")
		if err != nil {
			return nil, err
		}
		s.source = &sessionSource{backend: b}
	}
	config := backend.Config{Concurrency: 1, LowLatency: true, MaxBatch: p.MaxBatch, ModelName: s.model.Name, Part: p.Name}
	session, err := s.source.openOnDevice(s.monitor.watch.NewContext(ctx), p.Model, config)
	if err != nil {
		return nil, err
	}
	r, err := reportPart(p, sdk.Options{PartFiles: s.files}, sdk.ModelInfo{Files: s.model.ScorerFiles}, false)
	if err != nil {
		return nil, err
	}
	r.Inputs, r.Outputs = tensorList(session.Inputs()), tensorList(session.Outputs())
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
