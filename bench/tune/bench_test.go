package tune

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

func bench(f *plugintest.Fake) *Bench {
	return &Bench{
		Launcher: plugintest.New(map[string]*plugintest.Fake{"x": f}), Binary: host.BinaryPrefix + "x",
		Options: sdk.Options{Model: "resnet50", Count: 50, BackendOptions: map[string]string{"lib": "l"}}, OfflineCount: 10,
	}
}

// counting counts the plugins that a launcher starts.
type counting struct {
	plugin.Launcher
	launched int
}

func (c *counting) Launch(ctx context.Context, path string, o host.LaunchOptions) (plugin.Plugin, error) {
	c.launched++
	return c.Launcher.Launch(ctx, path, o)
}

// The plugin receives the settings one after another in one process.
func TestBench(t *testing.T) {
	f := plugintest.Classifier()
	b := bench(f)
	launcher := &counting{Launcher: b.Launcher}
	b.Launcher = launcher
	for _, s := range []Setting{{4, 2, 3, 0}, {1, 1, 0, 0}} {
		if rate, err := b.Measure(t.Context(), s, time.Millisecond); err != nil || !(rate > 0) {
			t.Errorf("%v: %v samples/s, %v", s, rate, err)
		}
	}
	settings := loadgen.DefaultTestSettings()
	settings.Scenario, settings.Mode, settings.MinDuration, settings.ServerTargetQPS = loadgen.Server,
		loadgen.PerformanceOnly, time.Millisecond, 1e5
	if res, err := b.Serve(t.Context(), Setting{2, 0, 0, 0}, settings); err != nil || res.Effective.TargetQPS != 1e5 {
		t.Errorf("%+v, %v", res, err)
	}
	opened := f.Opened()
	first, second, third := opened[0], opened[1], opened[2]
	if first.Scenario != loadgen.Offline || first.Batch != 4 || first.Sessions != 2 ||
		first.BackendOptions["threads"] != "3" || first.BackendOptions["lib"] != "l" || first.Count != 10 {
		t.Errorf("opened %+v", first)
	}
	if _, ok := second.BackendOptions["threads"]; ok || second.Batch != 1 {
		t.Errorf("opened %+v", second)
	}
	if third.Scenario != loadgen.Server || third.Batch != 2 || third.Sessions != 0 || third.Count != 50 {
		t.Errorf("opened %+v", third)
	}
	b.Close()
	b.Close()
	b.Kill() // no plugin is running
	if launcher.launched != 1 || f.Running() != 0 {
		t.Errorf("%d processes started, %d left; want one, and none", launcher.launched, f.Running())
	}
}

// A setting that fails ends its process but not the bench.
func TestBenchAfterAFailure(t *testing.T) {
	f := plugintest.Classifier()
	b := bench(f)
	defer b.Close()
	f.OpenErr = errors.New("no memory for it")
	if _, err := b.Opens(t.Context(), Setting{}, loadgen.Offline); !errors.Is(err, f.OpenErr) || f.Running() != 0 {
		t.Errorf("error %v, %d processes left", err, f.Running())
	}
	f.OpenErr, f.DieAfter = nil, 1
	var died *host.PluginError
	if _, err := b.Measure(t.Context(), Setting{}, time.Millisecond); !errors.As(err, &died) ||
		died.Kind != host.KindDied || f.Running() != 0 {
		t.Errorf("error %v, %d processes left", err, f.Running())
	}
	f.DieAfter = 0
	if _, err := b.Measure(t.Context(), Setting{}, time.Millisecond); err != nil {
		t.Errorf("error %v after a failure", err)
	}
	f.LaunchErr = errors.New("no such binary")
	b.Close()
	if _, err := b.Opens(t.Context(), Setting{}, loadgen.Offline); !errors.Is(err, f.LaunchErr) {
		t.Errorf("error %v", err)
	}
}

func TestInterruptedBench(t *testing.T) {
	f := plugintest.Classifier()
	ctx, cancel := context.WithCancelCause(t.Context())
	f.HoldAfter, f.OnHold = 1, func() { cancel(loadgen.ErrInterrupted) }
	b := bench(f)
	if _, err := b.Measure(ctx, Setting{}, time.Millisecond); !errors.Is(err, loadgen.ErrInterrupted) || f.Running() != 0 {
		t.Errorf("error %v, %d processes left", err, f.Running())
	}
}

// A server that accepts a thousand concurrent requests does not receive two thousand samples for a first estimate of
// its rate, unless the setting requires that number.
func TestOfflineTestAtAServer(t *testing.T) {
	w := sdk.WorkloadInfo{Batch: 1, Sessions: 1024, Nodes: []sdk.NodeInfo{{Address: "10.0.0.1:8000"}}}
	for requests, want := range map[int]uint64{0: 150, 1024: 2048} {
		if got := offlineTest(w, Setting{Requests: requests}, 50, 2*time.Second); got.MinQueryCount != want {
			t.Errorf("%d requests asked for: %d samples, want %d", requests, got.MinQueryCount, want)
		}
	}
}

// A test fills the batches of all sessions at least twice.
func TestOfflineTest(t *testing.T) {
	cases := []struct {
		batch, sessions int
		rate            float64
		want            uint64
	}{
		{1, 1, 1000, 2001}, {32, 4, 1000, 2048}, {32, 4, 1, 256}, {0, 0, 0.1, 2}, {3, 1, 1000, 2001},
	}
	for _, c := range cases {
		got := offlineTest(sdk.WorkloadInfo{Batch: c.batch, Sessions: c.sessions}, Setting{}, c.rate, 2*time.Second)
		if got.MinQueryCount != c.want || got.Scenario != loadgen.Offline || got.MinDuration != time.Millisecond {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// The test runs on virtual time, so verdicts do not depend on the machine.
func TestServerSearch(t *testing.T) {
	f, clock := plugintest.Classifier(), &loadgentest.Clock{}
	f.IssueTime = func(samples int) time.Duration {
		clock.Advance(time.Duration(samples) * 500 * time.Microsecond)
		return 0
	}
	settings := loadgen.DefaultTestSettings()
	settings.Scenario, settings.Mode = loadgen.Server, loadgen.PerformanceOnly
	settings.MinDuration, settings.MinQueryCount, settings.ServerTargetLatency, settings.ServerTargetLatencyPercentile =
		20*time.Millisecond, 100, time.Second, 0.9
	next, measured := 0, 0
	s := ServerSearch{
		Bench: bench(f), Settings: settings, ProbeTime: time.Second, MeasureTime: time.Millisecond,
		Next: func(_ Setting, qps float64) {
			if next++; qps == 0 {
				next, measured = next-1, measured+1
			}
		},
	}
	found, err := s.Run(loadgentest.WithClock(t.Context(), clock), []Point{{Setting: Setting{2, 1, 1, 0}}})
	last := found.Trials[len(found.Trials)-1]
	if err != nil || !last.Valid || !last.Confirms || last.TargetQPS != found.TargetQPS ||
		found.Setting != (Setting{2, 1, 1, 0}) || next != len(found.Trials) ||
		measured != 1 {
		t.Errorf("%+v, %v, measured %d times", found, err, measured)
	}
	if found.Limits.LatencyNS != int64(time.Second) || found.MinDurationMS != 20 || f.Running() != 1 {
		t.Errorf("%+v, %d processes", found, f.Running())
	}
	s.Bench.Close()
}

// Settings with the same effect are searched once.
func TestDistinctSettings(t *testing.T) {
	f := plugintest.Classifier()
	f.Info.BackendInfo = map[string]string{"threads": "1"} // batch 8 and 2 sessions, whatever is requested
	s := ServerSearch{Bench: bench(f)}
	defer s.Bench.Close()
	all := []Point{{Setting: Setting{8, 2, 1, 0}}, {}, {Setting: Setting{4, 1, 0, 0}}}
	left, err := s.dropEqual(t.Context(), all)
	if err != nil || len(left) != 1 || left[0].Setting != all[0].Setting {
		t.Errorf("%+v, %v", left, err)
	}
	f.Info.BackendInfo = nil
	if left, err := s.dropEqual(t.Context(), all); err != nil || len(left) != 2 || left[1].Setting != (Setting{}) {
		t.Errorf("%+v, %v; want what has other threads as well", left, err)
	}
	f.OpenErr = errors.New("no device")
	if _, err := s.dropEqual(t.Context(), all); !errors.Is(err, f.OpenErr) {
		t.Errorf("error %v", err)
	}
}

func TestProbe(t *testing.T) {
	s := ServerSearch{ProbeTime: 10 * time.Second, Settings: loadgen.DefaultTestSettings()}
	s.Settings.MinDuration, s.Settings.MinQueryCount, s.Settings.ServerTargetLatencyPercentile = 10*time.Minute,
		270336, 0.99
	if p := s.probeSettings(); p.MinDuration != 10*time.Second || p.MinQueryCount < 1000 || p.MinQueryCount > 1001 {
		t.Errorf("%v, %d queries", p.MinDuration, p.MinQueryCount)
	}
	s.Settings.MinDuration, s.Settings.MinQueryCount = time.Second, 100
	if p := s.probeSettings(); p.MinDuration != time.Second || p.MinQueryCount != 100 {
		t.Errorf("%v, %d queries: a probe is no longer than a run", p.MinDuration, p.MinQueryCount)
	}
}

func TestRunsInWhichTheMachineStoodStillAreDoneAgain(t *testing.T) {
	for _, tt := range []struct{ paused, want int }{{0, 1}, {1, 2}, {3, 4}, {9, 4}} {
		runs := 0
		res, err := repeatPaused(func() (*loadgen.Result, error) {
			runs++
			r := &loadgen.Result{}
			if runs <= tt.paused {
				r.Pauses = []loadgen.Pause{{Length: 2 * time.Second}}
			}
			return r, nil
		})
		if err != nil || runs != tt.want || len(res.Pauses) > 0 != (tt.paused >= maxAttempts) {
			t.Errorf("%d runs with pauses: %d runs, %+v, %v; want %d", tt.paused, runs, res.Pauses, err, tt.want)
		}
	}
	failed := errors.New("failed")
	if _, err := repeatPaused(func() (*loadgen.Result, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
