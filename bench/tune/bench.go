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

// Bench measures settings of one workload. It opens them one after another in the same plugin process, because a
// process for each takes 0.1 s longer and yields the same measurements. After a failure or Close, it starts another
// process.
type Bench struct {
	Launcher plugin.Launcher
	Launch   host.LaunchOptions
	Binary   string
	// Options contains the options to open, except the setting and the scenario.
	Options sdk.Options
	// OfflineCount is the number of samples of the data set that Offline tests use; 0: as in Options. Each test loads them
	// again.
	OfflineCount int

	process plugin.Plugin
	running plugin.Running // contains process, for Kill
	rates   map[Setting]float64
	last    float64 // the last measured rate
}

const (
	// firstRate is the assumed rate of the first test, in samples per second.
	firstRate = 50
	// maxGrowth is the maximum ratio of the sizes of a test and a previous test that was too short to measure the rate.
	maxGrowth = 50
	// longEnough is the minimum share of the requested time after which a test's rate is valid.
	longEnough = 0.6
	// minRuns is the minimum number of batches for each session in a test.
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

// Kill ends the plugin process immediately, if there is one. It may be called from any goroutine.
func (b *Bench) Kill() { b.running.Kill() }

// Measure implements Measure with an Offline test of about d. It repeats a test that turns out much shorter.
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

// expectedRate returns the expected rate of a setting: its measured rate, or else the last measured rate of another
// setting.
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

// offlineTest returns the settings of an Offline test that takes about d at a rate. Its samples fill the batches of all
// sessions. If the model is on a server and the number of requests is not set, the samples are those that the server
// processes in d.
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

// Serve runs a Server test with a setting. It stops as soon as the run can only be INVALID.
func (b *Bench) Serve(ctx context.Context, s Setting, t loadgen.TestSettings) (res *loadgen.Result, err error) {
	err = b.withWorkload(ctx, s, loadgen.Server, func(ctx context.Context, w plugin.Workload) error {
		res, err = loadgen.StartTest(ctx, w.SUT(), w.QSL(), t, loadgen.LogSettings{AbortEarly: true})
		return err
	})
	return res, err
}

// Opens checks whether a setting can be opened for a scenario, and returns the description of the opened workload.
func (b *Bench) Opens(ctx context.Context, s Setting, scenario loadgen.Scenario) (info sdk.WorkloadInfo, err error) {
	err = b.withWorkload(ctx, s, scenario, func(_ context.Context, w plugin.Workload) error {
		info = w.Info()
		return nil
	})
	return info, err
}

// withWorkload opens the workload with a setting, calls use and closes the workload. After a failure it ends the
// process.
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
			err = cause // report the cause instead of an error that followed from it
		}
		if err != nil {
			b.Close()
		}
	}()
	w, err := b.process.Open(pctx, b.openOptions(s, scenario))
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // a failure does not affect the measurement
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

// On returns the options with the setting applied. Options that the setting leaves to the plugin stay unchanged.
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

// ThreadsOption and RequestsOption are the names of the backend's options for Setting.Threads and Setting.Requests.
const (
	ThreadsOption  = "threads"
	RequestsOption = "concurrency"
)
