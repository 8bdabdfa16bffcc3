package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// The LoadGens that drive runs.
const (
	LoadGenOwn      = "plumbline"
	LoadGenOfficial = "official"
)

// chooseLoadGen opens the official LoadGen, where that is to drive the runs.
func (p *Plan) chooseLoadGen(r Request) (err error) {
	switch r.LoadGen {
	case "", LoadGenOwn:
		return nil
	case LoadGenOfficial:
	default:
		return fmt.Errorf("--loadgen: %w", suggest.Unknown("LoadGen", r.LoadGen, []string{LoadGenOwn, LoadGenOfficial}))
	}
	var faults []error
	if r.AbortEarly {
		faults = append(faults, errors.New("--abort-early: the official LoadGen ends no run early"))
	}
	if r.Pace == PacePrecise {
		faults = append(faults, fmt.Errorf("--pace %s: the official LoadGen has a pace of its own", r.Pace))
	}
	p.LoadGen, err = official.Open(r.OfficialLoadGen)
	if err != nil {
		err = fmt.Errorf("--loadgen %s: %w; make official-loadgen LOADGEN=DIR builds it from the official sources",
			r.LoadGen, err)
	}
	return errors.Join(append(faults, err)...)
}

// startTest is loadgen.StartTest, or what takes its place.
func (p *Plan) startTest(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings,
	l loadgen.LogSettings) (*loadgen.Result, error) {
	if p.LoadGen == nil {
		return loadgen.StartTest(ctx, sut, qsl, s, l)
	}
	return p.LoadGen.StartTest(ctx, sut, qsl, s, l)
}

// driver is what results say of the LoadGen; nil: it is package loadgen.
func (p *Plan) driver() *record.LoadGen {
	if p.LoadGen == nil {
		return nil
	}
	b := p.LoadGen.Build()
	return &record.LoadGen{
		Name: LoadGenOfficial, Version: b.Version, SHA256: b.SHA256, Release: b.Release, Unmodified: b.Unmodified(),
	}
}
