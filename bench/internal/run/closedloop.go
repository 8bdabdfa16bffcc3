package run

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/closedloop"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/serving"
	"github.com/plumbline-ml/plumbline/bench/serving/load"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/internal/figure"
)

// closedLoop measures the workload by so many users in place of LoadGen.
func (r *runner) closedLoop(ctx context.Context, p *plan.Plan, t plan.Run, rec *record.Run, sut loadgen.SUT,
	qsl loadgen.QSL) error {
	l := p.ClosedLoop(t)
	counts, progress := new(serving.Progress), new(loadgen.Progress)
	began := time.Now()
	progress.Follow(func() loadgen.ProgressSnapshot { return shownAs(l, counts.Now(), time.Since(began)) })
	defer r.watch(t, progress)()
	point, err := closedloop.Tokens(ctx, sut, qsl, l, serving.WarmUps(l), counts)
	if point != nil {
		rec.Serving = servingOf(point)
		took := time.Duration(rec.Serving.Figures.WindowNS)
		rec.Duration, rec.Took = took.Seconds(), figure.Seconds(took)
		for _, text := range point.Notes {
			rec.Notes = append(rec.Notes, record.Finding{About: "load", Text: text})
		}
	}
	return err
}

// shownAs is how far a closed loop is, as LoadGen says it of a test.
func shownAs(l load.Pattern, c serving.Counts, elapsed time.Duration) loadgen.ProgressSnapshot {
	s := loadgen.ProgressSnapshot{
		Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly, Elapsed: elapsed, Queries: uint64(c.Sent),
		MinQueries: uint64(l.Requests), Planned: uint64(l.Requests), Issued: uint64(c.Sent), Done: uint64(c.Ended),
	}
	if l.Requests == 0 {
		s.MinQueries, s.MinDuration = load.DefaultRequests, load.DefaultDuration
	}
	return s
}

// servingOf is what a record says of a closed loop at a benchmark. Only the first token and the end of an answer are
// known there: there are no gaps.
func servingOf(p *serving.Point) *record.Serving {
	rules := measure.Rules{Window: p.Window}
	f := measure.Of(p.Requests, rules)
	f.Gap, f.Stall = measure.Distribution{}, measure.Distribution{}
	window := measure.Issued(p.Requests)
	if p.Window != nil {
		window = *p.Window
	}
	stationary := measure.Stationary(p.Requests, window, rules)
	s := &record.Serving{
		Load:  record.ServingLoad{By: p.Load.Kind, Value: p.Load.Value(), Think: p.Load.Think.Seconds()},
		Label: p.Load.Label(), Sentence: p.Load.ClosedLoop(), Figures: f, Ended: string(p.Ended),
		Client: &record.ServingClient{
			CPU: p.Client.CPU.Seconds(), Cores: p.Client.Cores, Share: p.Client.Share, ReadP99: int64(p.Client.ReadP99),
			GCs: p.Client.GCs, GCPause: int64(p.Client.GCPause), GCLongest: int64(p.Client.GCLongest),
		},
		Stationarity: &stationary, Flags: []string{},
	}
	s.Asked.Seed, s.Asked.PointSeed = p.Load.Seed, p.Load.Seed
	if len(p.Client.Of(p.Load).Limited(f)) > 0 {
		s.Flags = append(s.Flags, record.ClientLimited)
	}
	if stationary.Rises {
		s.Flags = append(s.Flags, record.NotStationary)
	}
	return s
}
