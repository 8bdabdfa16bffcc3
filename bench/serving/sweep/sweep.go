// Package sweep measures a server at one load after the other, judges each, and keeps what was measured in a folder, so
// that a sweep that was cut off goes on where it ended.
//
// In: points in order, prompts of their own for each, when it is enough, the folder. Out: sending (package serving),
// figures (measure), which points count (curve), searches (search), tables and pages of them.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/sweepfile"
	"github.com/plumbline-ml/plumbline/bench/serving"
	"github.com/plumbline-ml/plumbline/bench/serving/curve"
	"github.com/plumbline-ml/plumbline/bench/serving/load"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/objective"
	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
	"github.com/plumbline-ml/plumbline/bench/serving/search"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Sweep is loads to be measured.
type Sweep struct {
	Settings
	// Loads are measured in their order, which rises. Auto chooses them (curve.Auto), and Find searches for the highest
	// that keeps all objectives; both take the rest of a load from Base.
	Loads []load.Pattern
	Auto  bool
	Find  *Find
	Base  load.Pattern

	// File is what is known of the sweep before its first point; Run adds points to it. Those that GoOn has put there are
	// not measured again.
	File *sweepfile.Sweep
	// Folder keeps what is measured; nil: nobody does.
	Folder *Folder
}

// Find is a search for the highest load.
type Find struct {
	By load.Kind // Rate or Users
	// Start is the first load; 0: 1. Most is the most requests of a trial that cannot be told; 0: eight times as many as
	// the first time.
	Start float64
	Most  int
}

// ErrServer says that a server failed: too many of its answers, from the first load on.
var ErrServer = errors.New("the server fails")

// Run measures all that is missing, in turn. The points of a sweep that an error ended are in File: those that are
// complete count.
func (s *Sweep) Run(ctx context.Context) (err error) {
	s.File.Complete, s.File.Ended = false, sweepfile.Unfinished
	if s.Folder != nil {
		s.place = s.Folder.place
	}
	switch {
	case s.Find != nil:
		err = s.find(ctx)
	case s.Auto:
		err = s.auto(ctx)
	default:
		err = s.list(ctx)
	}
	switch {
	case ctx.Err() != nil:
		err, s.File.Ended = context.Cause(ctx), "interrupt"
	case err != nil:
		s.File.Ended = "failure"
	default:
		if s.File.Complete, err = true, Fails(s.File); s.File.Ended == sweepfile.Unfinished {
			s.File.Ended = ""
		}
	}
	return errors.Join(err, s.save())
}

// GoOn takes over what is complete of a sweep that was cut off: so many points.
func (s *Sweep) GoOn(earlier *sweepfile.Sweep) (points int) {
	var whole []record.Run
	for _, r := range earlier.Points {
		if r.Status != record.Complete {
			break
		}
		whole = append(whole, r)
	}
	s.File.Points, s.File.Find = whole, earlier.Find
	if f := s.File.Find; f != nil {
		for i, t := range f.Trials {
			if t.Point >= len(whole) {
				f.Trials = f.Trials[:i]
				break
			}
		}
	}
	s.File.Judge()
	return len(whole)
}

// save writes the sweep's own files.
func (s *Sweep) save() error {
	s.File.Judge()
	if s.Folder == nil {
		return nil
	}
	return s.Folder.Save(s.File)
}

// points are those that were made, as a curve has them.
func (s *Sweep) points() []curve.Point {
	return lists.Map(s.File.Points, func(r record.Run) curve.Point { return r.Serving.Point() })
}

// skip is how many rows of the data the points have taken.
func (s *Sweep) skip() (rows int) {
	for _, r := range s.File.Points {
		rows += r.Serving.Asked.Sent
	}
	return rows
}

// made says whether a load was measured.
func (s *Sweep) made(p load.Pattern) bool {
	return slices.ContainsFunc(s.File.Points, func(r record.Run) bool {
		l := r.Serving.Load
		return l.By == p.Kind && l.Value == p.Value()
	})
}

// list measures the loads that are given, until two in a row are overloaded.
func (s *Sweep) list(ctx context.Context) error {
	for _, p := range s.Loads {
		if s.made(p) {
			continue
		}
		if curve.Stop(s.points()) {
			s.File.Ended = sweepfile.Overloaded
			return nil
		}
		if err := s.add(ctx, p, 0); err != nil {
			return err
		}
	}
	return nil
}

// auto measures what curve.Auto asks for.
func (s *Sweep) auto(ctx context.Context) error {
	for {
		by, value, ok := curve.Auto(s.points())
		if !ok {
			return nil
		}
		if err := s.add(ctx, s.at(by, value), 0); err != nil {
			return err
		}
	}
}

// at is the base load at a value.
func (s *Sweep) at(by load.Kind, value float64) load.Pattern {
	p := s.Base
	p.Kind = by
	switch by {
	case load.Users:
		p.Users, p.Arrival, p.PerSecond, p.Burstiness = int(value), "", 0, 0
	case load.Rate:
		if p.PerSecond, p.Users = value, 0; p.Arrival == "" {
			p.Arrival = load.Poisson
		}
	default:
		p.Users, p.Arrival, p.PerSecond, p.Burstiness = 0, "", 0, 0
	}
	return p
}

// add measures a load and keeps the point. It is an error if the server fails at the first.
func (s *Sweep) add(ctx context.Context, p load.Pattern, trial int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	point, err := s.Measure(ctx, p, trial, s.skip())
	if err != nil {
		return err
	}
	if s.Folder != nil {
		if err := s.Folder.Keep(NameOf(p)+numbered(trial), point); err != nil {
			return err
		}
	}
	s.shares(point)
	s.File.Points = append(s.File.Points, point.Record)
	if err := s.save(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failsSoFar(s.File)
}

// numbered tells points of one load apart.
func numbered(trial int) string {
	if trial == 0 {
		return ""
	}
	return fmt.Sprintf("-%d", trial+1)
}

// find searches.
func (s *Sweep) find(ctx context.Context) error {
	began, before := time.Now(), 0.0
	if s.File.Find == nil {
		s.File.Find = &sweepfile.Find{By: s.Find.By, Trials: []sweepfile.Trial{}}
	}
	before = s.File.Find.Took
	look := search.Search{Users: s.Find.By == load.Users, Start: s.Find.Start}
	for _, t := range s.File.Find.Trials {
		served := s.File.Points[t.Point].Serving
		look.Made = append(look.Made, search.Trial{
			Load:    search.Load{Value: t.Value, Confirms: t.Confirms, Times: 1},
			Outcome: search.Outcome{Held: t.Held, Unclear: objective.Unclear(served.Objectives)},
		})
	}
	look.Try = s.try
	found, err := look.Run(ctx)
	s.File.Find.Found, s.File.Find.Took = found.Value, before+time.Since(began).Seconds()
	return err
}

// A trial of a search that does not confirm has so much of the duration of a point. Where nobody said how many requests
// one that cannot be told may have, it is made with so many times as many.
const (
	trialShare  = 4
	mostRepeats = 8
)

// trial is the load of a trial: one that confirms is as long as a point.
func (s *Sweep) trial(l search.Load) load.Pattern {
	p := s.at(s.Find.By, l.Value)
	switch {
	case p.Duration > 0:
		if !l.Confirms {
			p.Duration /= trialShare
		}
	case p.Requests == 0 && l.Confirms:
		p.Requests = max(load.DefaultRequests, s.expected(p, load.DefaultDuration))
	case p.Requests == 0:
		p.Requests = max(load.DefaultRequests, s.expected(p, load.DefaultDuration/trialShare))
	}
	p.Duration *= time.Duration(l.Times)
	p.Requests *= l.Times
	return p
}

// try measures a load for a search.
func (s *Sweep) try(ctx context.Context, l search.Load) (outcome search.Outcome, err error) {
	p := s.trial(l)
	if err := s.add(ctx, p, len(s.File.Find.Trials)); err != nil && !errors.Is(err, ErrServer) {
		return outcome, err
	}
	at := len(s.File.Points) - 1
	served := s.File.Points[at].Serving
	outcome.Held = served.Point().Holds()
	outcome.Unclear = objective.Unclear(served.Objectives)
	outcome.Most = l.Times >= mostRepeats
	if s.Find.Most > 0 {
		outcome.Most = 2*served.Figures.Requests > s.Find.Most
	}
	s.File.Find.Trials = append(s.File.Find.Trials, sweepfile.Trial{
		Value: l.Value, Held: outcome.Held, Confirms: l.Confirms, Point: at,
	})
	return outcome, s.save()
}

// expected is how many requests a load has in a time, at most some thousands.
func (s *Sweep) expected(p load.Pattern, d time.Duration) int {
	n := p.PerSecond * d.Seconds()
	if p.Kind == load.Users {
		n = float64(p.Users) * d.Seconds() / max(s.Latency, time.Millisecond).Seconds()
	}
	return int(min(n, 10_000))
}

// Try asks for one answer, which counts in nothing: to see that the server answers, how long it takes, at most a time,
// and what it counts. The request, of a seed that no point has, is an answer that came, or failed: its Status says.
func (s *Settings) Try(ctx context.Context, longest time.Duration) (measure.Measured, error) {
	plan := serving.Plan{
		Asks: s.Prompts.Draw(prompts.Draw{N: 1, Seed: ^s.Seed}), Load: load.Pattern{Kind: load.Users, Users: 1, Requests: 1},
		NoTokens: s.Rules.NoTokens, MaxErrors: &serving.MaxErrors{Count: 1}, Grace: longest, BoundAll: true,
	}
	p, err := serving.Measure(ctx, s.Asker, plan)
	switch {
	case err != nil:
		return measure.Measured{}, err
	case ctx.Err() != nil:
		return measure.Measured{}, context.Cause(ctx)
	case len(p.Requests) == 0:
		return measure.Measured{}, errors.New("nothing was asked")
	}
	return measure.Measure(&p.Requests[0], s.Rules), nil
}
