package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

func TestMachine(t *testing.T) {
	good := system.Info{CPU: "Example", Cores: 8, MemoryBytes: 32e9, Governor: "performance", OS: "Example OS"}
	exact := TimerPrecision{ClockCost: 40 * time.Nanosecond, Late: []time.Duration{20 * time.Microsecond}}
	cases := []struct {
		name   string
		change func(*system.Info, *TimerPrecision)
		check  string
		state  CheckState
		advice string
	}{
		{"good", func(*system.Info, *TimerPrecision) {}, "processor", OK, ""},
		{"one core", func(i *system.Info, _ *TimerPrecision) { i.Cores = 1 }, "processor", Warn, "share one core"},
		{"quota", func(i *system.Info, _ *TimerPrecision) { i.Quota = "1.5 CPUs" }, "processor", Warn, "cpuset"},
		{"little memory", func(i *system.Info, _ *TimerPrecision) { i.MemoryBytes = 1e9 }, "memory", Warn, "--count"},
		{"unknown memory", func(i *system.Info, _ *TimerPrecision) { i.MemoryBytes = 0 }, "memory", OK, ""},
		{"powersave", func(i *system.Info, _ *TimerPrecision) { i.Governor = "powersave" }, "CPU governor", Warn, "cpupower"},
		{"no governor", func(i *system.Info, _ *TimerPrecision) { i.Governor = "" }, "CPU governor", OK, ""},
		{"slow clock", func(_ *system.Info, p *TimerPrecision) { p.ClockCost = 2 * time.Microsecond }, "clock", Warn, "tsc"},
		{"late timer", func(_ *system.Info, p *TimerPrecision) { p.Late = []time.Duration{20 * time.Millisecond} },
			"timer", Warn, "--pace precise"},
		{"no timer", func(_ *system.Info, p *TimerPrecision) { p.Late = nil }, "timer", Warn, ""},
	}
	for _, c := range cases {
		info, p := good, exact
		c.change(&info, &p)
		section := CheckMachine(info, p)
		i := slices.IndexFunc(section.Checks, func(x Check) bool { return x.Name == c.check })
		if got := section.Checks[i]; got.State != c.state || !strings.Contains(got.Advice, c.advice) ||
			c.state == OK && got.Advice != "" {
			t.Errorf("%s: %+v, want %s, %q", c.name, got, c.state, c.advice)
		}
		if code := WorstCode([]Section{section}); code != exitcode.Valid {
			t.Errorf("%s: a machine alone never fails, got code %d", c.name, code)
		}
	}
}

func TestMeasure(t *testing.T) {
	p := MeasurePrecision()
	if p.ClockCost <= 0 || len(p.Late) != sleepCount || !slices.IsSorted(p.Late) {
		t.Errorf("clock cost %v, %d naps", p.ClockCost, len(p.Late))
	}
	if p.Late[0] < 0 {
		t.Errorf("a sleep ended %v early", -p.Late[0])
	}
}

func catalog(t *testing.T, fakes map[string]*plugintest.Fake) (*discover.Catalog, *plugintest.Launcher) {
	t.Helper()
	dir, l := t.TempDir(), plugintest.New(fakes)
	if err := l.Install(dir); err != nil {
		t.Fatal(err)
	}
	c, err := discover.Find(t.Context(), l, []discover.Dir{{Path: dir, Source: "--plugin-dir"},
		{Path: dir + "/none", Source: "--plugin-dir"}}, "", host.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c, l
}

// text is what a section says, for looking things up.
func text(t *testing.T, s Section) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, []Section{s}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPlugins(t *testing.T) {
	wrongData := plugintest.Classifier()
	wrongData.OpenErr = sdk.Data(errors.New("libonnxruntime.so is missing"))
	empty := plugintest.Classifier()
	empty.Description.Models = nil
	c, l := catalog(t, map[string]*plugintest.Fake{
		"good": plugintest.Classifier(), "wrong": wrongData, "empty": empty,
		"broken": {
			LaunchErr: &host.PluginError{
				Kind: host.KindHandshake, Found: "it printed Hello", Hint: "print nothing", Stderr: []string{"line"},
			},
		},
	})
	s := CheckPlugins(t.Context(), l, c, host.LaunchOptions{})
	got := text(t, s)
	for _, want := range []string{
		"none (--plugin-dir): not there", "correct the path", "it printed Hello | line", "-> print nothing", "FAIL  broken",
		"good on ort", "version ONNX Runtime 1.28.2", "FAIL  wrong on ort", "libonnxruntime.so is missing",
		"the plugin serves no model",
		"served by good, wrong", "runs of it need --plugin NAME",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if code := WorstCode([]Section{s}); code != exitcode.Plugin {
		t.Errorf("code %d, want the worst, %d", code, exitcode.Plugin)
	}
}

// What is called off is nobody's fault.
func TestInterruptedPlugins(t *testing.T) {
	fake := plugintest.Classifier()
	c, l := catalog(t, map[string]*plugintest.Fake{"null": fake})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(loadgen.ErrInterrupted)
	fake.OpenErr = loadgen.ErrInterrupted
	for _, s := range []Section{CheckPlugins(ctx, l, c, host.LaunchOptions{}), CheckTransport(ctx, l, c,
		host.LaunchOptions{})} {
		if code := WorstCode([]Section{s}); code != exitcode.Valid || strings.Contains(CountStates([]Section{s}),
			"1 to mend") ||
			!strings.Contains(text(t, s), "called off") {
			t.Errorf("code %d in:\n%s", code, text(t, s))
		}
	}
}

func TestNoPlugins(t *testing.T) {
	c, l := catalog(t, nil)
	s := CheckPlugins(t.Context(), l, c, host.LaunchOptions{})
	if code := WorstCode([]Section{s}); code != exitcode.Usage || !strings.Contains(text(t, s), "make build") {
		t.Errorf("code %d in:\n%s", code, text(t, s))
	}
}

// On virtual time, so that what it takes is known.
func TestTransport(t *testing.T) {
	clock := &loadgentest.Clock{}
	ctx := loadgentest.WithClock(t.Context(), clock)
	null := plugintest.Classifier()
	null.IssueTime = func(int) time.Duration { clock.Advance(100 * time.Microsecond); return 0 }
	c, l := catalog(t, map[string]*plugintest.Fake{"null": null})
	s := CheckTransport(ctx, l, c, host.LaunchOptions{})
	for _, check := range s.Checks {
		if check.State != OK || !strings.Contains(check.Found, "100 us per query to a plugin and back") ||
			!strings.Contains(check.Found, ", 100 us at the 99th percentile") {
			t.Errorf("%+v", check)
		}
	}
	if last := s.Checks[len(s.Checks)-1]; last.Name != "stream" || (len(s.Checks) == 2) != host.SharedMemory {
		t.Errorf("%+v: want the stream last, and shared memory where there is some", s.Checks)
	}
	dying := plugintest.Classifier()
	dying.DieAfter, dying.IssueTime = 5, null.IssueTime
	c, l = catalog(t, map[string]*plugintest.Fake{"null": dying})
	if s := CheckTransport(ctx, l, c, host.LaunchOptions{}); s.Checks[0].State != Fail ||
		s.Checks[0].Code != exitcode.Plugin {
		t.Errorf("a plugin that dies: %+v", s)
	}
	c, l = catalog(t, nil)
	if s := CheckTransport(t.Context(), l, c, host.LaunchOptions{}); s.Checks[0].State != Warn {
		t.Errorf("no null plugin: %+v", s)
	}
}

func TestSlowTransport(t *testing.T) {
	res := &loadgen.Result{
		QueryCount: 10, Latency: loadgen.LatencySummary{
			Percentiles: []loadgen.Percentile{{P: 0.5, Latency: time.Millisecond}, {P: 0.99, Latency: 2 * time.Millisecond}},
		},
	}
	if c := judgeTransportLatency("stream", res); c.State != Warn || !strings.Contains(c.Found, "1000 us per query") ||
		!strings.Contains(c.Found, "2000 us") {
		t.Errorf("%+v", c)
	}
}

func TestSummary(t *testing.T) {
	s := []Section{{Checks: []Check{{State: OK}}}}
	if got := CountStates(s); got != "all is well" {
		t.Errorf("got %q", got)
	}
	s = append(s, Section{Checks: []Check{{State: Warn}, {State: Fail}, {State: Warn}}})
	if got := CountStates(s); got != "1 to mend, 2 to know about" {
		t.Errorf("got %q", got)
	}
}
