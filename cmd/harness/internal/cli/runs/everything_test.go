package runs_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// fakeOf is a plugin with one model.
func fakeOf(name, rulesKey string, scenarios ...loadgen.Scenario) *plugintest.Fake {
	f := plugintest.Classifier()
	m := f.Description.Models[0]
	m.Name, m.RulesKey, m.LoadGenKey, m.Scenarios = name, rulesKey, name, scenarios
	m.Metrics = []sdk.MetricInfo{{Name: "accuracy", Unit: "%", Reference: 90, Target: 80}}
	f.Description.Name, f.Description.Models, f.Info.Model = name, []sdk.ModelInfo{m}, name
	return f
}

// someOfARound has a benchmark that is well, one that dies, one that is below its target, a stand-in that has programs
// to run, and a plugin that does not answer.
func someOfARound(t *testing.T) *clitest.Shell {
	t.Helper()
	fakes := map[string]*plugintest.Fake{
		"resnet50": plugintest.Classifier(), "mute": {DescribeErr: errors.New("it says nothing")},
		"rgat":        fakeOf("rgat", "rgat", loadgen.Offline),
		"bert-99":     fakeOf("bert-99", "bert-99", loadgen.Offline),
		"qwen3.6-27b": fakeOf("qwen3.6-27b", "qwen3.6-27b", loadgen.SingleStream),
	}
	fakes["rgat"].DieAfter = 30
	fakes["bert-99"].Score.Metrics = []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 10}}
	m := &fakes["qwen3.6-27b"].Description.Models[0]
	m.Files = []sdk.ModelFile{
		{Name: "embedded-fp32", Embedded: true, Precision: "fp32", Note: "stand-in: a script. No model"},
	}
	fakes["qwen3.6-27b"].Score.Notes = []string{"3 programs were not executed; --param execute=python3 executes them"}
	return clitest.NewWith(t, fakes)
}

// TestEverything: one benchmark that fails keeps none of the others from being run; what is left out is named, and
// stand-ins are counted apart.
func TestEverything(t *testing.T) {
	s := someOfARound(t)
	s.Want(5, s.Run("run", "--rules", "v6.1", "all", "--out", s.Out()), "plugin mute is left out", "it says nothing",
		"resnet50     SingleStream", "round v6.1: 21 benchmarks",
		"1 with a model: every run VALID, every accuracy reached\n",
		"1 with a stand-in instead of a model: its runs only exercise the pipeline: qwen3.6-27b",
		"3 not VALID, below a target, or failed: bert-99, bert-99.9, rgat",
		"16 no plugin that answers has it: 3d-unet-99, ",
		"skipped of qwen3.6-27b: 3 programs were not", "95.000 % accuracy", "stand-in: a script")
	for _, want := range []string{`aria-label="The machine"`, "Stand-ins: ", "<h3>Not run</h3>"} {
		testfile.RequireText(t, want, s.Out(), "index.html")
	}
	page := s.Out("page.html")
	s.Want(0, s.Run("report", s.Out(), "--html", page, "--reference", s.Out()))
	testfile.RequireText(t, "1.00 times as fast as the reference", page)
	s.Want(2, s.Run("report", s.Out(), "--reference", s.Out()), "--reference DIR goes with --html FILE")
	d := s.Result()
	var lines []string
	for _, b := range d.Benchmarks {
		if b.Left == "" {
			lines = append(lines, b.Name+": "+strings.Join(b.Models, ",")+" "+b.StandIn+b.Skipped)
		}
	}
	if got := strings.Join(lines, "; "); len(d.Benchmarks) != 21 || got != "bert-99: bert-99 ; bert-99.9: bert-99 ; "+
		"qwen3.6-27b: qwen3.6-27b stand-in: a script3 programs were not executed; --param execute=python3 executes "+
		"them; resnet: resnet50 ; rgat: rgat " {
		t.Errorf("%d benchmarks: %s", len(d.Benchmarks), got)
	}
	for _, r := range d.Runs {
		if r.Rules != "v6.1" || r.Profile != "smoke" {
			t.Errorf("%s was run by rules %s, %s", r.Name(), r.Rules, r.Profile)
		}
	}
	opened := len(s.Fakes["resnet50"].Opened())
	s.Fakes["rgat"].DieAfter = 0
	s.Fakes["mute"].DescribeErr = nil
	s.Want(4, s.Run("run", "all", "--out", s.Out()), "2 with a model: every run VALID",
		"2 not VALID, below a target, or failed: bert-99, bert-99.9")
	if now := len(s.Fakes["resnet50"].Opened()); now != opened {
		t.Errorf("finished runs are made again: %d workloads after %d", now, opened)
	}
}

func TestEverythingOfSome(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "all", "--rules", "v0.5", "--scenario", "Offline", "--mode", "performance", "--dry-run",
		"--out", s.Out()), "mobilenet  Offline performance  mobilenet", "gnmt", "not run", "round v0.5: results go to")
	s.Want(0, s.Run("run", "all", "--rules", "v0.5", "--scenario", "Offline", "--out", s.Out(), "--json"))
	d := s.Result()
	if len(d.Runs) != 4 || d.Suite != "round v0.5" || len(d.Benchmarks) != 5 {
		t.Errorf("%d runs of %s, %d benchmarks", len(d.Runs), d.Suite, len(d.Benchmarks))
	}
	s.Want(2, s.Run("run", "all", "--rules", "v0.4"), "v0.4")
	s.Want(2, s.Run("run", "all", "--model", "x.onnx", "--repeat", "2"), "--model, --repeat: cannot be meant")
	s.Want(2, s.Run("run", "all", "--param", "nothing=1"), "no model has such an option")
	s.Want(2, s.Run("run", "all", "--precision", "int4", "--rules", "v0.5", "--out", s.Out("x")), "int4")
	none := clitest.NewWith(t, map[string]*plugintest.Fake{})
	none.Want(2, none.Run("run", "all"), "no plugin found")
}

// TestEverythingInterrupted: the runs that an interrupt prevented are counted once, in the table of benchmarks.
func TestEverythingInterrupted(t *testing.T) {
	s := clitest.New(t)
	f := fakeOf("resnet50", "resnet", loadgen.Server)
	f.HoldAfter, f.OnHold = 50, func() { s.Signals <- os.Interrupt }
	s.Fakes["resnet50"] = f
	s.Want(130, s.Run("run", "all", "--scenario", "Server", "--out", s.Out(), "--set", "min_duration=60000"),
		"1 of 2 runs not made; the same command makes them\n", "1 INTERRUPTED, 1 not made: interrupted",
		"1 with runs that were not made\n")
	if n := strings.Count(s.Stdout.String(), "not made: interrupted"); n != 1 {
		t.Errorf("%d lines of runs that were not made:\n%s", n, s.Stdout.String())
	}
}

// TestEverythingSaysNoMoreThanItShows: an accuracy without a target is not reached, what was not measured is not VALID,
// and what --plugin leaves out is not missing. A count is the most that is wanted.
func TestEverythingSaysNoMoreThanItShows(t *testing.T) {
	for flags, says := range map[string][]string{
		"":                   {"1 with a model: every run VALID, every accuracy reached\n"},
		"--mode performance": {"1 with a model: every run VALID, no accuracy measured\n"},
		"--mode accuracy":    {"1 with a model: no performance measured, every accuracy reached\n"},
		"--count 30": {"every run VALID, accuracy without a target\n",
			"95.000 % other, no target"},
		"--count 30 --mode accuracy":        {"no performance measured, accuracy without a target\n"},
		"--plugin resnet50 --mode accuracy": {"20 left out by --plugin resnet50: 3d-unet-99, "},
	} {
		s := clitest.New(t)
		s.Fakes["resnet50"] = fakeOf("resnet50", "resnet", loadgen.Offline)
		if strings.Contains(flags, "--count") { // as of a part of a data set: no target
			s.Fakes["resnet50"].Score.Metrics = []sdk.Metric{{Name: "other", Unit: "%", Value: 95}}
		}
		args := append([]string{"run", "all", "--scenario", "Offline", "--out", s.Out()}, strings.Fields(flags)...)
		s.Want(0, s.Run(args...), says...)
		if all := s.Stdout.String(); strings.Contains(flags, "--plugin") && strings.Contains(all, "not in this build") {
			t.Errorf("%s: left out is called missing:\n%s", flags, all)
		}
		for _, o := range s.Fakes["resnet50"].Opened() {
			if o.CountAtMost != strings.Contains(flags, "--count") {
				t.Errorf("%s: opened with %+v", flags, o)
			}
		}
	}
}

// TestEverythingThatCannotBePlanned: a model that has not what the flags ask for is told, and the others run.
func TestEverythingThatCannotBePlanned(t *testing.T) {
	s := someOfARound(t)
	s.Fakes["mute"].DescribeErr = nil
	s.Want(2, s.Run("run", "all", "--precision", "int8", "--scenario", "SingleStream", "--out", s.Out()),
		"qwen3.6-27b: --precision", "1 with a model: every run VALID",
		"1 not VALID, below a target, or failed: qwen3.6-27b")
	if d := s.Result(); len(d.Runs) != 2 || d.Runs[0].Status != record.Complete {
		t.Errorf("%d runs", len(d.Runs))
	}
}
