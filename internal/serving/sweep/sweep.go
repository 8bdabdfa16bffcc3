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
	// Loads are measured in order, which must be rising. Auto chooses the loads instead (curve.NextAutoLoad). Find instead
	// searches for the highest load that meets all objectives. Both take the other properties of a load from Base.
	Loads []arrival.Pattern
	Auto  bool
	Find  *SearchOptions
	Base  arrival.Pattern

	// File contains the description of the sweep. Run adds points to it. Run does not repeat points that Resume has added.
	File *sweepfile.Sweep
	// Folder stores the measurements; nil: they are not saved.
	Folder *SweepFolder
}

// ErrServer reports that a server failed: it gave too many bad answers from the first load on.
var ErrServer = errors.New("the server fails")

// Run measures all missing points in order. If an error ends the sweep, File contains the points so far; the complete
// ones count.
func (s *Sweep) Run(ctx context.Context) (err error) {
	s.File.Complete, s.File.Ended = false, sweepfile.Unfinished
	if s.Folder != nil {
		s.makeFolder = s.Folder.makePointFolder
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

// Resume takes over the complete points of an interrupted sweep if their files are unchanged, and returns their number.
// For each complete point whose files have changed, lost contains a message; that point is measured again. In a search,
// only points with a trial count.
func (s *Sweep) Resume(earlier *sweepfile.Sweep) (points int, lost []string) {
	s.File.Find = earlier.Find
	place := make([]int, len(earlier.Points))
	for i, r := range earlier.Points {
		place[i] = curve.NoPoint
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
		f.Trials = slices.DeleteFunc(f.Trials, func(t sweepfile.SearchTrial) bool { return place[t.Point] == curve.NoPoint })
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

// curvePoints returns the measured points in order of their loads, in the form of package curve.
func (s *Sweep) curvePoints() []curve.CurvePoint {
	points := []curve.CurvePoint{}
	for _, r := range s.File.InOrder() {
		points = append(points, sweepfile.PointOf(r.Serving))
	}
	return points
}

// pointsBelow returns the measured points with a lower load than p.
func (s *Sweep) pointsBelow(p arrival.Pattern) []curve.CurvePoint {
	var lower []curve.CurvePoint
	for _, q := range s.curvePoints() {
		if q.Kind == p.Kind && q.Load < p.Value() {
			lower = append(lower, q)
		}
	}
	return lower
}

// usedRows returns the number of data rows that the points have used.
func (s *Sweep) usedRows() (rows int) {
	for _, r := range s.File.Points {
		rows += r.Serving.Asked.Sent
	}
	return rows
}

// isMeasured reports whether a load has been measured.
func (s *Sweep) isMeasured(p arrival.Pattern) bool {
	return slices.ContainsFunc(s.File.Points, func(r record.Run) bool {
		l := r.Serving.Load
		return l.By == p.Kind && l.Value == p.Value()
	})
}

// measureList measures the loads in the list until two successive ones are overloaded.
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

// measureAuto measures the loads that curve.NextAutoLoad returns.
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

// loadAt returns the base load with another value.
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

// measureNext measures a load and saves the point. It returns an error if the server failed at every point so far.
func (s *Sweep) measureNext(ctx context.Context, p arrival.Pattern) error {
	point, err := s.measureAndSave(ctx, p, 0)
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
	return checkAllFailed(s.File)
}

// measureAndSave measures a load and saves the point's files. The sweep's own files do not mention the point yet.
// number distinguishes points with the same load.
func (s *Sweep) measureAndSave(ctx context.Context, p arrival.Pattern, number int) (*SweepPoint, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	point, err := s.MeasureLoad(ctx, p, number, s.usedRows())
	if err != nil {
		return nil, err
	}
	if s.Folder != nil {
		if err := s.Folder.SavePoint(PointFolderName(p)+trialSuffix(number), point); err != nil {
			return nil, err
		}
	} else {
		point.Record.Dir = PointFolderName(p) + trialSuffix(number)
	}
	s.recordShare(point)
	return point, nil
}

// trialSuffix returns the suffix that distinguishes points with the same load.
func trialSuffix(trial int) string {
	if trial == 0 {
		return ""
	}
	return fmt.Sprintf("-%d", trial+1)
}

// TryRequest sends one request that does not count, to test that the server answers within longest and to measure its
// latency and token counts. Its seed is used for no point. If the request fails, its Status contains the reason.
func (s *PointSettings) TryRequest(ctx context.Context, longest time.Duration) (metrics.Measured, error) {
	plan := engine.PointPlan{
		Asks:     s.Prompts.Draw(prompts.DrawOptions{N: 1, Seed: ^s.Seed}),
		Load:     arrival.Pattern{Kind: arrival.Users, Users: 1, Requests: 1},
		NoTokens: s.Rules.NoTokens, MaxErrors: &engine.MaxErrors{Count: 1}, Grace: longest, GraceAlways: true,
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
