package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/checksum"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/figure"
	"github.com/plumbline-ml/plumbline/bench/system"
	"github.com/plumbline-ml/plumbline/bench/tune"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
)

// tuning is one search and what it found so far.
type tuning struct {
	*app
	plan    *bench.Plan
	flags   *tuneFlags
	bench   *tune.Bench
	machine system.Info
	status  *live.Status

	path    string // where the profile goes
	profile tune.Profile
	changed bool // since it was read
	// points and trials are what was measured, whether the search came to its end or not.
	points []tune.Point
	trials []tune.Trial
	noRate bool // the search of the rate came to its end without one
}

// tuneSamples are enough to measure the throughput with: each test loads them anew.
const tuneSamples = 64

func (a *app) newTuning(p *bench.Plan, f *tuneFlags) (*tuning, error) {
	sum, _, err := checksum.File(p.Served.Path)
	if err != nil {
		return nil, exitcode.With(exitcode.Plugin, err)
	}
	t := &tuning{app: a, plan: p, flags: f, machine: system.Describe(a.Root)}
	t.status = live.NewStatus(a.console, a.Terminal, a.Width)
	t.bench = &tune.Bench{
		Launcher: a.Plugins, Launch: bench.Inherit(f.launch, p.Options.BackendOptions), Binary: p.Served.Path, Options: p.Options, OfflineCount: few(p),
	}
	subject := a.tuneSubject(p)
	t.profile = tune.Profile{For: subject.Key, Machine: subject.Machine, PluginSHA256: sum, Measured: a.Now().UTC()}
	store, err := a.profiles()
	if err != nil && f.file == "" {
		return nil, err
	}
	if t.path = f.file; t.path == "" {
		t.path = store.Path(subject.Key, subject.Machine)
	}
	if err := f.savable(t.path); err != nil {
		return nil, exitcode.With(exitcode.Usage, err)
	}
	t.keep()
	return t, nil
}

// savable sees before the search whether the profile can be written where it is to go, and that it replaces no file of the
// user's that is none.
func (t *tuneFlags) savable(path string) error {
	if err := writable(filepath.Dir(path)); err != nil {
		return fmt.Errorf("the profile cannot be written to %s: %w; name another file with --tuning", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("the profile cannot be written to %s: it is a folder; name a file with --tuning", path)
	}
	if t.file == "" {
		return nil // the harness's own file, whatever it holds
	}
	if _, err := tune.Load(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--tuning %s: it is not replaced, since it is no profile: remove it, or name another file (%w)", path, err)
	}
	return nil
}

// keep takes over what is in the profile already, where it is of the same plugin and machine: a search of one scenario
// replaces that one.
func (t *tuning) keep() {
	old, err := tune.Load(t.path)
	if err == nil && old.For.Same(t.profile.For) && old.Machine == t.profile.Machine && old.PluginSHA256 == t.profile.PluginSHA256 {
		t.profile.Offline, t.profile.Server = old.Offline, old.Server
	}
}

// few is how many samples of the data set Offline tests use, 0 for all of one that may be smaller.
func few(p *bench.Plan) int {
	if p.Options.Count > 0 {
		return 0
	}
	for _, d := range p.Served.Model.Datasets {
		if p.Options.Dataset != "" || d.Embedded && d.Samples > tuneSamples {
			return tuneSamples
		}
	}
	return 0
}

// offline searches the grid.
func (t *tuning) offline(ctx context.Context) error {
	grid, err := t.grid(ctx)
	if err != nil {
		return err
	}
	tests := 0
	search := tune.Search{
		Measure: func(ctx context.Context, s tune.Setting, d time.Duration) (float64, error) {
			tests++
			t.say("Offline, test %d: %v", tests, s)
			return t.bench.Measure(ctx, s, d)
		},
		Time: t.flags.time, Exhaustive: t.flags.exhaustive,
	}
	found, err := search.Run(ctx, grid)
	t.status.Clear()
	t.points = found.Points
	if err != nil {
		return err
	}
	best := found.Points[0]
	t.profile.Offline = &tune.Offline{Setting: best.Setting, SamplesPerSecond: best.SamplesPerSecond, Decided: found.Decided, Points: found.Points}
	t.changed = true
	return nil
}

func (t *tuning) say(format string, args ...any) {
	t.status.Set(fmt.Sprintf("tuning "+format, args...))
}

// grid is what flags say, else the default one; with threads if the backend takes a number of them.
func (t *tuning) grid(ctx context.Context) ([]tune.Setting, error) {
	_, err := t.bench.Opens(ctx, tune.Setting{Threads: 1}, loadgen.Offline)
	takes := err == nil
	asked := len(t.flags.threads) > 0
	switch {
	case err != nil && !errors.Is(err, sdk.ErrUsage):
		return nil, bench.OpenError(err)
	case err != nil && asked:
		return nil, exitcode.With(exitcode.Usage, fmt.Errorf("--try-threads: the backend takes no number of threads: %w", err))
	}
	if !asked && len(t.flags.sessions) == 0 {
		return t.enough(tune.DefaultGrid(t.flags.batches, t.machine.MaxProcs, takes)), nil
	}
	sessions := t.flags.sessions
	if len(sessions) == 0 {
		sessions = tune.Doublings(t.machine.MaxProcs)
	}
	return tune.Grid(t.flags.batches, sessions, t.flags.threads), nil
}

// enough drops settings with fewer sessions than devices.
func (t *tuning) enough(grid []tune.Setting) []tune.Setting {
	return slices.DeleteFunc(grid, func(s tune.Setting) bool { return s.Sessions > 0 && s.Sessions < len(t.plan.Options.Devices) })
}

// probeTests is how many times longer than a test of a setting a run of the Server search is, where its settings want more.
const probeTests = 5

// server searches the highest VALID rate.
func (t *tuning) server(ctx context.Context, r *bench.PlannedRun) error {
	s := tune.ServerSearch{
		Bench: t.bench, Settings: r.Settings.TestSettings, ProbeTime: probeTests * t.flags.time,
		Next: func(s tune.Setting, qps float64) { t.say("Server at %s queries/s: %v", figure.Round(qps), s) },
	}
	var points []tune.Point
	if t.profile.Offline != nil {
		points = t.profile.Offline.Points
	}
	found, err := s.Run(ctx, tune.ServerSettings(points, tune.LimitsOf(s.Settings).First()), s.Settings.ServerTargetQPS)
	t.status.Clear()
	t.trials = found.Trials
	switch {
	case errors.Is(err, tune.ErrNoRate): // the rate of an earlier search stays: it was VALID once
		t.noRate = true
		return nil
	case err != nil:
		return err
	}
	t.profile.Server, t.changed = &found, true
	return nil
}

// tuneSubject is the run of a plan that looks for its profile.
func (a *app) tuneSubject(p *bench.Plan) tune.Subject {
	info := system.Describe(a.Root)
	return tune.Subject{
		Key: p.Key(), Machine: tune.Machine{CPU: info.CPU, Cores: info.MaxProcs},
		PluginSHA256: sync.OnceValues(func() (string, error) {
			sum, _, err := checksum.File(p.Served.Path)
			return sum, exitcode.With(exitcode.Plugin, err)
		}),
	}
}
