// Package sweep measures a server at one load after the other, judges each, and saves the measurements in a folder, so
// that an interrupted sweep can resume.
//
// In scope: points in order, separate prompts for each, the end of the sweep, the folder. Out of scope: sending
// (package engine), figures (metrics), which points count (curve), searches (search), tables and pages.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/serving/curve"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// Sweep is a list of loads to measure.
type Sweep struct {
	PointSettings
	// Loads are measured in their order, which rises. Auto chooses them (curve.Auto), and Find searches for the highest
	// that keeps all objectives; both take the rest of a load from Base.
	Loads []arrival.Pattern
	Auto  bool
	Find  *SearchOptions
	Base  arrival.Pattern

	// File is what is known of the sweep before its first point; Run adds points to it. Those that GoOn has put there are
	// not measured again.
	File *sweepfile.Sweep
	// Folder keeps what is measured; nil: nobody does.
	Folder *SweepFolder
}

// ErrServer says that a server failed: too many of its answers, from the first load on.
var ErrServer = errors.New("the server fails")

// Run measures all that is missing, in turn. The points of a sweep that an error ended are in File: those that are
// complete count.
func (s *Sweep) Run(ctx context.Context) (err error) {
	s.File.Complete, s.File.Ended = false, sweepfile.Unfinished
	if s.Folder != nil {
		s.place = s.Folder.makePointFolder
	}
	switch {
	case s.Find != nil:
		err = s.searchLoads(ctx)
	case s.Auto:
		err = s.measureAuto(ctx)
	default:
		err = s.measureList(ctx)
	}
	switch {
	case ctx.Err() != nil:
		err, s.File.Ended = context.Cause(ctx), "interrupt"
	case err != nil:
		s.File.Ended = "failure"
	default:
		if s.File.Complete, err = true, CheckServer(s.File); s.File.Ended == sweepfile.Unfinished {
			s.File.Ended = ""
		}
	}
	return errors.Join(err, s.writeFiles())
}

// GoOn takes over what is complete of a sweep that was cut off, and whose files are as they were written: so many
// points. Lost says of each other one that was complete what is wrong with its files: it is measured again. Of a
// search, a point counts that a trial names.
func (s *Sweep) GoOn(earlier *sweepfile.Sweep) (points int, lost []string) {
	s.File.Find = earlier.Find
	place := make([]int, len(earlier.Points))
	for i, r := range earlier.Points {
		place[i] = curve.None
		if r.Status != record.Complete || earlier.Find != nil && !earlier.Find.NamesPoint(i) {
			continue
		}
		if s.Folder != nil {
			if err := checkPoint(s.Folder.Dir, earlier.Points, i); err != nil {
				lost = append(lost, fmt.Sprintf("%s is measured again: %v", r.Dir, err))
				continue
			}
		}
		place[i], s.File.Points = len(s.File.Points), append(s.File.Points, r)
	}
	if f := s.File.Find; f != nil {
		f.Trials = slices.DeleteFunc(f.Trials, func(t sweepfile.SearchTrial) bool { return place[t.Point] == curve.None })
		for i := range f.Trials {
			f.Trials[i].Point = place[f.Trials[i].Point]
		}
	}
	s.File.JudgePoints()
	return len(s.File.Points), lost
}

// writeFiles writes the sweep's own files.
func (s *Sweep) writeFiles() error {
	s.File.JudgePoints()
	if s.Folder == nil {
		return nil
	}
	return s.Folder.SaveSweep(s.File)
}

// curvePoints are those that were made, in the order of their loads, as a curve has them.
func (s *Sweep) curvePoints() []curve.CurvePoint {
	return lists.Map(s.File.InOrder(), func(r record.Run) curve.CurvePoint { return sweepfile.PointOf(r.Serving) })
}

// pointsBelow are those of the points that have a lower load.
func (s *Sweep) pointsBelow(p arrival.Pattern) []curve.CurvePoint {
	return lists.Filter(s.curvePoints(), func(q curve.CurvePoint) bool { return q.By == p.Kind && q.Load < p.Value() })
}

// usedRows is how many rows of the data the points have taken.
func (s *Sweep) usedRows() (rows int) {
	for _, r := range s.File.Points {
		rows += r.Serving.Asked.Sent
	}
	return rows
}

// isMeasured says whether a load was measured.
func (s *Sweep) isMeasured(p arrival.Pattern) bool {
	return slices.ContainsFunc(s.File.Points, func(r record.Run) bool {
		l := r.Serving.Load
		return l.By == p.Kind && l.Value == p.Value()
	})
}

// measureList measures the loads that are given, until two in a row are overloaded.
func (s *Sweep) measureList(ctx context.Context) error {
	for _, p := range s.Loads {
		if s.isMeasured(p) {
			continue
		}
		if curve.ShouldStop(s.pointsBelow(p)) {
			s.File.Ended = sweepfile.Overloaded
			return nil
		}
		if err := s.measureNext(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// measureAuto measures what curve.Auto asks for.
func (s *Sweep) measureAuto(ctx context.Context) error {
	for {
		by, value, ok := curve.NextAutoLoad(s.curvePoints())
		if !ok {
			return nil
		}
		if err := s.measureNext(ctx, s.loadAt(by, value)); err != nil {
			return err
		}
	}
}

// loadAt is the base load at a value.
func (s *Sweep) loadAt(by arrival.Kind, value float64) arrival.Pattern {
	p := s.Base
	p.Kind = by
	switch by {
	case arrival.Users:
		p.Users, p.Arrival, p.PerSecond, p.Burstiness = int(value), "", 0, 0
	case arrival.Rate:
		if p.PerSecond, p.Users = value, 0; p.Arrival == "" {
			p.Arrival = arrival.Poisson
		}
	default:
		p.Users, p.Arrival, p.PerSecond, p.Burstiness = 0, "", 0, 0
	}
	return p
}

// measureNext measures a load and keeps the point. It is an error if the server fails at the first.
func (s *Sweep) measureNext(ctx context.Context, p arrival.Pattern) error {
	point, err := s.measureAndKeep(ctx, p, 0)
	if err != nil {
		return err
	}
	s.File.Points = append(s.File.Points, point.Record)
	if err := s.writeFiles(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failsSoFar(s.File)
}

// measureAndKeep measures a load and keeps the files of the point, which the sweep's own do not name yet. The number
// tells points of one load apart.
func (s *Sweep) measureAndKeep(ctx context.Context, p arrival.Pattern, number int) (*SweepPoint, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	point, err := s.MeasureLoad(ctx, p, number, s.usedRows())
	if err != nil {
		return nil, err
	}
	if s.Folder != nil {
		if err := s.Folder.KeepPoint(NameOf(p)+trialSuffix(number), point); err != nil {
			return nil, err
		}
	} else {
		point.Record.Dir = NameOf(p) + trialSuffix(number)
	}
	s.noteShare(point)
	return point, nil
}

// trialSuffix tells points of one load apart.
func trialSuffix(trial int) string {
	if trial == 0 {
		return ""
	}
	return fmt.Sprintf("-%d", trial+1)
}

// TryRequest asks for one answer, which counts in nothing: to see that the server answers, how long it takes, at most a
// time, and what it counts. The request, of a seed that no point has, is an answer that came, or failed: its Status
// says.
func (s *PointSettings) TryRequest(ctx context.Context, longest time.Duration) (metrics.Measured, error) {
	plan := engine.PointPlan{
		Asks:     s.Prompts.Draw(prompts.DrawOptions{N: 1, Seed: ^s.Seed}),
		Load:     arrival.Pattern{Kind: arrival.Users, Users: 1, Requests: 1},
		NoTokens: s.Rules.NoTokens, MaxErrors: &engine.MaxErrors{Count: 1}, Grace: longest, BoundAll: true,
	}
	p, err := engine.Measure(ctx, s.Asker, plan)
	switch {
	case err != nil:
		return metrics.Measured{}, err
	case ctx.Err() != nil:
		return metrics.Measured{}, context.Cause(ctx)
	case len(p.Requests) == 0:
		return metrics.Measured{}, errors.New("nothing was asked")
	}
	return metrics.MeasureRequest(&p.Requests[0], s.Rules), nil
}
