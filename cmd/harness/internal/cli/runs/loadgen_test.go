package runs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

func TestFindPeak(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--mode", "findpeak", "--out", s.Out(),
		"--set", "server_find_peak_qps_boundary_step_size=1000"),
		"Server        findpeak     VALID (smoke)", "highest target_qps that meets the limit")
	run := s.Result().Runs[0]
	p := run.Performance.Peak
	if run.Mode != "findpeak" || p == nil || !p.Found || p.TargetQPS.Value < 40000 || len(p.Trials) < 2 ||
		p.Trials[0].TargetQPS != 40000 {
		t.Errorf("result.json says %+v", p)
	}
	if run.Effective.TestMode != "FindPeakPerformance" || len(run.Files) != 5 ||
		!strings.HasPrefix(run.Files[0].Path, "resnet50/Server/performance/findpeak/") {
		t.Errorf("mode %s, files %v", run.Effective.TestMode, run.Files)
	}
	s.Want(0, s.Run("run", "resnet50", "--mode", "performance", "--scenario", "Server", "--out", s.Out()))
	if n := len(s.Result().Runs); n != 2 {
		t.Errorf("%d runs in the index, want the search and the run beside it", n)
	}
}

// Queries of more than three samples miss their interval, the others do not: the search must find three, and repeat it
// as often as the round asks for.
func TestFindStreams(t *testing.T) {
	for rules, confirms := range map[string]int{"v0.5": 5, "v0.7": 0} {
		fake := plugintest.Classifier()
		s := clitest.NewWith(t, map[string]*plugintest.Fake{"resnet50": fake})
		s.Clock = new(loadgentest.Clock) // a machine that is busy for a moment would miss intervals too
		fake.IssueTime = func(samples int) time.Duration {
			if samples > 3 {
				s.Clock.Advance(25 * time.Millisecond)
			}
			return 0
		}
		args := []string{"run", "resnet50", "--scenario", "MultiStream", "--mode", "findpeak",
			"--rules", rules, "--out", s.Out(),
			"--set", "arrival_interval=10", "--set", "min_query_count=6", "--set", "target_latency_percentile=50"}
		s.Want(0, s.Run(args...), "MultiStream   findpeak     VALID (smoke)     3 samples",
			"largest samples_per_query that meets the arrival interval")
		run := s.Result().Runs[0]
		checkStreams(t, run, confirms)
		if files := len(run.Performance.Streams.Trials) * 5; len(run.Files) != files {
			t.Errorf("%s: %d files, want %d", rules, len(run.Files), files)
		}
		s.Want(2, s.Run(args...), "already holds results")
		fake.IssueTime = func(int) time.Duration {
			s.Clock.Advance(25 * time.Millisecond)
			return 0
		}
		s.Want(3, s.Run(append(args, "--force")...), "none found", "arrival_interval")
		if run := s.Result().Runs[0]; run.Performance.Streams.Found != 0 ||
			len(run.Files) != 5*len(run.Performance.Streams.Trials) {
			t.Errorf("%s: found %+v with %d files", rules, run.Performance.Streams, len(run.Files))
		}
	}
}

func checkStreams(t *testing.T, run record.Run, confirms int) {
	t.Helper()
	p := run.Performance.Streams
	if p == nil || p.Found != 3 || run.Effective.SamplesPerQuery != 3 || run.Performance.Metric.Value != 3 {
		t.Fatalf("found %+v, effective %+v", p, run.Effective)
	}
	for i, trial := range p.Trials {
		if trial.Met != (trial.SamplesPerQuery <= 3) ||
			!strings.HasPrefix(trial.Dir, "resnet50/MultiStream/performance/findpeak/run_") {
			t.Errorf("trial %d: %+v", i, trial)
		}
		if trial.Confirms {
			confirms--
		}
	}
	if confirms != 0 {
		t.Errorf("%d repetitions are missing", confirms)
	}
}

func TestAbortEarly(t *testing.T) {
	s := clitest.New(t)
	args := []string{"run", "resnet50", "--scenario", "Server", "--mode", "performance", "--set", "min_query_count=1",
		"--set", "target_qps=1000", "--set", "min_duration=20"}
	s.Want(3, s.Run(append(args, "--out", s.Out())...), "INVALID (smoke)", "note: It was clear before the end")
	if run := s.Result().Runs[0]; len(run.Notes) == 0 || run.Notes[0].About != "hopeless" || run.Performance.Queries == 0 {
		t.Errorf("notes %v after %d queries", run.Notes, run.Performance.Queries)
	}
	s.Want(3, s.Run(append(args, "--abort-early", "--out", s.Out("early"))...), "INVALID (smoke)", "aborted",
		"early stopping needs")
	if run := s.Result("early").Runs[0]; run.Performance.Queries != 0 || run.Error != nil ||
		run.Reasons[0].Rule != "aborted" {
		t.Errorf("%d queries, error %v, reasons %v", run.Performance.Queries, run.Error, run.Reasons)
	}
}

func TestPace(t *testing.T) {
	s := clitest.New(t)
	args := []string{"run", "resnet50", "--scenario", "Server", "--mode", "performance", "--force", "--out", s.Out()}
	for pace, flags := range map[string][]string{"default": nil, "precise": {"--pace", "precise"}} {
		s.Want(0, s.Run(append(args, flags...)...))
		run := s.Result().Runs[0]
		if run.Pace != pace || run.Performance.Issue == nil || run.Performance.Issue.Count == 0 ||
			len(run.Performance.Issue.Percentiles) == 0 {
			t.Errorf("%v: pace %q, issue delay %+v", flags, run.Pace, run.Performance.Issue)
		}
	}
	s.Want(2, s.Run("run", "resnet50", "--pace", "exact"), `unknown pace "exact"`, "default, precise")
}

func TestAuditSettings(t *testing.T) {
	s := clitest.New(t)
	conf := s.File("audit.config", "*.*.mode = 2\n*.*.performance_issue_same = 1\n*.*.min_duration = 0\n"+
		"*.*.test07_accuracy_threshold = 60.698\nresnet50.SingleStream.min_query_count = 500\n")
	s.Want(0, s.Run("run", "resnet50", "--scenario", "SingleStream", "--audit", conf, "--out", s.Out()),
		"SingleStream  performance  VALID (smoke)",
		"note: "+conf+": line 4: test07_accuracy_threshold: kept for the audit's own script",
		"line 5: of single models (resnet50)")
	d := s.Result()
	if len(d.Runs) != 1 || d.Runs[0].Audit != conf {
		t.Fatalf("result.json says %+v", d.Runs)
	}
	if !slices.ContainsFunc(d.Runs[0].Deviations, func(text string) bool {
		return strings.HasPrefix(text, "performance_issue_same = 1")
	}) {
		t.Errorf("deviations %v", d.Runs[0].Deviations)
	}
	detail, err := os.ReadFile(s.Out("resnet50", "SingleStream", "performance", "run_1", "mlperf_log_detail.txt"))
	if err != nil || !strings.Contains(string(detail), "Found Audit Config file") {
		t.Errorf("the detail log does not name the audit settings: %v", err)
	}
	s.Want(0, s.Run("settings", "resnet50", "--scenario", "Server", "--official", "--audit", conf),
		"audit settings", conf+":2 (*.*.performance_issue_same)")
	s.Want(2, s.Run("run", "resnet50", "--mode", "accuracy", "--audit", conf, "--out", s.Out()),
		"sets the mode PerformanceOnly", "--mode")
	bad := s.File("bad.config", "*.*.mod = 2\n*.*.min_duration = soon\n")
	s.Want(2, s.Run("run", "resnet50", "--audit", bad, "--out", s.Out()), bad+":1", bad+":2", "soon")
}

func TestStrayAuditConfig(t *testing.T) {
	s := clitest.New(t)
	conf := s.File("audit.config", "*.*.min_duration = 0\n")
	t.Chdir(s.Dir)
	args := []string{"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", s.Out()}
	path, err := filepath.EvalSymlinks(conf)
	if err != nil {
		t.Fatal(err)
	}
	s.Want(2, s.Run(args...), path, "lies in the working directory", "--audit FILE")
	s.Want(2, s.Run(append(args, "--audit", s.File("other.config", "*.*.min_duration = 0\n"))...), path)
	if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
	s.Want(0, s.Run(append(args, "--audit", "audit.config")...))
}

func TestTest05IsAPerformanceRun(t *testing.T) {
	s := clitest.New(t)
	s.Want(2, s.Run("run", "resnet50", "--mode", "accuracy", "--set", "test05=1"), "test05", "--mode performance")
}

func TestIssueThreads(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance",
		"--set", "server_num_issue_query_threads=2", "--out", s.Out()))
}

// Every round is accepted and recorded, the newest by default.
func TestRules(t *testing.T) {
	for _, round := range append(mlconf.Rounds(), "") {
		s := clitest.New(t)
		args := []string{"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", s.Out()}
		want := mlconf.Rounds()[0]
		if round != "" {
			args, want = append(args, "--rules", round), round
		}
		s.Want(0, s.Run(args...), "of rules "+want)
		if run := s.Result().Runs[0]; run.Rules != want {
			t.Errorf("--rules %q: result.json says %q", round, run.Rules)
		}
	}
	s := clitest.New(t)
	for _, command := range [][]string{{"run", "--out", s.Out()}, {"settings"}} {
		s.Want(2, s.Run(append(command, "resnet50", "--rules", "v9.9")...), `"v9.9"`, strings.Join(mlconf.Rounds(), ", "))
	}
}
