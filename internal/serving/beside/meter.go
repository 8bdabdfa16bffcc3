package beside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
)

// tryMeter reads the meter once, to find a faulty meter before the first point.
func (s Sources) tryMeter(ctx context.Context) error {
	if s.meter == nil {
		return nil
	}
	r, err := s.meter.Start(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return sdk.Usage(fmt.Errorf("--power: %w", err))
	}
	_, _ = r.Finish(ctx, spl.Window{}) // each point reports a meter that fails later
	return nil
}

// powerMeasurement is a power measurement during a point; nil: no meter.
type powerMeasurement struct {
	meter     *power.Meter
	recording *power.Recording
	fault     error // why there is no recording
}

// startMeter starts a power measurement.
func startMeter(ctx context.Context, meter *power.Meter) *powerMeasurement {
	if meter == nil {
		return nil
	}
	m := &powerMeasurement{meter: meter}
	m.recording, m.fault = meter.Start(ctx)
	return m
}

// finish ends the measurement and adds its values in the point's figure window to the point. If p is nil, finish only
// ends the measurement.
func (m *powerMeasurement) finish(ctx context.Context, p *sweep.SweepPoint) {
	if m == nil {
		return
	}
	var w spl.Window
	if p != nil {
		of := p.FigureWindow()
		w = spl.Window{Begin: p.Began.Add(time.Duration(of.From)).UTC(), End: p.Began.Add(time.Duration(of.To)).UTC()}
	}
	var text []byte
	stopped := m.fault
	if m.recording != nil {
		text, stopped = m.recording.Finish(ctx, w)
	}
	if p == nil {
		return
	}
	var faults []string
	if stopped != nil {
		faults = append(faults, stopped.Error())
	}
	a, err := w.Average(bytes.NewReader(text))
	if err != nil {
		faults = append(faults, err.Error())
	}
	if stopped == nil {
		faults = append(faults, m.meter.Judge(a)...)
	}
	p.Power = text
	p.Record.FromMeter(m.meter.String(), a, faults)
	if fault := p.Record.Power.Fault; fault != "" {
		p.AddNote("power", "power was not measured: "+fault)
	}
	if over := wattsOverTime(text, p.Began); len(over.T) > 1 {
		kind, _, _ := strings.Cut(m.meter.String(), " ")
		over.Title = "meter (" + kind + ")"
		p.OverTime = append(p.OverTime, over.Thinned())
	}
}

// wattsOverTime returns the watts of spl.txt over time, relative to began.
func wattsOverTime(text []byte, began time.Time) series.CollectedSeries {
	t := series.CollectedSeries{Name: "power", Unit: "W"}
	in := spl.NewSampleReader(bytes.NewReader(text))
	for {
		s, err := in.Next()
		if _, bad := errors.AsType[*mllog.LineError](err); bad {
			continue
		}
		if errors.Is(err, io.EOF) || err != nil {
			return t
		}
		at := int64(s.Time.Sub(began))
		if n := len(t.T); s.Watts > 0 && (n == 0 || at >= t.T[n-1]) {
			t.T, t.V = append(t.T, at), append(t.V, s.Watts)
		}
	}
}
