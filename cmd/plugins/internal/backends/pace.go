package backends

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Pace makes a backend as fast or as slow as that of another machine, for tests whose verdicts must not depend on this
// machine. It changes the duration of runs but not their answers. The zero value changes nothing.
type Pace struct {
	// AtOnce answers repeated inputs without running the model.
	AtOnce bool
	// Times is the factor by which each run takes longer; 0: no change.
	Times int
	// Each is the duration of each sample of a run, regardless of other work on the machine. Repeated inputs are answered
	// without running the model.
	Each time.Duration
}

// ParsePace parses "once", a factor above 1, the duration of each sample ("5ms"), or "" for no change.
func ParsePace(text string) (Pace, error) {
	switch text {
	case "":
		return Pace{}, nil
	case "once":
		return Pace{AtOnce: true}, nil
	}
	if each, err := time.ParseDuration(text); err == nil && each > 0 {
		return Pace{Each: each}, nil
	}
	times, err := strconv.Atoi(text)
	if err != nil || times < 2 {
		return Pace{}, fmt.Errorf(`pace %q, want "once", how many times as long a run takes, such as "10", or how long a `+
			`sample takes, such as "5ms"`, text)
	}
	return Pace{Times: times}, nil
}

// Paceable is a backend whose pace can be changed. Its description and its devices stay unchanged.
type Paceable interface {
	backend.Backend
	backend.Describer
	backend.DeviceChooser
}

// ApplyTo returns b with the pace applied.
func (p Pace) ApplyTo(b Paceable) backend.Backend { return pacedBackend{b, p} }

type pacedBackend struct {
	Paceable
	pace Pace
}

// Open opens a model and wraps the session according to the pace.
func (b pacedBackend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	s, err := b.Paceable.Open(ctx, m, c)
	switch {
	case err != nil:
		return nil, err
	case b.pace.AtOnce:
		return newCachedSession(s), nil
	case b.pace.Each > 0:
		return slowSession{commonSession{newCachedSession(s)}, b.pace}, nil
	case b.pace.Times > 1:
		return slowSession{commonSession{s}, b.pace}, nil
	}
	return s, nil
}

// commonSession forwards the descriptive methods of a session.
type commonSession struct{ backend.Session }

func (s commonSession) CacheMemory() any { return backend.CacheMemory(s.Session) }

func (s commonSession) Describe() backend.Info {
	if d, ok := s.Session.(backend.Describer); ok {
		return d.Describe()
	}
	return backend.Info{}
}

// slowSession makes runs take longer.
type slowSession struct {
	commonSession
	pace Pace
}

// remainingTime returns the additional time that a run must take.
func (p Pace) remainingTime(took time.Duration, in []backend.Tensor) time.Duration {
	if p.Times > 1 {
		return time.Duration(p.Times-1) * took
	}
	samples := int64(1)
	if len(in) > 0 && len(in[0].Shape) > 0 {
		samples = in[0].Shape[0]
	}
	return time.Duration(samples)*p.Each - took
}

func (s slowSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	began := time.Now()
	if err := s.Session.Run(ctx, in, out); err != nil {
		return err
	}
	rest := time.NewTimer(s.pace.remainingTime(time.Since(began), in))
	defer rest.Stop()
	select {
	case <-rest.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
