package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// pauseList contains the garbage collector's pauses in a minute of Server queries at 100,000 per second, in us.
type pauseList struct {
	issuing []float64 // pauses between the first query and the last
	all     []float64 // pauses of the whole StartTest call
}

// reportPauses measures once: a minute is long enough to show the pauses.
func (o options) reportPauses(ctx context.Context) error {
	p, delays, err := measurePauses(ctx, o.scaleCount(6e6))
	if err != nil {
		return err
	}
	fmt.Printf("garbage collector, Server, a minute at 100,000 queries/s: %s while queries were issued, %s in the "+
		"whole run;\n"+
		"issue delay of the run: %v at the median, %v at the 99th percentile\n\n", formatPauses(p.issuing),
		formatPauses(p.all),
		delays[0.5], delays[0.99])
	return nil
}

func formatPauses(us []float64) string {
	switch len(us) {
	case 0:
		return "no pause"
	case 1:
		return fmt.Sprintf("1 pause of %.0f us", us[0])
	}
	return fmt.Sprintf("%d pauses, the longest of %.0f us", len(us), slices.Max(us))
}

// timedSUT records the times of its first and last query.
type timedSUT struct {
	loadgentest.NullSUT
	first, last time.Time
}

func (s *timedSUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	s.last = time.Now()
	if s.first.IsZero() {
		s.first = s.last
	}
	return s.NullSUT.IssueQuery(ctx, q, r)
}

// measurePauses returns the collector's pauses and percentiles of the issue delay.
func measurePauses(ctx context.Context, queries uint64) (pauseList, map[float64]time.Duration, error) {
	s := workload{scenario: loadgen.Server}.newSettings(queries)
	s.ServerTargetQPS = 1e5
	sut := &timedSUT{}
	dir, err := os.MkdirTemp("", "benchloadgen")
	if err != nil {
		return pauseList{}, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory; the system removes the rest
	began := time.Now()
	r, err := loadgen.StartTest(ctx, sut, sampleLibrary, s, loadgen.LogSettings{OutDir: dir})
	if err != nil {
		return pauseList{}, nil, err
	}
	delays := map[float64]time.Duration{}
	for _, p := range r.IssueDelay.Percentiles {
		delays[p.P] = p.Latency
	}
	return pauseList{issuing: pausesBetween(sut.first, sut.last), all: pausesBetween(began, time.Now())}, delays, nil
}

// pausesBetween returns the collector's pauses that ended between two times, in us.
func pausesBetween(from, to time.Time) []float64 {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	var us []float64
	for i, end := range stats.PauseEnd {
		if end.After(from) && end.Before(to) {
			us = append(us, float64(stats.Pause[i].Nanoseconds())/1e3)
		}
	}
	return us
}
