package tune

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// virtual is a plugin on virtual time. Each of its sessions answers one query after another, each in a given time.
type virtual struct {
	plugin.Plugin
	clock *loadgentest.Clock
	each  func(Setting) time.Duration
}

func (v *virtual) Discover([]string) ([]host.FoundPlugin, error) { return nil, nil }
func (v *virtual) Close()                                        {}
func (v *virtual) Launch(context.Context, string, host.LaunchOptions) (plugin.Plugin, error) {
	return v, nil
}

func (v *virtual) Context(parent context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(loadgentest.WithClock(parent, v.clock))
}

func (v *virtual) Open(_ context.Context, o sdk.Options) (plugin.Workload, error) {
	s := Setting{Batch: max(o.Batch, 1), Sessions: max(o.Sessions, 1)}
	return virtualWorkload{v, s, make([]time.Duration, s.Sessions)}, nil
}

// virtualWorkload is an opened workload. free contains the time at which each session has answered its queries.
type virtualWorkload struct {
	*virtual
	s    Setting
	free []time.Duration
}

func (w virtualWorkload) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{Batch: w.s.Batch, Sessions: w.s.Sessions}
}
func (w virtualWorkload) QSL() loadgen.QSL { return loadgentest.QSL{Total: 100} }
func (w virtualWorkload) Close() error     { return nil }

func (w virtualWorkload) SUT() loadgen.SUT {
	s := &loadgentest.Script{Clock: w.clock}
	s.Latency = func(loadgen.QuerySample) time.Duration {
		now, next := w.clock.Now(), 0
		for i := range w.free {
			if w.free[i] < w.free[next] {
				next = i
			}
		}
		w.free[next] = max(w.free[next], now) + w.each(w.s)
		return w.free[next] - now
	}
	return s
}

// The test searches the grid and the rate of a SUT with known rates: two sessions are twice as fast as one, a third
// costs more than it yields, and a batch of four is the fastest.
func TestTuneOnVirtualTime(t *testing.T) {
	each := func(s Setting) time.Duration {
		cost := 1 + 0.05*math.Abs(math.Log2(float64(s.Batch))-2)
		if s.Sessions > 2 {
			cost *= float64(s.Sessions)
		}
		return time.Duration(cost * float64(time.Millisecond))
	}
	b := &Bench{Launcher: &virtual{clock: &loadgentest.Clock{}, each: each}}
	found, err := Search{Measure: b.Measure, Time: time.Second}.Run(t.Context(),
		Grid([]int{1, 2, 4, 8, 16}, []int{1, 2, 4}, nil))
	if err != nil || found.Points[0].Setting != (Setting{4, 2, 0, 0}) || !found.Decided ||
		math.Abs(found.Points[0].SamplesPerSecond-2000) > 20 {
		t.Fatalf("%+v, %v, want batch 4 with 2 sessions and 2000 samples/s", found, err)
	}
	settings := loadgen.DefaultTestSettings()
	settings.Scenario, settings.Mode = loadgen.Server, loadgen.PerformanceOnly
	settings.MinDuration, settings.MinQueryCount, settings.ServerTargetLatency = 10*time.Second, 1000, 10*time.Millisecond
	s := ServerSearch{Bench: b, Settings: settings, ProbeTime: 5 * time.Second}
	server, err := s.Run(t.Context(), ServerSettings(found.Points, 10*time.Millisecond))
	if err != nil || server.Setting != (Setting{4, 2, 0, 0}) || len(server.Trials) > 12 {
		t.Fatalf("%+v, %v", server, err)
	}
	highest := 0.0
	for rate := 1600.0; rate < 1900; rate *= 1.005 {
		settings.ServerTargetQPS = rate
		res, err := b.Serve(t.Context(), server.Setting, settings)
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict == loadgen.Valid {
			highest = rate
		}
	}
	if server.TargetQPS < highest*(1-Precision) || server.TargetQPS > highest*1.005 {
		t.Errorf("found %v after %d runs, the highest VALID rate is %v", server.TargetQPS, len(server.Trials), highest)
	}
}
