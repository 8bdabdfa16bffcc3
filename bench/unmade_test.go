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

// TestUnmade checks that records of executed runs replace those of runs that were not made.
func TestUnmade(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModeSubmission
	p, err := bench.NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := bench.Record(r.Output.Dir, p.Unmade()...); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", "resnet50/Offline"} {
		d, err := record.Read(filepath.Join(r.Output.Dir, dir, record.FileName))
		if err != nil || len(d.Runs) != 2 || d.ExitCode != 130 || d.Runs[0].Status != record.NotRun {
			t.Errorf("%s: %v, %d runs, exit code %d", dir, err, len(d.Runs), d.ExitCode)
		}
	}
	if left, err := filepath.Glob(filepath.Join(r.Output.Dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %q is left", err, left)
	}
	if d, err := bench.Run(t.Context(), r); err != nil || d.ExitCode != 0 {
		t.Errorf("%v, exit code %d", err, d.ExitCode)
	}
	d, err := record.Read(filepath.Join(r.Output.Dir, record.FileName))
	if err != nil || len(d.Runs) != 2 || d.ExitCode != 0 {
		t.Errorf("%v, %d runs, exit code %d", err, len(d.Runs), d.ExitCode)
	}
}

// TestRecordInAFolderThatCannotBe checks the error for an impossible folder.
func TestRecordInAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := bench.Record(filepath.Join(file, "out"), record.Run{Model: "m", Scenario: "Offline"}); err == nil ||
		!strings.Contains(err.Error(), "--out") {
		t.Errorf("%v", err)
	}
}

// TestARunThatIsJudgedLater checks that such a run is not finished before it is judged, and is not repeated for this.
func TestARunThatIsJudgedLater(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModePerformance
	r.Rules.Test = bench.Test{Name: "TEST04", Config: test04, Judged: true}
	d, err := bench.Run(t.Context(), r)
	if err != nil || d.ExitCode != 130 || d.Runs[0].TestVerdict != record.TestNotJudged || !d.Runs[0].Good() {
		t.Fatalf("%v, exit code %d, %s", err, d.ExitCode, d.Runs[0].TestVerdict)
	}
	if found := earlier(t, r); !found[0].Finished() {
		t.Errorf("%+v", found[0])
	}
	d.Runs[0].Judge(false)
	if err := bench.Record(r.Output.Dir, d.Runs[0]); err != nil {
		t.Fatal(err)
	}
	if all, err := record.Read(filepath.Join(r.Output.Dir, record.FileName)); err != nil || all.ExitCode != 3 {
		t.Errorf("%v, exit code %d", err, all.ExitCode)
	}
	if found := earlier(t, r); !found[0].Finished() {
		t.Errorf("a failed audit is made again: %+v", found[0])
	}
}
