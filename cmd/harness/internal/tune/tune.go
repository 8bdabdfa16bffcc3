// Package tune measures which batch size and how many sessions are fastest, and keeps the answer in a file that runs use.
//
// In: the grid, short Offline tests, the file. Out: what a batch or a session is (the plugin's).
package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plugin"
)

// Setting is a point of the grid. A zero leaves the choice to the backend.
type Setting struct {
	Batch    int `json:"batch"`
	Sessions int `json:"sessions"`
	Threads  int `json:"threads,omitempty"`
}

// Point is what was measured at a setting.
type Point struct {
	Setting
	SamplesPerSecond float64 `json:"samples_per_second"` // of the best of its tests
}

// Grid is every combination of the values.
func Grid(batches, sessions, threads []int) []Setting {
	if len(threads) == 0 {
		threads = []int{0}
	}
	var grid []Setting
	for _, t := range threads {
		for _, s := range sessions {
			for _, b := range batches {
				grid = append(grid, Setting{b, s, t})
			}
		}
	}
	return grid
}

// Search measures settings of one workload.
type Search struct {
	Launcher plugin.Launcher
	Launch   host.LaunchOptions
	Binary   string
	Options  sdk.Options // but for the setting and the scenario
	// Time is how long a test takes at least.
	Time time.Duration
	// Report, if not nil, sees each point when it was measured.
	Report func(Point)
}

const (
	// finalists are measured once more, in the reverse order: what else the machine did weighs less then.
	finalists = 3
	// firstRate is the rate that the first test is sized for, in samples per second.
	firstRate = 50
	// mostGrowth bounds how much larger a test is than the one before it, where that was too short to tell the rate.
	mostGrowth = 50
)

// Run measures the grid and then its best points again. It returns the points, best first.
func (s Search) Run(ctx context.Context, grid []Setting) ([]Point, error) {
	points := make([]Point, 0, len(grid))
	rate := float64(firstRate)
	for _, setting := range grid {
		p, err := s.point(ctx, setting, rate)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
		rate = p.SamplesPerSecond
	}
	rank(points)
	again := points[:min(finalists, len(points))]
	for i := len(again) - 1; i >= 0; i-- {
		p, err := s.point(ctx, again[i].Setting, again[i].SamplesPerSecond)
		if err != nil {
			return nil, err
		}
		again[i].SamplesPerSecond = max(again[i].SamplesPerSecond, p.SamplesPerSecond)
	}
	rank(points)
	return points, nil
}

// rank sorts the fastest first; of equals the smaller setting.
func rank(points []Point) {
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(b.SamplesPerSecond, a.SamplesPerSecond) })
}

// point opens the workload at a setting and measures it. rate is what is expected, in samples per second.
func (s Search) point(ctx context.Context, setting Setting, rate float64) (Point, error) {
	pl, err := s.Launcher.Launch(ctx, s.Binary, s.Launch)
	if err != nil {
		return Point{}, err
	}
	defer pl.Close()
	ctx, cancel := pl.Context(ctx)
	defer cancel()
	o := s.Options
	o.Scenario, o.Batch, o.Sessions = loadgen.Offline, setting.Batch, setting.Sessions
	o.BackendOptions = withThreads(o.BackendOptions, setting.Threads)
	w, err := pl.Open(ctx, o)
	if err != nil {
		return Point{}, fmt.Errorf("batch %d, %d sessions: %w", setting.Batch, setting.Sessions, err)
	}
	defer w.Close()
	p := Point{Setting: setting}
	for {
		res, err := loadgen.StartTest(ctx, w.SUT(), w.QSL(), s.settings(rate), loadgen.LogSettings{})
		if err != nil {
			return p, err
		}
		if !(res.SamplesPerSec > 0) {
			return p, errors.New("no sample was answered")
		}
		p.SamplesPerSecond = res.SamplesPerSec
		if res.Duration >= s.Time*3/4 {
			break
		}
		rate = min(res.SamplesPerSec*1.1, rate*mostGrowth)
	}
	if s.Report != nil {
		s.Report(p)
	}
	return p, nil
}

// withThreads are the options with that number of threads, unless it is 0.
func withThreads(options map[string]string, threads int) map[string]string {
	if threads == 0 {
		return options
	}
	all := map[string]string{}
	maps.Copy(all, options)
	all["threads"] = strconv.Itoa(threads)
	return all
}

// settings are those of an Offline test of s.Time at the rate.
func (s Search) settings(rate float64) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = loadgen.Offline, loadgen.PerformanceOnly
	t.OfflineExpectedQPS, t.MinDuration, t.MinQueryCount = rate, s.Time, 1
	return t
}
