package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// request returns a request for the plugin "resnet50", which runs in memory, with a results folder of the test.
func request(t *testing.T, f *plugintest.Fake) bench.Request {
	t.Helper()
	l, dir := plugintest.New(map[string]*plugintest.Fake{"resnet50": f}), t.TempDir()
	if err := l.Install(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := f.Running(); n != 0 {
			t.Errorf("%d plugins are left", n)
		}
	})
	return bench.Request{
		Plugins: bench.Plugins{Dirs: []string{dir}, Launcher: l},
		Model:   bench.Model{Name: "resnet50"},
		Output:  bench.Output{Dir: filepath.Join(t.TempDir(), "out")},
	}
}

// statuses lists the statuses of the runs in a document.
func statuses(d record.Document) []record.Status {
	var all []record.Status
	for _, r := range d.Runs {
		all = append(all, r.Status)
	}
	return all
}

func TestRun(t *testing.T) {
	r := request(t, plugintest.Classifier())
	var seen []string
	see := func(what string, rec record.Run) { seen = append(seen, what+" "+rec.Scenario+" "+rec.Mode) }
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModeSubmission
	r.Output.Watch = bench.Watch{
		Begun:  func() { seen = append(seen, "begun") },
		Opened: func(rec record.Run) { see("opened", rec) },
		Done:   func(rec record.Run) { see("done", rec) },
	}
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"begun", "opened Offline performance", "done Offline performance", "opened Offline accuracy",
		"done Offline accuracy"}
	if !slices.Equal(seen, want) {
		t.Errorf("saw %q, want %q", seen, want)
	}
	written, err := os.ReadFile(filepath.Join(r.Output.Dir, record.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.JSON(); err != nil || string(text) != string(written) {
		t.Errorf("%v; the document and the file differ:\n%s\n%s", err, text, written)
	}
	if text := fmt.Sprint(d.Runs[1]); text != "resnet50 Offline accuracy: PASS, 95.000 %" {
		t.Errorf("the run is %q", text)
	}
	if _, err := bench.Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), "already holds results") {
		t.Errorf("a second run in the same folder: %v", err)
	}
	r.Output.Force = true
	if _, err := bench.Run(t.Context(), r); err != nil {
		t.Errorf("with Force: %v", err)
	}
}

func TestRunNamesEveryFault(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Load.Scenarios, r.Load.Pace, r.Data.Count = []string{"Onfline"}, "slow", -1
	d, err := bench.Run(t.Context(), r)
	if err == nil || len(d.Runs) != 0 {
		t.Fatalf("%v, %+v", err, d)
	}
	for _, want := range []string{"Offline", "unknown pace", "--count -1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
	if _, err := os.Stat(r.Output.Dir); err == nil {
		t.Errorf("%s was made", r.Output.Dir)
	}
}

func TestRunOfAPluginThatDies(t *testing.T) {
	f := plugintest.Classifier()
	f.DieAfter = 10
	r := request(t, f)
	r.Load.Scenarios, r.Load.Mode = []string{"SingleStream", "Offline"}, bench.ModePerformance
	d, err := bench.Run(t.Context(), r)
	var died *host.PluginError
	if !errors.As(err, &died) {
		t.Errorf("%v, want the plugin's failure", err)
	}
	if got := statuses(d); !slices.Equal(got, []record.Status{record.Failed, record.NotRun}) {
		t.Errorf("the runs are %v", got)
	}
}

func TestRunThatIsCalledOff(t *testing.T) {
	f := plugintest.Classifier()
	r := request(t, f)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f.HoldAfter, f.OnHold = 10, func() { cancel(loadgen.ErrInterrupted) }
	r.Load.Scenarios, r.Load.Mode = []string{"SingleStream"}, bench.ModePerformance
	d, err := bench.Run(ctx, r)
	if !errors.Is(err, loadgen.ErrInterrupted) {
		t.Errorf("%v", err)
	}
	if got := statuses(d); !slices.Equal(got, []record.Status{record.Interrupted}) || len(d.Runs[0].Files) == 0 {
		t.Errorf("the runs are %v", got)
	}
}

// Results contain no secrets, without any action of the caller.
func TestRunHidesSecrets(t *testing.T) {
	f := plugintest.Classifier()
	f.OpenErr = sdk.Data(errors.New("refused: sesame-one sesame-two sesame-three"))
	r := request(t, f)
	r.Model.BackendSecrets = map[string]string{"licence": "sesame-one"}
	r.Model.SecretSources, r.Model.BackendOptions = []string{"pin=env:PIN"}, []string{"key_env=KEY"}
	r.Model.Env = func(name string) string { return map[string]string{"PIN": "sesame-two", "KEY": "sesame-three"}[name] }
	d, err := bench.Run(t.Context(), r)
	if err == nil {
		t.Error("no error")
	}
	text, err := d.JSON()
	if err != nil || strings.Contains(string(text), "sesame") || !strings.Contains(string(text), "refused: (secret)") {
		t.Errorf("%v:\n%s", err, text)
	}
	if o := f.Opened()[0].BackendOptions; o["licence"] != "sesame-one" || o["pin"] != "sesame-two" {
		t.Errorf("the plugin was given %v", o)
	}
}

// TestAScoreIsPossibleBeforeTheFirstRun checks that missing requirements of an accuracy run end the plan before any
// run. Without an accuracy run they are not checked.
func TestAScoreIsPossibleBeforeTheFirstRun(t *testing.T) {
	f := plugintest.Classifier()
	f.OpenScorerErr = func(sdk.ScoreOptions) error { return sdk.Data(errors.New("no references")) }
	r := request(t, f)
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModeSubmission
	d, err := bench.Run(t.Context(), r)
	if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "no references") ||
		!strings.Contains(err.Error(), "--mode performance") {
		t.Errorf("%v, want what is missing and what goes without it", err)
	}
	if got := statuses(d); !slices.Equal(got, []record.Status{record.Failed, record.NotRun}) || len(f.Opened()) != 1 ||
		d.Runs[0].Performance != nil {
		t.Errorf("runs %v, %d workloads opened, measured %v; want one that is opened, and nothing measured", got,
			len(f.Opened()), d.Runs[0].Performance)
	}
	r.Load.Mode, r.Output.Force = bench.ModePerformance, true
	if d, err := bench.Run(t.Context(), r); err != nil {
		t.Errorf("%v: %v of a performance run alone", statuses(d), err)
	}
}

// TestAScoreIsLookedAtOncePerModel checks that the scorer is checked once per plan, and again if a server answers
// instead of the embedded model, because its score has other defaults.
func TestAScoreIsLookedAtOncePerModel(t *testing.T) {
	for nodes, want := range map[int][]bool{0: {true, true}, 1: {false, false}} {
		f := plugintest.Classifier()
		for range nodes {
			f.Info.Nodes = append(f.Info.Nodes, sdk.NodeInfo{Address: "10.0.0.1:8000"})
		}
		r := request(t, f)
		r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModeSubmission
		if _, err := bench.Run(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, o := range f.Scored() {
			got = append(got, o.Embedded)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d nodes: scorers of the embedded model: %v, want %v", nodes, got, want)
		}
	}
}

func TestScore(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Load.Scenarios, r.Load.Mode = []string{"Server", "Offline"}, bench.ModeAccuracy
	if _, err := bench.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	all, err := bench.Score(t.Context(), bench.ScoreRequest{Plugins: r.Plugins, Path: r.Output.Dir})
	if err != nil || len(all) != 2 || !all[0].Verdict.OK() || all[0].Unwritten != nil ||
		!strings.Contains(all[0].OfficialText, "hash=") {
		t.Errorf("%v, %+v", err, all)
	}
	all, err = bench.Score(t.Context(), bench.ScoreRequest{
		Plugins: r.Plugins, Path: r.Output.Dir, Targets: []string{"accuracy=99"},
	})
	if err != nil || all[1].Verdict.OK() {
		t.Errorf("%v, %+v", err, all)
	}
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, []byte("[\n{"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{t.TempDir(), filepath.Join(r.Output.Dir, "none"), cut} {
		_, err := bench.Score(t.Context(), bench.ScoreRequest{Plugins: r.Plugins, Path: path, Model: "resnet50"})
		if !errors.Is(err, sdk.ErrData) {
			t.Errorf("%s: %v, want a fault of the data", path, err)
		}
	}
}

// TestScoreWritesAnswersToHandIn checks that the scorer receives the samples that the round requires and that its files
// are in the log's folder.
func TestScoreWritesAnswersToHandIn(t *testing.T) {
	f := plugintest.Classifier()
	f.Description.Models[0].RulesKey = "stable-diffusion-xl"
	f.Score.Files = []sdk.ScoreFile{{Name: "images/95.png", Data: []byte("picture")}}
	r := request(t, f)
	r.Load.Scenarios, r.Load.Mode, r.Rules.Round = []string{"Offline"}, bench.ModeAccuracy, "v5.0"
	if _, err := bench.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(r.Output.Dir, "resnet50", "Offline", "accuracy", "images", "95.png")
	for range 2 {
		if shown := f.Scored()[len(f.Scored())-1].Show; len(shown) != 10 || shown[9] != 95 {
			t.Errorf("shown %v, want ten samples of round v5.0", shown)
		}
		if err := os.Remove(picture); err != nil {
			t.Fatal(err)
		}
		if _, err := bench.Score(t.Context(), bench.ScoreRequest{Plugins: r.Plugins, Path: r.Output.Dir}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bench.Score(t.Context(), bench.ScoreRequest{
		Plugins: r.Plugins, Path: r.Output.Dir, Rules: "v6.1",
	}); err != nil || f.Scored()[len(f.Scored())-1].Show != nil {
		t.Errorf("v6.1 asks for none: %v, %v", f.Scored()[len(f.Scored())-1].Show, err)
	}
}

func TestTuneAndRun(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Model.Profiles, r.Load.Scenarios = t.TempDir(), []string{"Offline"}
	found, err := bench.Tune(t.Context(), bench.TuneRequest{
		Request: r, Batches: []int{3}, Sessions: []int{2}, Threads: []int{5}, Time: 2 * time.Millisecond,
	})
	if err != nil || !found.Complete || !found.Written || len(found.Points) == 0 {
		t.Fatalf("%v, %+v", err, found)
	}
	r.Model.Tuning = found.Path
	p, err := bench.NewPlan(t.Context(), r)
	if err != nil || p.Tuning.File != found.Path {
		t.Errorf("%v, tuning %+v", err, p.Tuning)
	}
	r.Model.Tuning, r.Model.Profiles = "", ""
	if _, err := bench.Tune(t.Context(), bench.TuneRequest{
		Request: r, Batches: []int{1}, Time: time.Millisecond,
	}); err == nil {
		t.Error("a profile without a place is no error")
	}
}

// TestTuneAtAServer checks that a model on a server is tuned with numbers of requests in flight, which later runs use,
// and not with this machine's sessions or threads.
func TestTuneAtAServer(t *testing.T) {
	f := plugintest.Classifier()
	f.Info.Nodes = []sdk.NodeInfo{{Address: "10.0.0.1:8000"}}
	r := request(t, f)
	r.Model.Profiles, r.Load.Scenarios = t.TempDir(), []string{"Offline"}
	tune := bench.TuneRequest{Request: r, Batches: []int{1, 2}, Requests: []int{3, 5}, Time: time.Millisecond}
	found, err := bench.Tune(t.Context(), tune)
	if err != nil || len(found.Points) != 3 {
		t.Fatalf("%v, %+v; want the plugin's own choice and two numbers of requests", err, found.Points)
	}
	best := found.Points[0]
	for _, p := range found.Points {
		if p.Requests > 0 && p.SamplesPerSecond > best.SamplesPerSecond || best.Requests == 0 {
			best = p
		}
		if p.Sessions+p.Threads > 0 {
			t.Errorf("tried %+v", p)
		}
	}
	profile := found.Profile
	profile.Offline.Setting = best.Setting // whichever setting was fastest on this machine
	if err := profile.Save(found.Path); err != nil {
		t.Fatal(err)
	}
	run := r
	run.Load.Mode, run.Model.Tuning = bench.ModePerformance, found.Path
	if _, err := bench.Run(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	opened := f.Opened()
	if got := opened[len(opened)-1].BackendOptions["concurrency"]; got != strconv.Itoa(best.Requests) {
		t.Errorf("the run asked for %q requests in flight, want %d of the profile", got, best.Requests)
	}
	tune.Requests, tune.Sessions = nil, []int{2}
	if _, err := bench.Tune(t.Context(), tune); !errors.Is(err, sdk.ErrUsage) ||
		!strings.Contains(err.Error(), "--try-requests") {
		t.Errorf("%v of sessions at a server", err)
	}
	f.Info.Nodes, tune.Requests, tune.Sessions = nil, []int{2}, nil
	if _, err := bench.Tune(t.Context(), tune); !errors.Is(err, sdk.ErrUsage) ||
		!strings.Contains(err.Error(), "--try-sessions") {
		t.Errorf("%v of requests in flight on this machine", err)
	}
}

func TestKillWithoutPlugin(t *testing.T) {
	new(bench.Plan).Kill() // no effect, because no plugin is running
}
