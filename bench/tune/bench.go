package tune

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// Bench measures settings of one workload. It opens them one after the other in one plugin process: a process for each
// takes 0.1 s more and measures the same. After a failure, or Close, it starts another one.
type Bench struct {
	Launcher plugin.Launcher
	Launch   host.LaunchOptions
	Binary   string
	// Options are what is opened, but for the setting and the scenario.
	Options sdk.Options
	// OfflineCount is how many samples of the data set Offline tests use, 0: as Options say. Each test loads them anew.
	OfflineCount int

	process plugin.Plugin
	running plugin.Running // the same, for Kill
	rates   map[Setting]float64
	last    float64 // the rate measured last
}

const (
	// firstRate is the rate that the first test is sized for, in samples per second.
	firstRate = 50
	// maxGrowth bounds how much larger a test is than the one before it, where that was too short to tell the rate.
	maxGrowth = 50
	// longEnough is the share of the time asked for from which a test tells the rate.
	longEnough = 0.6
	// minRuns is how many batches each session runs in a test at least.
	minRuns = 2
)

// Close ends the plugin process. The bench can be used again.
func (b *Bench) Close() {
	if b.process == nil {
		return
	}
	b.process.Close()
	b.process = nil
	b.running.Hold(nil)
}

// Kill ends the plugin process at once, if there is one. Any goroutine may call it.
func (b *Bench) Kill() { b.running.Kill() }

// Measure implements Measure: an Offline test of about d. It repeats one that turns out much shorter.
func (b *Bench) Measure(ctx context.Context, s Setting, d time.Duration) (rate float64, err error) {
	err = b.withWorkload(ctx, s, loadgen.Offline, func(ctx context.Context, w plugin.Workload) error {
		rate, err = b.measureOffline(ctx, s, w, d)
		return err
	})
	return rate, err
}

func (b *Bench) measureOffline(ctx context.Context, s Setting, w plugin.Workload, d time.Duration) (float64, error) {
	rate := b.expectedRate(s)
	for {
		res, err := loadgen.StartTest(ctx, w.SUT(), w.QSL(), offlineTest(w.Info(), s, rate, d), loadgen.LogSettings{})
		if err != nil {
			return 0, err
		}
		if !(res.SamplesPerSec > 0) {
			return 0, errors.New("no sample was answered")
		}
		b.noteRate(s, res.SamplesPerSec)
		if res.Duration.Seconds() >= longEnough*d.Seconds() {
			return res.SamplesPerSec, nil
		}
		rate = min(1.1*res.SamplesPerSec, maxGrowth*rate)
	}
}

// expectedRate is about how fast a setting is: what it was, else what another one was.
func (b *Bench) expectedRate(s Setting) float64 {
	if rate := b.rates[s]; rate > 0 {
		return rate
	}
	if b.last > 0 {
		return b.last
	}
	return firstRate
}

func (b *Bench) noteRate(s Setting, rate float64) {
	if b.rates == nil {
		b.rates = map[Setting]float64{}
	}
	b.rates[s], b.last = rate, rate
}

// offlineTest are the settings of an Offline test of about d at a rate: its samples fill the batches of all sessions.
// At a server that may have many requests in flight, and was not asked for a number, they are what it does in d.
func offlineTest(w sdk.WorkloadInfo, s Setting, rate float64, d time.Duration) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = loadgen.Offline, loadgen.PerformanceOnly
	together := max(w.Batch, 1) * max(w.Sessions, 1)
	if len(w.Nodes) > 0 && s.Requests == 0 {
		together = min(together, max(w.Batch, int(rate*d.Seconds()/minRuns), 1))
	}
	runs := max(minRuns, int(rate*d.Seconds()/float64(together))+1)
	t.OfflineExpectedQPS, t.MinDuration, t.MinQueryCount = 1, time.Millisecond, uint64(runs*together)
	return t
}

// Serve runs a Server test on a setting. It ends early where it can only end INVALID.
func (b *Bench) Serve(ctx context.Context, s Setting, t loadgen.TestSettings) (res *loadgen.Result, err error) {
	err = b.withWorkload(ctx, s, loadgen.Server, func(ctx context.Context, w plugin.Workload) error {
		res, err = loadgen.StartTest(ctx, w.SUT(), w.QSL(), t, loadgen.LogSettings{AbortEarly: true})
		return err
	})
	return res, err
}

// Opens checks whether a setting can be opened for a scenario, and returns the opened workload's facts.
func (b *Bench) Opens(ctx context.Context, s Setting, scenario loadgen.Scenario) (info sdk.WorkloadInfo, err error) {
	err = b.withWorkload(ctx, s, scenario, func(_ context.Context, w plugin.Workload) error {
		info = w.Info()
		return nil
	})
	return info, err
}

// withWorkload opens the workload at a setting for as long as use does. A process in which something failed is ended.
func (b *Bench) withWorkload(ctx context.Context, s Setting, scenario loadgen.Scenario,
	use func(context.Context, plugin.Workload) error) (err error) {
	if b.process == nil {
		if b.process, err = b.Launcher.Launch(ctx, b.Binary, b.Launch); err != nil {
			b.process = nil
			return err
		}
		b.running.Hold(b.process)
	}
	pctx, cancel := b.process.Context(ctx)
	defer cancel()
	defer func() {
		var failed *host.PluginError
		if cause := context.Cause(pctx); ctx.Err() == nil && errors.As(cause, &failed) {
			err = cause // the reason, not what followed from it
		}
		if err != nil {
			b.Close()
		}
	}()
	w, err := b.process.Open(pctx, b.openOptions(s, scenario))
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // what was measured stands
	return use(pctx, w)
}

func (b *Bench) openOptions(s Setting, scenario loadgen.Scenario) sdk.Options {
	o := s.On(b.Options)
	o.Scenario = scenario
	if scenario == loadgen.Offline && b.OfflineCount > 0 {
		o.Count = b.OfflineCount
	}
	return o
}

// On returns the options with the setting applied; options that the setting leaves to the plugin stay unchanged.
func (s Setting) On(o sdk.Options) sdk.Options {
	if s.Batch > 0 {
		o.Batch = s.Batch
	}
	if s.Sessions > 0 {
		o.Sessions = s.Sessions
	}
	all := map[string]string{}
	maps.Copy(all, o.BackendOptions)
	for option, n := range map[string]int{ThreadsOption: s.Threads, RequestsOption: s.Requests} {
		if n > 0 {
			all[option], o.BackendOptions = strconv.Itoa(n), all
		}
	}
	return o
}

// ThreadsOption and RequestsOption are the backend's options that Setting.Threads and Setting.Requests are given as.
const (
	ThreadsOption  = "threads"
	RequestsOption = "concurrency"
)
