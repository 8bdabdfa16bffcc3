package bench_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// speaker returns a plugin whose model generates tokens.
func speaker() *plugintest.Fake {
	f := plugintest.Classifier()
	f.Tokens = 12
	for i := range f.Description.Models {
		f.Description.Models[i].LoadGenKey, f.Description.Models[i].RulesKey = "llama3_1-8b", "llama3.1-8b"
		f.Description.Models[i].Scenarios = []loadgen.Scenario{loadgen.Server, loadgen.Offline}
	}
	return f
}

// A closed loop with a benchmark is measured like a server, and its record states that no LoadGen scenario corresponds
// to it.
func TestAClosedLoopAtABenchmark(t *testing.T) {
	r := request(t, speaker())
	r.Load.Concurrency = 3
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Runs) != 1 {
		t.Fatalf("%d runs", len(d.Runs))
	}
	run := d.Runs[0]
	if run.Status != record.Complete || run.Mode != record.ModeServing || run.Scenario != "" || run.Performance != nil ||
		run.Effective != nil || run.Verdict != "measured" || len(run.Settings) > 0 {
		t.Errorf("%s, mode %s, scenario %q, %q", run.Status, run.Mode, run.Scenario, run.Verdict)
	}
	if name := run.Name(); !strings.HasSuffix(name, "serving users=3") {
		t.Errorf("the run is called %q", name)
	}
	s := run.Serving
	if s == nil || s.Label != "no LoadGen scenario: closed loop" || !strings.HasPrefix(s.Sentence, "3 users wait") ||
		s.Load.Value != 3 || s.Ended != "requests" {
		t.Fatalf("%+v", s)
	}
	if f := s.Figures; f.OK == 0 || f.FailedTotal() > 0 || f.TTFT.N != f.OK || f.Gap.N > 0 || f.Out.Max != 12 {
		t.Errorf("%+v", f)
	}
	kept, err := record.Read(filepath.Join(r.Output.Dir, record.FileName))
	if err != nil || len(kept.Runs) != 1 || kept.Runs[0].Serving == nil {
		t.Errorf("result.json has %d runs, error %v", len(kept.Runs), err)
	}
}

// TestTheLengthOfAClosedLoop checks that a closed loop has the requested length, that the record contains the length,
// and that a loop of another length is another run.
func TestTheLengthOfAClosedLoop(t *testing.T) {
	r := request(t, speaker())
	r.Load.Concurrency, r.Load.Requests = 2, 9
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	run := d.Runs[0]
	if run.Serving.Asked.Sent != 9+8 || run.Serving.Ended != "requests" { // including eight warm-up requests
		t.Errorf("%d requests, ended by %s", run.Serving.Asked.Sent, run.Serving.Ended)
	}
	if len(run.Settings) != 1 || run.Settings[0].Key != "requests" || run.Settings[0].Value != "9" {
		t.Errorf("settings %+v", run.Settings)
	}
	r.Load.Requests, r.Load.Duration, r.Output.Force = 0, 50*time.Millisecond, true
	if d, err = bench.Run(t.Context(), r); err != nil || d.Runs[0].Serving.Ended != "duration" ||
		d.Runs[0].Settings[0].Value != "50ms" {
		t.Errorf("%v: %+v", err, d.Runs)
	}
}

func TestClosedLoopsThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*bench.Request){
		"--concurrency -1: want the number of users": func(r *bench.Request) { r.Load.Concurrency = -1 },
		"--concurrency and --scenario, --set: a closed loop is no scenario": func(r *bench.Request) {
			r.Load.Scenarios, r.Rules.Set = []string{"Server"}, []string{"min_duration=5"}
		},
		"a cap on the requests that the client has under way": func(r *bench.Request) {
			r.Model.BackendOptions = []string{"concurrency=32"}
		},
		"--requests -1: want a number":     func(r *bench.Request) { r.Load.Requests = -1 },
		"--duration -1s: want a time":      func(r *bench.Request) { r.Load.Duration = -time.Second },
		"--requests and --duration are of": func(r *bench.Request) { r.Load.Concurrency, r.Load.Duration = 0, time.Second },
		"--concurrency and --mode":         func(r *bench.Request) { r.Load.Mode = bench.ModeAccuracy },
	} {
		r := request(t, speaker())
		r.Load.Concurrency = 3
		change(&r)
		if _, err := bench.Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	r := request(t, plugintest.Classifier())
	r.Load.Concurrency = 3
	if _, err := bench.Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), "benchmarks of language models") {
		t.Errorf("a classifier: error %v", err)
	}
}
