package campaign

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func TestExpected(t *testing.T) {
	for _, c := range []struct {
		scenario loadgen.Scenario
		mode     loadgen.Mode
		set      mlconf.Override
		takes    time.Duration
		sure     bool
	}{
		{loadgen.SingleStream, loadgen.PerformanceOnly, mlconf.Override{}, 10 * time.Minute, true},
		{loadgen.SingleStream, loadgen.AccuracyOnly, mlconf.Override{}, 500 * time.Second, true},
		{loadgen.Offline, loadgen.PerformanceOnly, mlconf.Override{}, 10 * time.Minute, false},
		{loadgen.Offline, loadgen.PerformanceOnly, mlconf.Override{All: true, Key: "target_qps", Value: "100"},
			660 * time.Second, true},
		{loadgen.Offline, loadgen.PerformanceOnly, mlconf.Override{All: true, Key: "target_qps", Value: "2"},
			12288 * time.Second, true},
		{loadgen.Offline, loadgen.AccuracyOnly, mlconf.Override{All: true, Key: "target_qps", Value: "100"},
			500 * time.Second, true},
	} {
		var layers []mlconf.Layer
		if c.set.Key != "" {
			layers = []mlconf.Layer{mlconf.Values("flag --set", c.set)}
		}
		s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: c.scenario, Mode: c.mode, Layers: layers})
		if err != nil {
			t.Fatal(err)
		}
		run := bench.PlannedRun{Scenario: c.scenario, Mode: c.mode, Settings: settings.Settings{Settings: s}}
		takes, sure := expectedTime(run, 50_000)
		if takes.Round(time.Second) != c.takes || sure != c.sure {
			t.Errorf("%v %v %v: %v, sure %v", c.scenario, c.mode, c.set, takes, sure)
		}
	}
}
