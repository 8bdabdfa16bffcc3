package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// The official LoadGen's log of a token run has its verdict and percentiles.
func TestReadOfficial(t *testing.T) {
	run, err := Bare(filepath.Join("..", "..", "..", "loadgen", "mllog", "testdata", "Server_token_ttft_tpot_fail"))
	if err != nil {
		t.Fatal(err)
	}
	if run.Verdict != "INVALID" || run.Status != record.Complete || run.Scenario != "Server" || run.Model != "PySUT" ||
		run.Performance.Queries != 60 || run.Performance.Tokens.TTFT.Max != 11959753 || len(run.Reasons) == 0 {
		t.Errorf("%+v", run)
	}
	if run.Effective.TargetLatencyNS != 20000000 || len(run.Settings) < 15 || len(run.Files) < 2 {
		t.Errorf("%+v, %+v, %+v", run.Effective, run.Settings, run.Files)
	}
}

// Our LoadGen's log gives what its result did.
func TestReadOurs(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		for _, mode := range []loadgen.Mode{loadgen.PerformanceOnly, loadgen.AccuracyOnly} {
			dir := t.TempDir()
			s := loadgen.DefaultTestSettings()
			s.Scenario, s.Mode, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, mode, 0, 300, 1e5
			qsl := loadgentest.QSL{Total: 50, Performance: 50}
			res, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, s, loadgen.LogSettings{OutDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			run, err := Bare(dir)
			if err != nil {
				t.Fatal(err)
			}
			if run.Status != record.Complete || run.Scenario != scenario.String() {
				t.Errorf("%v %v: %+v", scenario, mode, run)
			}
			if mode == loadgen.PerformanceOnly && run.Performance.Latency.Max != int64(res.Latency.Max) {
				t.Errorf("%v: highest latency %d, want %d", scenario, run.Performance.Latency.Max, res.Latency.Max)
			}
		}
	}
}

func TestReadCut(t *testing.T) {
	whole := filepath.Join("..", "..", "..", "loadgen", "mllog", "testdata", "Server_token_ttft_tpot_fail",
		mllog.DetailFile)
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Bare(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	half := string(text[:strings.Index(string(text), "power_end")])
	for text, want := range map[string]record.Status{half: record.Unfinished, "": ""} {
		if err := os.WriteFile(filepath.Join(dir, mllog.DetailFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run, err := Bare(dir)
		if run.Status != want || (err == nil) != (want != "") {
			t.Errorf("a log of %d bytes: %q, %v", len(text), run.Status, err)
		}
	}
}
