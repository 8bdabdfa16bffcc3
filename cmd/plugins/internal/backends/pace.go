package backends

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Pace makes a backend as quick, or as slow, as that of a machine that is not at hand, for tests whose verdicts must
// not depend on it: runs take its time, and what they answer stays right. The zero value changes nothing.
type Pace struct {
	// AtOnce answers what was asked before without a run of the model.
	AtOnce bool
	// Times is how many times as long each run takes as it did; 0: as long.
	Times int
	// Each is how long each sample of a run takes, whatever else the machine does: what was asked before is answered
	// without a run of the model.
	Each time.Duration
}

// ParsePace reads "once", a number of times above 1, how long each sample takes ("5ms"), or "" for the machine's own
// pace.
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

// Paceable is a backend that can be paced: what it says of itself, and the devices that it takes, stay as they are.
type Paceable interface {
	backend.Backend
	backend.Describer
	backend.DeviceChooser
}

// ApplyTo returns b at the pace.
func (p Pace) ApplyTo(b Paceable) backend.Backend { return pacedBackend{b, p} }

type pacedBackend struct {
	Paceable
	pace Pace
}

// Open opens a model. What is beside it are sessions of this package.
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

// commonSession passes on what a session says of itself.
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

// remainingTime is how much longer a run takes.
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
