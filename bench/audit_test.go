package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

const test04 = "# TEST04\n*.*.mode = 2\n*.*.performance_issue_same = 1\n*.*.performance_issue_same_index = 3\n"

func TestRunsOfAComplianceTest(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModePerformance
	if _, err := bench.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Rules.Test = bench.Test{Name: "TEST04", Config: test04}
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	const dir = "resnet50/Offline/TEST04"
	if got := d.Runs[0]; got.Dir != dir+"/performance/run_1" || got.Kind() != "TEST04" {
		t.Errorf("the run is %s in %s", got.Kind(), got.Dir)
	}
	kept := filepath.Join(r.Output.Dir, dir, "audit.config")
	if text, err := os.ReadFile(kept); err != nil || string(text) != test04 {
		t.Errorf("%v, audit.config holds %q", err, text)
	}
	detail, err := os.ReadFile(filepath.Join(r.Output.Dir, dir, "performance", "run_1", "mlperf_log_detail.txt"))
	if err != nil || !strings.Contains(string(detail), "Found Audit Config file ("+kept+")") {
		t.Errorf("%v; the log does not name %s", err, kept)
	}
	all, err := record.Read(filepath.Join(r.Output.Dir, record.FileName))
	if err != nil || len(all.Runs) != 2 || all.Runs[0].Test != "" || all.Runs[1].Test != "TEST04" {
		t.Errorf("%v, %d runs are recorded, want the run and its audit", err, len(all.Runs))
	}
}

func TestATestIsOneFolderWithItsOwnSettings(t *testing.T) {
	for want, r := range map[string]bench.Request{
		"name of a folder":          {Rules: bench.Rules{Test: bench.Test{Name: "../TEST04"}}},
		"are those of the rules":    {Rules: bench.Rules{Test: bench.Test{Name: "TEST04"}, Audit: "audit.config"}},
		"a test without a name":     {Rules: bench.Rules{Test: bench.Test{Config: test04}}},
		"TEST04 of rules v6.1:1":    {Rules: bench.Rules{Test: bench.Test{Name: "TEST04", Config: "*.*.no_such_key = 1\n"}}},
		"sets the mode SubmissionR": {Rules: bench.Rules{Test: bench.Test{Name: "TEST04", Config: "*.*.mode = 0\n"}}},
	} {
		whole := request(t, plugintest.Classifier())
		whole.Rules.Test, whole.Rules.Audit = r.Rules.Test, r.Rules.Audit
		if _, err := bench.NewPlan(t.Context(), whole); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", r.Rules.Test, err, want)
		}
	}
}

// earlier returns the earlier results of each run of the request.
func earlier(t *testing.T, r bench.Request) []bench.Earlier {
	t.Helper()
	p, err := bench.NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.Earlier()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEarlier(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModeSubmission
	if found := earlier(t, r); len(found) != 2 || found[0].Run != nil || found[0].Finished() {
		t.Errorf("nothing was run: %+v", found)
	}
	if _, err := bench.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if found := earlier(t, r); !found[0].Finished() || !found[1].Finished() {
		t.Errorf("%+v", found)
	}
	for want, change := range map[string]func(*bench.Request){
		"other settings": func(r *bench.Request) { r.Rules.Set = []string{"min_duration=200"} },
		"other options":  func(r *bench.Request) { r.Model.Batch = 2 },
		"other rules":    func(r *bench.Request) { r.Rules.Round = "v6.0" },
	} {
		other := r
		change(&other)
		if found := earlier(t, other); found[0].Finished() || !strings.Contains(found[0].Differs, want) {
			t.Errorf("%+v, want %q", found[0], want)
		}
	}
	if err := os.Remove(filepath.Join(r.Output.Dir, "resnet50", "Offline", "accuracy", "accuracy.txt")); err != nil {
		t.Fatal(err)
	}
	if found := earlier(t, r); !found[0].Finished() || !strings.Contains(found[1].Unfinished, "files") {
		t.Errorf("a file is gone: %+v", found)
	}
}
