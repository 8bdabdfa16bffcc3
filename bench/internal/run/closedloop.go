package run

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/closedloop"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// runClosedLoop measures the workload with a closed loop of users instead of LoadGen.
func (r *runner) runClosedLoop(ctx context.Context, p *plan.Plan, t plan.Run, rec *record.Run, sut loadgen.SUT,
	qsl loadgen.QSL) error {
	l := p.ClosedLoop(t)
	counts, progress := new(engine.PointProgress), new(loadgen.Progress)
	began := time.Now()
	progress.Follow(func() loadgen.ProgressSnapshot { return loopProgress(l, counts.Now(), time.Since(began)) })
	defer r.watch(t, progress)()
	seen := r.watchOthers(progress)
	defer func() { seen(rec) }()
	point, err := closedloop.MeasureTokens(ctx, sut, qsl, l, engine.DefaultWarmUps(l), counts)
	if point != nil {
		recordLoop(rec, point)
	}
	return err
}

// recordLoop writes the results of a benchmark's closed loop into the record. Only the times of the first token and of
// the complete answer are known, so there are no gaps between tokens.
func recordLoop(rec *record.Run, p *engine.MeasuredPoint) {
	s := sweep.PointSettings{Record: record.Run{Serving: &record.Serving{}}}
	made := s.JudgePoint(p, p.Load.Seed).Record
	made.Serving.Asked.Seed = p.Load.Seed
	made.Serving.Figures.Gap, made.Serving.Figures.Stall = metrics.Distribution{}, metrics.Distribution{}
	rec.Serving, rec.Duration, rec.Took = made.Serving, made.Duration, made.Took
	rec.Notes = append(rec.Notes, made.Notes...)
}

// loopProgress returns the progress of a closed loop in the form of a LoadGen test's progress.
func loopProgress(l arrival.Pattern, c engine.RequestCounts, elapsed time.Duration) loadgen.ProgressSnapshot {
	s := loadgen.ProgressSnapshot{
		Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly, Elapsed: elapsed, Queries: uint64(c.Sent),
		MinQueries: uint64(l.Requests), Planned: uint64(l.Requests), Issued: uint64(c.Sent), Done: uint64(c.Ended),
	}
	if l.Requests == 0 {
		s.MinQueries, s.MinDuration = arrival.DefaultRequests, arrival.DefaultDuration
	}
	return s
}
