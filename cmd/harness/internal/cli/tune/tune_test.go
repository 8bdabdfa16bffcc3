package tune_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// newTuner is a shell with a folder of settings.
func newTuner(t *testing.T) *clitest.Shell {
	s := clitest.New(t)
	s.Env["PLUMBLINE_CONFIG"] = filepath.Join(s.Dir, "settings")
	return s
}

// tuneArgs search a grid of two settings, each for some milliseconds.
func tuneArgs(more ...string) []string {
	return append([]string{"tune", "resnet50", "--try-batch", "3", "--try-sessions", "2", "--try-threads", "5",
		"--time", "2ms"}, more...)
}

// profileOf is the path and the contents of the only profile.
func profileOf(s *clitest.Shell) (string, tune.Profile) {
	s.T.Helper()
	all, _ := filepath.Glob(filepath.Join(s.Dir, "settings", "tuning", "*"))
	if len(all) != 1 {
		s.T.Fatalf("the profiles are %q, want one", all)
	}
	p, err := tune.Load(all[0])
	if err != nil {
		s.T.Fatal(err)
	}
	return all[0], p
}

// prefer makes the setting that was tried the best one, whatever was measured.
func prefer(s *clitest.Shell) string {
	s.T.Helper()
	path, p := profileOf(s)
	p.Offline.Setting, p.Server.Setting = tune.Setting{Batch: 3, Sessions: 2, Threads: 5},
		tune.Setting{Batch: 4, Sessions: 1}
	p.Offline.SamplesPerSecond, p.Server.TargetQPS = 100_000_000, 30_000
	p.Offline.Decided = true
	if err := p.Save(path); err != nil {
		s.T.Fatal(err)
	}
	return path
}

// certain lets runs use the setting of the profile, which tests of milliseconds leave open.
func certain(s *clitest.Shell) (path string) {
	s.T.Helper()
	path, p := profileOf(s)
	p.Offline.Decided = true
	if err := p.Save(path); err != nil {
		s.T.Fatal(err)
	}
	return path
}

func tuneRuns(s *clitest.Shell, args ...string) int {
	s.T.Helper()
	return s.Run(append([]string{"run", "resnet50", "--mode", "performance", "--force", "--out", s.Out()}, args...)...)
}

func origin(r record.Run, key string) string {
	for _, setting := range r.Settings {
		if setting.Key == key {
			return setting.Value + " " + setting.Origin
		}
	}
	return ""
}

func TestTuneAndRun(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs()...), "BATCH", "SAMPLES/S", "auto", "Offline ", "TARGET_QPS", "(confirms)",
		"is VALID (1m0s at 99 %)", "uses it from now on (--tuning none: not)")
	path, p := profileOf(s)
	if p.Offline == nil || len(p.Offline.Points) != 2 || p.Server == nil || !(p.Server.TargetQPS > 0) ||
		p.Machine.CPU != "Example CPU @ 2.00GHz" || p.For.Precision != "fp32" || p.For.Backend != "ort" {
		t.Errorf("the profile is %+v", p)
	}
	html := filepath.Join(s.Dir, "tuning.html")
	s.Want(0, s.Run("report", path, "--html", html, "--text"), "1 profile of harness tune", "Server, target_qps",
		"the plugin's own choice", "batch 3, 2 sessions, 5 threads")
	if page, err := os.ReadFile(html); err != nil || !strings.Contains(string(page), `id="profile-1"`) {
		t.Errorf("%v: a page of %d bytes without the profile", err, len(page))
	}
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out", s.Out()))
	s.Want(0, s.Run("report", s.Out(), path), "1 run: 1 VALID (smoke); 1 profile of harness tune")
	if got := prefer(s); got != path {
		t.Fatal(got)
	}
	s.Want(0, tuneRuns(s),
		"tuning    Server batch 4, 1 session, target_qps 30000; Offline batch 3, 2 sessions, 5 threads, "+
			"target_qps 120000000 ("+path+")")
	for _, r := range s.Result().Runs {
		tuned := r.Scenario == "Server" || r.Scenario == "Offline"
		if (r.Tuning == path) != tuned || !strings.Contains(r.TuningNote, path) {
			t.Errorf("%s: tuning %q, note %q", r.Scenario, r.Tuning, r.TuningNote)
		}
		wants := map[string]record.Options{"Server": {Batch: 4, Sessions: 1}, "Offline": {Batch: 3, Sessions: 2}}
		if want := wants[r.Scenario]; r.Options.Batch != want.Batch || r.Options.Sessions != want.Sessions ||
			(r.Options.BackendOptions["threads"] == "5") != (r.Scenario == "Offline") {
			t.Errorf("%s: options %+v", r.Scenario, r.Options)
		}
		if got := origin(r, "target_qps"); r.Scenario == "Server" && got != "30000 tuning "+path {
			t.Errorf("target_qps is %q", got)
		}
	}
	for i, o := range s.Fakes["resnet50"].Opened() {
		if o.Scenario == loadgen.SingleStream && o.Batch != 0 {
			t.Errorf("open %d: SingleStream got %+v", i, o)
		}
	}
}

// What a user says counts more than a profile, and nothing that was not measured together is mixed.
func TestFlagsAndProfiles(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs()...))
	path := prefer(s)
	conf := s.File("user.conf", "*.Server.target_qps = 20000\n")
	cases := []struct {
		args    []string
		batch   int
		qps     string
		tuning  string
		printed string
	}{
		{nil, 4, "30000", path, path},
		{[]string{"--tuning", "none"}, 0, "40000", "", ""},
		{[]string{"--batch", "9"}, 9, "40000", "", path + " is not used: --batch given"},
		{[]string{"--sessions", "9", "--threads", "1"}, 0, "40000", "", "is not used: --sessions, --threads given"},
		{[]string{"--tuning", path, "--batch", "9"}, 9, "40000", path, "Server batch 9, 1 session (" + path},
		{[]string{"--user-conf", conf}, 4, "20000", path, path},
		{[]string{"--set", "target_qps=10000"}, 4, "10000", path, path},
		{[]string{"--set", "target_latency=30000"}, 4, "40000", path,
			"target_qps 30000 is not used: it was found for 1m0s at 99 %, and this run wants 30s at 99 %"},
		{[]string{"--set", "min_duration=60"}, 4, "40000", path,
			"target_qps 30000 is not used: it was found in runs of 5 ms, and this one takes 60 ms"},
		{[]string{"--precision", "int8"}, 0, "40000", "", ""},
		{[]string{"--tuning", path, "--precision", "int8"}, 4, "30000", path, "it was measured with another precision"},
	}
	for _, c := range cases {
		s.Want(0, tuneRuns(s, append(c.args, "--scenario", "Server")...), c.printed)
		r := s.Result().Runs[0]
		if qps, _, _ := strings.Cut(origin(r, "target_qps"), " "); r.Options.Batch != c.batch || qps != c.qps ||
			r.Tuning != c.tuning {
			t.Errorf("%v: batch %d, target_qps %s, tuning %q; want %+v", c.args, r.Options.Batch, qps, r.Tuning, c)
		}
		if c.printed == "" && strings.Contains(s.Stdout.String(), "tuning  ") {
			t.Errorf("%v: a line on tuning in:\n%s", c.args, s.Stdout.String())
		}
	}
	s.Want(0, s.Run("run", "resnet50", "--dry-run", "--scenario", "Offline"),
		"tuning    Offline batch 3, 2 sessions, 5 threads", "tuning "+path)
	s.Want(0, s.Run("settings", "resnet50", "--scenario", "Server"), "30000", "tuning "+path)
	s.Want(0, s.Run("run", "resnet50", "--dry-run", "--scenario", "SingleStream", "--mode", "performance"))
	if strings.Contains(s.Stdout.String(), path) {
		t.Errorf("a profile that no run uses is named:\n%s", s.Stdout.String())
	}
}

func TestProfilesThatDoNotFit(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs("--scenario", "Offline")...))
	path, p := profileOf(s)
	sum := p.PluginSHA256
	p.PluginSHA256 = strings.Repeat("0", 64)
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	s.Want(0, tuneRuns(s), "tuning    "+path+
		" ignored: it is for another build of the plugin (sha256 000000000000; this is "+sum[:12]+
		"); harness tune measures anew")
	if r := s.Result().Runs[3]; r.Tuning != "" || !strings.Contains(r.TuningNote, "ignored") || r.Options.Batch != 0 {
		t.Errorf("the result says %q, %q, options %+v", r.Tuning, r.TuningNote, r.Options)
	}
	s.Want(0, tuneRuns(s, "--tuning", path, "--scenario", "Offline"), "it was measured with another build of the plugin")
	s.Want(2, s.Run("run", "mobilenet", "--tuning", path, "--out", s.Out("m")),
		"it is for the model resnet50, not mobilenet")
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Want(0, tuneRuns(s), "tuning    ignored: tuned settings: "+path)
	s.Want(2, tuneRuns(s, "--tuning", path), "--tuning: tuned settings: "+path)
	s.Want(2, tuneRuns(s, "--tuning", path+"x"), "no such file")
}

// A search of one scenario keeps what is known of the other.
func TestTuneOneScenario(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs("--scenario", "Offline")...))
	_, first := profileOf(s)
	if first.Offline == nil || first.Server != nil {
		t.Fatalf("%+v", first)
	}
	s.Want(0, s.Run(tuneArgs("--scenario", "Server")...), "is VALID")
	if strings.Contains(s.Stdout.String(), "SAMPLES/S") {
		t.Error("the grid was measured")
	}
	if _, p := profileOf(s); p.Server == nil || p.Offline == nil ||
		p.Offline.SamplesPerSecond != first.Offline.SamplesPerSecond {
		t.Errorf("%+v", p)
	}
	f := s.Fakes["resnet50"]
	f.Description.Models[0].Scenarios = []loadgen.Scenario{loadgen.SingleStream, loadgen.Server}
	s.Want(0, s.Run(tuneArgs("--tuning", filepath.Join(s.Dir, "own.json"))...),
		"own.json", "--tuning "+filepath.Join(s.Dir, "own.json")+" uses it")
	f.Description.Models[0].Scenarios = []loadgen.Scenario{loadgen.SingleStream}
	s.Want(2, s.Run(tuneArgs()...), "neither is among its scenarios")
}

func TestTuneWithoutAValidRate(t *testing.T) {
	s := newTuner(t)
	s.Fakes["resnet50"].IssueTime = func(int) time.Duration { return 2 * time.Millisecond }
	s.Want(3, s.Run(tuneArgs("--set", "Server.target_latency=1", "--set", "Server.min_query_count=100")...),
		"no VALID rate was found", "written to")
	if _, p := profileOf(s); p.Offline == nil || p.Server != nil {
		t.Errorf("%+v", p)
	}
}

// Settings that no run can be VALID with are said to be the reason, and cost no rate that was found before.
func TestTuneWithImpossibleSettings(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs()...))
	_, before := profileOf(s)
	impossible := tuneArgs("--scenario", "Server", "--set", "max_query_count=50")
	s.Want(3, s.Run(impossible...), "INVALID        -  ", "the last run was INVALID\n",
		"max_query_count = 50 ends the run", "keeps the rate of an earlier search", "no profile is written")
	if _, p := profileOf(s); p.Server == nil || p.Server.TargetQPS != before.Server.TargetQPS {
		t.Errorf("the profile was %+v, is %+v", before.Server, p.Server)
	}
	s.Want(3, s.Run(append(impossible, "--json")...), `"reason": "aborted: `, `"points": []`)
}

// A profile that cannot be written loses nothing of what was measured.
func TestTuneCannotSave(t *testing.T) {
	s := newTuner(t)
	path := filepath.Join(s.Dir, "own.json")
	s.Fakes["resnet50"].IssueTime = func(int) time.Duration {
		_ = os.MkdirAll(path, 0o755) // it is there since the first query
		return 0
	}
	args := tuneArgs("--scenario", "Offline", "--tuning", path)
	s.Want(2, s.Run(args...), "SAMPLES/S", "Offline  ", "no profile is written: "+path+" cannot be saved",
		"tuned settings")
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.Want(2, s.Run(append(args, "--json")...), `"complete": true`, `"samples_per_second"`, `"profile"`, `"trials": []`)
	if strings.Contains(s.Stdout.String(), `"file"`) {
		t.Errorf("a file is named:\n%s", s.Stdout.String())
	}
}

// Where the profile goes is seen to before the search, and no other file is replaced.
func TestTuneFiles(t *testing.T) {
	s := newTuner(t)
	model := s.File("model.onnx", "weights")
	for path, want := range map[string]string{
		"none":                           "want the file to write the profile to",
		model:                            "it is not replaced, since it is no profile",
		s.Dir:                            "it is a folder",
		filepath.Join(model, "own.json"): "cannot be written to " + filepath.Join(model, "own.json"),
	} {
		s.Want(2, s.Run(tuneArgs("--tuning", path)...), want)
	}
	if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
	if text, err := os.ReadFile(model); err != nil || string(text) != "weights" {
		t.Errorf("the model is %q, %v", text, err)
	}
	own := filepath.Join(s.Dir, "new", "own.json")
	for range 2 { // a profile of its own is replaced
		s.Want(0, s.Run(tuneArgs("--scenario", "Offline", "--tuning", own)...), "written to "+own)
	}
}

// A profile without points tells nothing of settings: the plugin's own choice is searched.
func TestTuneAfterAProfileWithoutPoints(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs("--scenario", "Offline")...))
	path, p := profileOf(s)
	p.Offline.Points = nil
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run(tuneArgs("--scenario", "Server")...), "is VALID", "the plugin's own choice")
}

func TestTuneJSON(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs("--json")...))
	var doc struct {
		File     string
		Complete bool
		Profile  tune.Profile
		Points   []tune.Point
		Trials   []tune.Trial
	}
	if err := json.Unmarshal([]byte(s.Stdout.String()), &doc); err != nil {
		t.Fatalf("%v in %s", err, s.Stdout.String())
	}
	if path, p := profileOf(s); doc.File != path || !doc.Complete || doc.Profile.Server.TargetQPS != p.Server.TargetQPS ||
		len(doc.Points) != 2 || len(doc.Trials) == 0 {
		t.Errorf("%+v", doc)
	}
}

// Ctrl-C keeps what was measured. A search that it ended has no profile; one of the rate leaves the setting.
func TestInterruptedTune(t *testing.T) {
	t.Parallel() // it mostly waits
	s := newTuner(t)
	f := s.Fakes["resnet50"]
	f.HoldAfter, f.OnHold = 1000, func() { s.Signals <- syscall.SIGINT }
	s.Want(130, s.Run(tuneArgs("--time", "1s", "--scenario", "Offline")...),
		"did not come to its end: no profile is written", "interrupted by signal")
	if all, _ := filepath.Glob(filepath.Join(s.Dir, "settings", "tuning", "*")); len(all) != 0 {
		t.Errorf("%q is written", all)
	}
	f.HoldAfter, f.OnHold = 0, nil
	s.Want(0, s.Run(tuneArgs("--scenario", "Offline")...))
	f.HoldAfter, f.OnHold = 2000, func() { s.Signals <- syscall.SIGINT }
	s.Want(130, s.Run(tuneArgs("--scenario", "Server", "--set", "min_query_count=5000")...), "no profile is written",
		"interrupted by signal")
	if _, p := profileOf(s); p.Offline == nil {
		t.Error("the profile is lost")
	}
}

func TestTuneFaults(t *testing.T) {
	s := newTuner(t)
	s.Want(2, s.Run("tune", "resnet50", "--try-batch", "0", "--time", "0s", "--backend-opt", "threads=3"),
		"--try-batch", "--time", "give --try-threads")
	s.Want(2, s.Run("tune", "resnet50", "--scenario", "SingleStream"), "neither")
	s.Want(2, s.Run("run", "resnet50", "--tuning", s.File("x.json", "{}")), "x.json", "schema")
	if strings.Contains(s.Stdout.String(), "sha256") {
		t.Error("a run began")
	}
	s.Fakes["resnet50"].OpenErr = errors.New("no such device")
	s.Want(6, s.Run(tuneArgs()...), "opening resnet50: no such device")
	delete(s.Env, "PLUMBLINE_CONFIG")
	s.Fakes["resnet50"].OpenErr = nil
	s.Want(2, s.Run(tuneArgs()...), "set PLUMBLINE_CONFIG")
	if n := len(s.Fakes["resnet50"].Opened()); n != 1 {
		t.Errorf("%d workloads were opened without a place for the profile", n)
	}
}

// A data set that is smaller than what tests use is used whole.
func TestTuneOnASmallDataSet(t *testing.T) {
	s := newTuner(t)
	f := s.Fakes["resnet50"]
	f.Description.Models[0].Datasets[0].Samples = 100
	f.OpenErr = errors.New("it has 10 samples")
	s.Want(6, s.Run(tuneArgs()...), "opening resnet50: it has 10 samples")
	if o := f.Opened(); len(o) != 2 || o[0].Count != 64 || o[1].Count != 0 {
		t.Errorf("opened %+v", o)
	}
}

// A plugin that dies while it is opened has not refused the part to measure with: the search ends, and does not load
// the whole data set in each test.
func TestTuneWithAPluginThatDies(t *testing.T) {
	s := newTuner(t)
	f := s.Fakes["resnet50"]
	f.Description.Models[0].Datasets[0].Samples = 100
	f.OpenErr = &host.PluginError{Kind: host.KindDied, Plugin: "resnet50", Found: "the process was killed"}
	s.Want(5, s.Run(tuneArgs()...), "opening resnet50: ", "the process was killed")
	if o := f.Opened(); len(o) != 1 || o[0].Count != 64 {
		t.Errorf("opened %+v", o)
	}
}

// A machine without profiles runs as if there were none, and says nothing.
func TestRunWithoutAProfile(t *testing.T) {
	s := newTuner(t)
	s.Want(0, tuneRuns(s))
	runs := s.Result().Runs
	if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Tuning != "" || r.TuningNote != "" }) ||
		strings.Contains(s.Stdout.String(), "tuning") {
		t.Errorf("tuning is spoken of:\n%s", s.Stdout.String())
	}
}

// A profile tells nothing of secrets, and runs with others use it: they do the same work.
func TestSecretsStayOutOfProfiles(t *testing.T) {
	s := newTuner(t)
	args, secrets := s.Secrets()
	s.Want(0, s.Run(append(tuneArgs("--json", "--scenario", "Offline"), args...)...), `"licence": "(secret)"`)
	s.WantHidden(secrets, filepath.Join(s.Dir, "settings"))
	path := certain(s)
	args[slices.Index(args, "token=sesame-token")] = "token=sesame-other"
	// What was measured in milliseconds may be too little for a run of its duration.
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance",
		"--set", "target_qps=100000000", "--out", s.Out()}, args...)
	s.Want(0, s.Run(run...), path)
	if r := s.Result().Runs[0]; r.Tuning != path {
		t.Errorf("the run used the profile %q: %s", r.Tuning, r.TuningNote)
	}
	s.WantHidden(append(secrets, "sesame-other"), s.Out())
	s.Want(0, s.Run(append(run, "--force", "--backend-opt", "other=1")...))
	if r := s.Result().Runs[0]; r.Tuning != "" {
		t.Errorf("a run with another option uses the profile %s", r.Tuning)
	}
}

// A setting that the search called not certain is used by the runs that name the profile, and by no others.
func TestTuningThatIsNotCertain(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs("--scenario", "Offline")...))
	path := certain(s)
	dry := []string{"run", "resnet50", "--dry-run", "--scenario", "Offline"}
	s.Want(0, s.Run(dry...), " ("+path+")")
	_, p := profileOf(s)
	p.Offline.Decided = false
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run(dry...), "for Offline is not used: harness tune called it not certain (--tuning "+path+" uses it)")
	s.Want(0, s.Run(append(dry, "--tuning", path)...), " ("+path+")")
}
