package runs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

func TestRunWithoutFlags(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--out", s.Out()),
		"model     embedded, fp32, 1.2 MB", "ONNX Runtime 1.28.2", "smoke: seconds, not the minutes of rules v6.1",
		"SingleStream  performance  VALID (smoke)", "MultiStream   performance  VALID (smoke)",
		"Server        performance  VALID (smoke)", "Offline       performance  VALID (smoke)",
		"Offline       accuracy     PASS", "95.000 %", "100.0 % of FP32: passes the 99 % target",
		"a rehearsal, not an official result")
	for _, dir := range []string{"SingleStream/performance/run_1", "Server/performance/run_1", "Offline/accuracy"} {
		for _, name := range []string{"mlperf_log_summary.txt", "mlperf_log_detail.txt", "mlperf_log_accuracy.json",
			"mlperf_log_trace.json"} {
			if _, err := os.Stat(s.Out("resnet50", dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	if n := len(s.Result().Runs); n != 5 {
		t.Errorf("%d runs in the index, want 5", n)
	}
	if n := len(s.Result("resnet50", "Offline").Runs); n != 2 {
		t.Errorf("%d runs in Offline's result.json, want performance and accuracy", n)
	}
}

func TestAccuracyTextIsOfficial(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy", "--out", s.Out()))
	text, err := os.ReadFile(s.Out("resnet50", "Offline", "accuracy", "accuracy.txt"))
	if err != nil {
		t.Fatal(err)
	}
	run := s.Result().Runs[0]
	i := slices.IndexFunc(run.Files, func(f record.File) bool {
		return strings.HasSuffix(f.Path, "mlperf_log_accuracy.json")
	})
	want := fmt.Sprintf("accuracy=95.000%%, good=61, total=64\nhash=%s\n", run.Files[i].SHA256)
	if string(text) != want {
		t.Errorf("accuracy.txt is %q, want %q", text, want)
	}
	if run.Accuracy.LogSHA256 != run.Files[i].SHA256 || run.Accuracy.Samples != plugintest.Samples {
		t.Errorf("result.json says %+v", run.Accuracy)
	}
}

func TestSteps(t *testing.T) {
	cases := []struct {
		args []string
		want []string
	}{
		{nil, []string{"SingleStream/performance", "MultiStream/performance", "Server/performance", "Offline/performance",
			"Offline/accuracy"}},
		{[]string{"--scenario", "server"}, []string{"Server/performance", "Offline/accuracy"}},
		{[]string{"--scenario", "Server,SingleStream,Server", "--mode", "performance"},
			[]string{"SingleStream/performance", "Server/performance"}},
		{[]string{"--mode", "accuracy"}, []string{"Offline/accuracy"}},
		{[]string{"--mode", "accuracy", "--scenario", "all"},
			[]string{"SingleStream/accuracy", "MultiStream/accuracy", "Server/accuracy", "Offline/accuracy"}},
		{[]string{"--mode", "submission", "--scenario", "Offline", "--scenario", "SingleStream"},
			[]string{"SingleStream/performance", "SingleStream/accuracy", "Offline/performance", "Offline/accuracy"}},
	}
	step := regexp.MustCompile(`resnet50/(\w+)/(performance/run_1|accuracy)\n`)
	for _, c := range cases {
		s := clitest.New(t)
		s.Want(0, s.Run(append([]string{"run", "resnet50", "--dry-run"}, c.args...)...))
		var got []string
		for _, m := range step.FindAllStringSubmatch(s.Stdout.String(), -1) {
			got = append(got, m[1]+"/"+strings.TrimSuffix(m[2], "/run_1"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("run %v: steps %v, want %v", c.args, got, c.want)
		}
	}
}

func TestOptionsReachThePlugin(t *testing.T) {
	s := clitest.New(t)
	model, data := s.File("m.onnx", "model"), filepath.Dir(s.File("photos/val_map.txt", "a.jpg 1\n"))
	s.Want(0, s.Run("run", "mobilenet", "--scenario", "Offline", "--mode", "performance",
		"--smoke", "--model", model, "--dataset", data,
		"--backend", "ort", "--backend-opt", "provider=cpu", "--threads", "3", "--count", "10",
		"--batch", "4", "--sessions", "2",
		"--param", "dtype=int64", "--out", s.Out()))
	want := sdk.Options{
		Model: "mobilenet", ModelFile: model, Dataset: data, Count: 10, Scenario: loadgen.Offline, Batch: 4,
		Sessions: 2, Backend: "ort",
		BackendOptions: map[string]string{"provider": "cpu", "threads": "3"}, Params: map[string]string{"dtype": "int64"},
	}
	got := s.Fakes["resnet50"].Opened()
	if len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("opened %+v, want %+v", got, want)
	}
	if run := s.Result().Runs[0]; run.Workload.DatasetSHA256 == "" || run.Options.Dataset != data {
		t.Errorf("the data set is not named in result.json: %+v", run.Workload)
	}
}

func TestResultHoldsEveryNumberOfTheText(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--out", s.Out(), "--quiet"))
	text, err := json.Marshal(s.Result())
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^(SingleStream|MultiStream|Server|Offline) .*$`).FindAllString(s.Stdout.String(), -1)
	if len(rows) != 5 {
		t.Fatalf("%d rows, want 5, in:\n%s", len(rows), s.Stdout.String())
	}
	number := regexp.MustCompile(`\d[\d,]*(\.\d+)?`)
	for _, row := range rows {
		for _, n := range number.FindAllString(row, -1) {
			if n = strings.ReplaceAll(n, ",", ""); !strings.Contains(string(text), n) {
				t.Errorf("%s is not in result.json: %s", n, row)
			}
		}
	}
}

func TestResultSaysEverything(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out()))
	run := s.Result().Runs[0]
	origins := map[string]string{}
	for _, setting := range run.Settings {
		origins[setting.Key] = setting.Origin
	}
	checks := map[string]bool{
		"schema": s.Result().Schema == "plumbline.result" && s.Result().SchemaVersion == 1,
		"note":   strings.Contains(s.Result().Note, "rehearsal"),
		"origins": origins["target_qps"] == "smoke settings of resnet50" &&
			strings.HasPrefix(origins["qsl_rng_seed"], "rules v6.1"),
		"system": run.System.CPU == "Example CPU @ 2.00GHz" && run.System.MemoryBytes == 16384000*1024 &&
			run.System.OS == "Example OS 1" && run.System.GoVersion != "",
		"plugin":       run.Plugin.Name == "resnet50" && len(run.Plugin.SHA256) == 64 && filepath.IsAbs(run.Plugin.Path),
		"model":        run.Workload.Embedded && len(run.Workload.ModelSHA256) == 64,
		"metric":       run.Performance.Metric.Value > 0 && run.Performance.Metric.Rounded != "",
		"checks":       *run.Performance.Checks.EarlyStopping && run.Performance.Checks.MinDuration,
		"issue delay":  run.Performance.Issue != nil,
		"all files":    len(run.Files) == 5,
		"command":      slices.Contains(run.Command, "Server"),
		"no reasons":   run.Reasons != nil && len(run.Reasons) == 0,
		"verdict":      run.Verdict == "VALID (smoke)" && run.Status == record.Complete,
		"deviations":   len(run.Deviations) > 0,
		"effective":    run.Effective.Scenario == "Server" && run.Effective.QSLRNGSeed == 2085463073848966840,
		"rules":        run.Rules == "v6.1",
		"seeds intact": strings.Contains(fmt.Sprint(run.Settings), "2085463073848966840"),
	}
	for name, ok := range checks {
		if !ok {
			t.Errorf("%s: result.json does not say it: %+v", name, run)
		}
	}
}

func TestInvalidRun(t *testing.T) {
	s := clitest.New(t)
	code := s.Run("run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", s.Out(),
		"--set", "target_latency=1000", "--set", "min_duration=600000")
	s.Want(3, code, "INVALID (smoke)", "min_duration", "needed: at least 600 s")
	if run := s.Result().Runs[0]; len(run.Reasons) != 1 || run.ExitCode != 3 {
		t.Errorf("result.json: exit code %d, reasons %v", run.ExitCode, run.Reasons)
	}
}

func TestCustomSettings(t *testing.T) {
	s := clitest.New(t)
	code := s.Run("run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--official", "--out", s.Out(),
		"--set", "min_duration=0")
	s.Want(0, code, "VALID (custom)", "not as the rules: min_duration = 0 ms, rules 600000 ms")
}

func TestAccuracyBelowTarget(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].Score.Metrics[0].Value = 93.9
	s.Want(4, s.Run("run", "resnet50", "--precision", "int8", "--mode", "accuracy", "--out", s.Out()),
		"BELOW TARGET", "98.8 % of FP32: below the 99 % target of 94.050 %")
	if d := s.Result(); d.ExitCode != 4 || d.Runs[0].ExitCode != 4 {
		t.Errorf("result.json says exit code %d", d.ExitCode)
	}
}

func TestAccuracyOfAUsersData(t *testing.T) {
	data := func(s *clitest.Shell) string { return filepath.Dir(s.File("photos/val_map.txt", "a.jpg 1\n")) }
	t.Run("subset", func(t *testing.T) {
		s := clitest.New(t)
		s.Fakes["resnet50"].Score.Metrics[0].Value = 10
		s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy", "--dataset", data(s), "--out", s.Out()),
			"no target", "no target applies to a subset: 64 of the 50,000 samples of imagenet")
	})
	t.Run("full set", func(t *testing.T) {
		s := clitest.New(t)
		f := s.Fakes["resnet50"]
		f.Description.Models[0].Datasets[1].Samples = plugintest.Samples
		f.Score.Metrics[0].Value = 75.7
		s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy", "--dataset", data(s), "--out", s.Out()),
			"PASS", "99.0 % of FP32")
		f.Score.Metrics[0].Value = 75.6
		s.Want(4, s.Run("run", "resnet50", "--mode", "accuracy", "--dataset", data(s), "--out", s.Out(), "--force"),
			"BELOW TARGET", "75.695 %")
	})
}

func TestOutputIsNotOverwritten(t *testing.T) {
	s := clitest.New(t)
	args := []string{"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", s.Out()}
	s.Want(0, s.Run(args...))
	s.Want(2, s.Run(args...), "already holds results", "--force", filepath.Join("SingleStream", "performance", "run_1"))
	s.Want(0, s.Run(append(args, "--force")...))
	s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy", "--out", s.Out()))
	if n := len(s.Result().Runs); n != 2 {
		t.Errorf("the index has %d runs, want those of both commands", n)
	}
}

func TestDefaultOutput(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	args := []string{"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance"}
	for _, want := range []string{"out", "out-2", "out-3"} {
		s.Want(0, s.Run(args...), "in "+want+"\n")
	}
	s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy"), "in out\n")
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	s := clitest.New(t)
	file := s.File("file", "")
	s.Want(2, s.Run("run", "resnet50", "--out", filepath.Join(file, "out")), "output directory", "--out")
	if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened before the output directory was tried", n)
	}
}

func TestMissingFiles(t *testing.T) {
	s := clitest.New(t)
	s.Want(6, s.Run("run", "resnet50", "--model", "no/such.onnx"), "no/such.onnx", "no such file")
	s.Want(6, s.Run("run", "resnet50", "--model", "resnet50_v2.onnx"), "did you mean \"resnet50_v1.onnx\"?")
	s.Want(6, s.Run("run", "resnet50", "--model", "resnet50_v1.onnx"), "harness fetch resnet50")
	s.Want(6, s.Run("run", "resnet50", "--dataset", "/no/such"), "no such file or directory")
	s.Want(6, s.Run("run", "resnet50", "--dataset", "/dev/null"), "neither a directory nor a regular file")
}

func TestPluginFaults(t *testing.T) {
	args := func(s *clitest.Shell) []string {
		return []string{"run", "resnet50", "--scenario", "Offline,Server", "--out", s.Out()}
	}
	t.Run("data", func(t *testing.T) {
		s := clitest.New(t)
		s.Fakes["resnet50"].OpenErr = sdk.Data(errors.New("val_map.txt, line 7: label 1000"))
		for _, more := range [][]string{nil, {"--force"}, {"--repeat", "2"}, {"--out", s.Out("deep", "er")}} {
			s.Want(6, s.Run(append(args(s), more...)...))
			if want := "harness: opening resnet50: val_map.txt, line 7: label 1000\n"; s.Stdout.String() != "" ||
				s.Stderr.String() != want {
				t.Errorf("%v: %q and %q, want %q alone", more, s.Stdout.String(), s.Stderr.String(), want)
			}
			if _, err := os.Lstat(s.Out()); err == nil {
				t.Errorf("%v: a folder is left", more)
			}
		}
		s.Want(6, s.Run(append(args(s), "--json")...), `"FAILED"`, `"not run"`)
		s.File("out/notes.txt", "of somebody")
		s.Want(6, s.Run(args(s)...))
		if left, err := os.ReadDir(s.Out()); err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
			t.Errorf("a folder that was there has %v, %v, want notes.txt alone", left, err)
		}
		f := s.Fakes["resnet50"]
		f.OpenErr = nil
		s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out", s.Out()))
		f.OpenErr = sdk.Data(errors.New("gone"))
		s.Want(6, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--force", "--out", s.Out()))
		complete := func(r record.Run) bool { return r.Status == record.Complete }
		if runs := s.Result().Runs; !slices.ContainsFunc(runs, complete) {
			t.Errorf("what was to be replaced: %+v", runs)
		}
	})
	t.Run("option", func(t *testing.T) {
		s := clitest.New(t)
		s.Fakes["resnet50"].OpenErr = sdk.Usage(errors.New("unknown option \"treads\""))
		s.Want(2, s.Run(args(s)...), "unknown option \"treads\"")
	})
	t.Run("dies", func(t *testing.T) {
		s := clitest.New(t)
		s.Fakes["resnet50"].DieAfter = 100
		s.Want(5, s.Run(args(s)...), "killed by SIGKILL", "the last line", "FAILED", "not run")
		run := s.Result().Runs[0]
		if run.Status != record.Failed || run.Error.Kind != "died" || len(run.Error.Stderr) != 1 || run.ExitCode != 5 {
			t.Errorf("result.json says %+v %+v", run.Status, run.Error)
		}
		if len(run.Files) < 2 {
			t.Errorf("the logs are not kept: %v", run.Files)
		}
	})
	t.Run("closing: the run counts, with a note", func(t *testing.T) {
		s := clitest.New(t)
		s.Fakes["resnet50"].CloseErr = errors.New("cache.bin: no space left")
		s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out", s.Out()),
			"VALID (smoke)", "note: Closing the workload failed after the run: cache.bin: no space left.")
	})
	t.Run("scorer", func(t *testing.T) {
		s := clitest.New(t)
		s.Fakes["resnet50"].ScoreErr = errors.New("entry 3: payload of 2 bytes")
		s.Want(6, s.Run("run", "resnet50", "--mode", "accuracy", "--out", s.Out()), "entry 3: payload of 2 bytes")
	})
}

func TestInterrupt(t *testing.T) {
	s := clitest.New(t)
	f := s.Fakes["resnet50"]
	f.HoldAfter, f.OnHold = 50, func() { s.Signals <- os.Interrupt }
	code := s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(),
		"--set", "min_duration=60000")
	s.Want(130, code, "interrupt: stopping", "INTERRUPTED", "interrupted by signal")
	run := s.Result().Runs[0]
	if run.Status != record.Interrupted || run.ExitCode != 130 {
		t.Errorf("result.json says %s, exit code %d", run.Status, run.ExitCode)
	}
	summary, err := os.ReadFile(s.Out("resnet50", "Server", "performance", "run_1", "mlperf_log_summary.txt"))
	if err != nil || !strings.Contains(string(summary), "INVALID") {
		t.Errorf("partial summary log: %v\n%s", err, summary)
	}
}

func TestSecondInterruptKills(t *testing.T) {
	s := clitest.New(t)
	f := s.Fakes["resnet50"]
	ended := make(chan int, 1)
	s.Exit = func(code int) { ended <- code }
	f.HoldAfter, f.OnHold = 50, func() {
		if d, err := record.Read(s.Out(record.FileName)); err != nil || len(d.Runs) != 1 ||
			d.Runs[0].Status != record.Unfinished {
			t.Errorf("while it runs, result.json says %+v, %v", d, err)
		}
		s.Signals <- os.Interrupt
		s.Signals <- syscall.SIGTERM
	}
	s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(),
		"--set", "min_duration=60000")
	select {
	case code := <-ended:
		if code != 130 {
			t.Errorf("the process ends with %d, want 130", code)
		}
	default:
		t.Error("the second signal did not end the process")
	}
	if f.Killed() != 1 {
		t.Errorf("the plugin was killed %d times, want once", f.Killed())
	}
}

func TestJSONToStdout(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "SingleStream", "--json", "--out", s.Out()))
	d, err := record.Parse([]byte(s.Stdout.String()))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, s.Stdout.String())
	}
	if len(d.Runs) != 2 || d.ExitCode != 0 {
		t.Errorf("%d runs, exit code %d; want 2 runs, 0", len(d.Runs), d.ExitCode)
	}
}

func TestReportThatCannotBeWritten(t *testing.T) {
	s := clitest.New(t)
	s.Redirect = failing{syscall.ENOSPC}
	s.Want(2, s.Run("run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", s.Out()),
		syscall.ENOSPC.Error())
	if run := s.Result().Runs[0]; run.Status != record.Complete {
		t.Errorf("the run is %s, want it complete in result.json", run.Status)
	}
	s.Want(2, s.Run("run", "resnet50", "--scenario", "Offline", "--repeat", "2", "--out", s.Out("twice")),
		syscall.ENOSPC.Error())
	if run := s.Result("twice", "2").Runs[0]; run.Status != record.Complete {
		t.Errorf("the second round is %s, want it made, whatever was printed of the first", run.Status)
	}
}

// TestOutputThatIsLost wants no command to end well whose output nobody can have read, though somebody waits for it.
func TestOutputThatIsLost(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy", "--out", s.Out()))
	for _, lost := range []error{syscall.ENOSPC, syscall.EIO} {
		s.Redirect = failing{lost}
		for _, args := range [][]string{{"list"}, {"score", s.Out()}, {"doctor"}, {"describe", "resnet50"},
			{"version"}, {"--help"}} {
			s.Want(2, s.Run(args...), lost.Error())
		}
	}
}

// TestReaderThatHasGone: a command whose reader has gone ends as if it had stayed.
func TestReaderThatHasGone(t *testing.T) {
	s := clitest.New(t)
	s.Redirect = failing{syscall.EPIPE}
	for code, args := range map[int][]string{
		0: {"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", s.Out()},
		3: {"run", "resnet50", "--scenario", "Offline", "--repeat", "2", "--out", s.Out("two"), "--fail-if", "result < 1e9"},
		2: {"run", "resnet51"},
	} {
		s.Want(code, s.Run(args...))
		if said := s.Stderr.String(); strings.Contains(said, syscall.EPIPE.Error()) {
			t.Errorf("%q speaks of its reader:\n%s", args, said)
		}
	}
	if run := s.Result("two", "2").Runs[0]; run.Status != record.Complete {
		t.Errorf("the second round is %s", run.Status)
	}
	for _, args := range [][]string{{"list"}, {"describe", "resnet50"}, {"--help"}} {
		s.Want(0, s.Run(args...))
	}
}

func TestUserConfIsKeptBesideTheResult(t *testing.T) {
	s := clitest.New(t)
	conf := s.File("my.conf", "*.SingleStream.target_latency = 0.00005\n")
	s.Want(0, s.Run("run", "resnet50", "--scenario", "SingleStream", "--mode", "performance",
		"--user-conf", conf, "--out", s.Out()))
	text, err := os.ReadFile(s.Out("resnet50", "SingleStream", "user.conf"))
	if err != nil || string(text) != "*.SingleStream.target_latency = 0.00005\n" {
		t.Errorf("user.conf: %q, %v", text, err)
	}
}

func TestScenarioThatTheRulesLack(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].Description.Models[0].Scenarios = []loadgen.Scenario{loadgen.SingleStream, loadgen.Offline}
	s.Want(2, s.Run("run", "resnet50", "--scenario", "Server"), "no Server scenario for resnet50", "SingleStream, Offline")
}
