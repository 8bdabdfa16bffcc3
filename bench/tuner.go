package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// TuneRequest describes the search for the settings with which Offline is fastest and Server has its highest VALID
// rate.
type TuneRequest struct {
	// Request contains the model, its data and the settings with which a rate is confirmed. Load.Scenarios contains
	// Offline, Server or both. Model.Tuning is the file for the profile; by default, it is a file in the folder
	// Model.Profiles. Load.Mode, Output.Dir, Model.Batch, Model.Sessions and the options of single runs are not used.
	Request
	// The settings to try: batch sizes, which must not be empty; numbers of sessions, by default 1, 2, 4, ... up to the
	// number of cores; the backend's threads per session, by default the cores divided by the sessions, and half of that.
	Batches, Sessions, Threads []int
	// Requests contains the numbers of requests in flight to try if the model is on a server, which does not use this
	// machine's sessions or threads; by default 1, 2, 4, ... 256.
	Requests   []int
	Time       time.Duration // duration of the longest tests of a setting
	Exhaustive bool          // measure every setting three times with the longest tests
	// Testing, if not nil, is called with the next measurement. An empty text means that measuring has paused.
	Testing func(what string)
}

// Tuned is the result of a search, with its measurements.
type Tuned struct {
	Profile  tune.Profile
	Path     string // path of the profile
	Found    bool   // the profile contains new results
	Written  bool   // the profile was written to Path
	Complete bool   // the search finished
	NoRate   bool   // the search of the rate finished without a rate
	Points   []tune.Point
	Trials   []tune.Trial
}

// Tuner searches for one plan.
type Tuner struct {
	Plan    *Plan
	request TuneRequest
	bench   *tune.Bench
	machine system.Info
	remote  bool // the model is on a server
	found   Tuned
}

// tuneSamples is a sufficient number of samples to measure the throughput. It is small because each test loads them
// again.
const tuneSamples = 64

// Tune searches and writes the results to a profile, which later runs with the same folder Model.Profiles use. After an
// error, the profile contains the earlier results. The error is a fault of the request, the reason for the early end of
// the search, or a failure to write the profile.
func Tune(ctx context.Context, r TuneRequest) (Tuned, error) {
	t, err := NewTuner(ctx, r)
	if err != nil {
		return Tuned{}, err
	}
	return t.Search(ctx)
}

// NewTuner plans a search without measuring.
func NewTuner(ctx context.Context, r TuneRequest) (*Tuner, error) {
	if err := r.checkNumbers(); err != nil {
		return nil, sdk.Usage(err)
	}
	path := r.Model.Tuning
	r.Load.Mode, r.Model.Tuning = ModePerformance, NoTuning
	p, err := NewPlan(ctx, r.Request)
	if err != nil {
		return nil, err
	}
	r.Model.Tuning = path
	p.Runs = slices.DeleteFunc(p.Runs, func(r PlannedRun) bool {
		return r.Scenario != loadgen.Offline && r.Scenario != loadgen.Server
	})
	if len(p.Runs) == 0 {
		return nil, sdk.Usage(fmt.Errorf(
			"%s: tune measures Offline and Server, and neither is among its scenarios or those asked for", p.Served.Model.Name))
	}
	t := &Tuner{Plan: p, request: r, machine: r.Described()}
	return t, t.prepareSearch()
}

// checkNumbers requires numbers above 0.
func (r TuneRequest) checkNumbers() error {
	var faults []error
	for _, l := range []struct {
		flag  string
		list  []int
		empty bool // the list may be empty
	}{{"--try-batch", r.Batches, false}, {"--try-sessions", r.Sessions, true}, {"--try-threads", r.Threads, true},
		{"--try-requests", r.Requests, true}} {
		if len(l.list) == 0 && !l.empty || slices.ContainsFunc(l.list, func(n int) bool { return n < 1 }) {
			faults = append(faults, fmt.Errorf("%s %v: want numbers above 0", l.flag, l.list))
		}
	}
	if r.Model.Tuning == NoTuning {
		faults = append(faults, fmt.Errorf("--tuning %s: want the file to write the profile to; %[1]s is for harness run",
			r.Model.Tuning))
	}
	if r.Time <= 0 {
		faults = append(faults, fmt.Errorf("--time %v: want a duration above 0", r.Time))
	}
	for _, o := range r.Model.BackendOptions {
		if key, _, _ := strings.Cut(o, "="); key == tune.ThreadsOption {
			faults = append(faults, fmt.Errorf("--backend-opt %s: it is searched; give --try-threads", o))
		}
	}
	return errors.Join(faults...)
}

// prepareSearch creates the bench and loads an existing profile.
func (t *Tuner) prepareSearch() error {
	p, r := t.Plan, t.request
	t.bench = &tune.Bench{
		Launcher: r.Plugins.Starter(), Launch: plan.Inherit(p.Launch, p.Options),
		Binary: p.Served.Path, Options: p.Options, OfflineCount: offlineSamples(p),
	}
	subject := p.Subject(r.Request)
	sum, err := subject.PluginSHA256()
	if err != nil {
		return err
	}
	t.found.Profile = tune.Profile{
		For: subject.Key, Machine: subject.Machine, PluginSHA256: sum, Measured: r.Clock().UTC(),
	}
	if t.found.Path = r.Model.Tuning; t.found.Path == "" {
		if r.Model.Profiles == "" {
			return sdk.Usage(errors.New("no folder for the profile: name its file with --tuning"))
		}
		t.found.Path = tune.Store{Dir: r.Model.Profiles}.Path(subject.Key, subject.Machine)
	}
	if err := r.checkWritable(t.found.Path); err != nil {
		return sdk.Usage(err)
	}
	t.keepResults()
	return nil
}

// checkWritable checks before the search that the profile can be written to path and does not replace a file that is
// not a profile.
func (r TuneRequest) checkWritable(path string) error {
	if err := wholefile.CheckWritable(filepath.Dir(path)); err != nil {
		return fmt.Errorf("the profile cannot be written to %s: %w; name another file with --tuning", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("the profile cannot be written to %s: it is a folder; name a file with --tuning", path)
	}
	if r.Model.Tuning == "" {
		return nil // the harness's own file, which may be replaced
	}
	if _, err := tune.Load(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--tuning %s: it is not replaced, since it is no profile: remove it, or name another file (%w)",
			path, err)
	}
	return nil
}

// keepResults copies existing results of the profile if they are from the same plugin and machine. A search of one
// scenario replaces only that scenario's results.
func (t *Tuner) keepResults() {
	f := &t.found.Profile
	old, err := tune.Load(t.found.Path)
	if err == nil && old.For.Same(f.For) && old.Machine == f.Machine && old.PluginSHA256 == f.PluginSHA256 {
		f.Offline, f.Server = old.Offline, old.Server
	}
}

// offlineSamples returns the number of samples that Offline tests use, or 0 for all samples of a data set that may be
// smaller.
func offlineSamples(p *Plan) int {
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

// Kill ends the measured plugin immediately. It may be called from any goroutine.
func (t *Tuner) Kill() { t.bench.Kill() }

// Search makes the requested measurements once, like Tune.
func (t *Tuner) Search(ctx context.Context) (Tuned, error) {
	defer t.bench.Close()
	err := t.runSearch(ctx)
	t.found.Complete = err == nil
	if t.found.Found {
		saved := sdk.Usage(t.found.Profile.Save(t.found.Path))
		t.found.Written = saved == nil
		err = errors.Join(err, saved)
	}
	return t.found, err
}

func (t *Tuner) runSearch(ctx context.Context) error {
	if err := t.checkWorkload(ctx); err != nil {
		return fmt.Errorf("opening %s: %w", t.Plan.Served.Model.Name, exitcode.OrData(err))
	}
	if t.findRun(loadgen.Offline) != nil {
		if err := t.searchOffline(ctx); err != nil {
			return err
		}
	}
	if r := t.findRun(loadgen.Server); r != nil {
		return t.searchServer(ctx, r)
	}
	return nil
}

// checkWorkload checks whether the workload can be opened. If the plugin refuses a part of the data set, which may be
// smaller, the tests use the whole data set. They do not if the plugin died or hung, because loading the whole data set
// in each test could take minutes.
func (t *Tuner) checkWorkload(ctx context.Context) error {
	info, err := t.bench.Opens(ctx, tune.Setting{}, loadgen.Offline)
	var failed *host.PluginError
	if t.bench.OfflineCount > 0 && err != nil && !errors.As(err, &failed) && ctx.Err() == nil {
		t.bench.OfflineCount = 0
		info, err = t.bench.Opens(ctx, tune.Setting{}, loadgen.Offline)
	}
	t.remote = len(info.Nodes) > 0
	return err
}

// findRun returns the plan's run of a scenario, or nil.
func (t *Tuner) findRun(s loadgen.Scenario) *PlannedRun {
	for i := range t.Plan.Runs {
		if t.Plan.Runs[i].Scenario == s {
			return &t.Plan.Runs[i]
		}
	}
	return nil
}

// searchOffline searches the grid.
func (t *Tuner) searchOffline(ctx context.Context) error {
	grid, err := t.buildGrid(ctx)
	if err != nil {
		return err
	}
	tests := 0
	search := tune.Search{
		Measure: func(ctx context.Context, s tune.Setting, d time.Duration) (float64, error) {
			tests++
			t.reportTesting("Offline, test %d: %v", tests, s)
			return t.bench.Measure(ctx, s, d)
		},
		Time: t.request.Time, Exhaustive: t.request.Exhaustive,
	}
	found, err := search.Run(ctx, grid)
	t.reportTesting("")
	t.found.Points = found.Points
	if err != nil {
		return err
	}
	best := found.Points[0]
	t.found.Profile.Offline = &tune.Offline{
		Setting: best.Setting, SamplesPerSecond: best.SamplesPerSecond, Decided: found.Decided, Points: found.Points,
	}
	t.found.Found = true
	return nil
}

func (t *Tuner) reportTesting(format string, args ...any) {
	if t.request.Testing != nil {
		t.request.Testing(fmt.Sprintf(format, args...))
	}
}

// buildGrid returns the requested grid or the default one. It includes numbers of threads if the backend accepts them.
func (t *Tuner) buildGrid(ctx context.Context) ([]tune.Setting, error) {
	if t.remote {
		return t.buildRemoteGrid(ctx)
	}
	if len(t.request.Requests) > 0 {
		return nil, sdk.Usage(errors.New("--try-requests: the model runs on this machine: give --try-sessions"))
	}
	_, err := t.bench.Opens(ctx, tune.Setting{Threads: 1}, loadgen.Offline)
	takes, r := err == nil, t.request
	asked := len(r.Threads) > 0
	switch {
	case err != nil && !errors.Is(err, sdk.ErrUsage):
		return nil, exitcode.OrData(err)
	case err != nil && asked:
		return nil, sdk.Usage(fmt.Errorf("--try-threads: the backend takes no number of threads: %w", err))
	}
	if !asked && len(r.Sessions) == 0 {
		return t.dropTooFewSessions(tune.DefaultGrid(r.Batches, t.machine.MaxProcs, takes)), nil
	}
	sessions := r.Sessions
	if len(sessions) == 0 {
		sessions = tune.Doublings(t.machine.MaxProcs)
	}
	return tune.Grid(r.Batches, sessions, r.Threads), nil
}

// buildRemoteGrid returns a grid of requests in flight, with several samples each if the backend can combine them.
func (t *Tuner) buildRemoteGrid(ctx context.Context) ([]tune.Setting, error) {
	r := t.request
	if len(r.Sessions)+len(r.Threads) > 0 {
		return nil, sdk.Usage(errors.New("--try-sessions, --try-threads: the model is at a server, and not in sessions of " +
			"this machine: give --try-requests"))
	}
	if _, ok := t.Plan.Options.BackendOptions[tune.RequestsOption]; ok {
		return nil, sdk.Usage(fmt.Errorf("--backend-opt %s: it is searched; give --try-requests", tune.RequestsOption))
	}
	const several = 2
	info, err := t.bench.Opens(ctx, tune.Setting{Batch: several, Requests: 1}, loadgen.Offline)
	if errors.Is(err, sdk.ErrUsage) {
		return nil, fmt.Errorf("the backend takes no number of requests in flight (option %s): %w", tune.RequestsOption, err)
	}
	if err != nil {
		return nil, exitcode.OrData(err)
	}
	batches, requests := r.Batches, r.Requests
	if info.Batch != several {
		batches = nil
	}
	if len(requests) == 0 {
		requests = tune.DefaultRequests()
	}
	return tune.RemoteGrid(batches, requests), nil
}

// dropTooFewSessions removes settings with fewer sessions than devices.
func (t *Tuner) dropTooFewSessions(grid []tune.Setting) []tune.Setting {
	devices := len(t.Plan.Options.Devices)
	return slices.DeleteFunc(grid, func(s tune.Setting) bool { return s.Sessions > 0 && s.Sessions < devices })
}

// probeFactor is the ratio of the durations of a run in the Server search and a test of a setting, unless the settings
// require less.
const probeFactor = 5

// searchServer searches for the highest VALID rate.
func (t *Tuner) searchServer(ctx context.Context, r *PlannedRun) error {
	s := tune.ServerSearch{
		Bench: t.bench, Settings: r.Settings.TestSettings, ProbeTime: probeFactor * t.request.Time,
		MeasureTime: t.request.Time,
		Next: func(s tune.Setting, qps float64) {
			if qps == 0 {
				t.reportTesting("Offline, for the rate to begin with: %v", s)
				return
			}
			t.reportTesting("Server at %s queries/s: %v", figure.Round(qps), s)
		},
	}
	var points []tune.Point
	if t.found.Profile.Offline != nil {
		points = t.found.Profile.Offline.Points
	}
	settings := tune.ServerSettings(points, tune.LimitsOf(s.Settings).First())
	found, err := s.Run(ctx, settings)
	t.reportTesting("")
	t.found.Trials = found.Trials
	switch {
	case errors.Is(err, tune.ErrNoRate): // keep the rate of an earlier search, which was VALID once
		t.found.NoRate = true
		return nil
	case err != nil:
		return err
	}
	t.found.Profile.Server, t.found.Found = &found, true
	return nil
}
