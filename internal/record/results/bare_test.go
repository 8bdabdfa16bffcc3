package results

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// The official LoadGen's log of a token run contains its verdict and percentiles.
func TestReadOfficial(t *testing.T) {
	run, err := ReadBare(filepath.Join("..", "..", "..", "loadgen", "mllog", "testdata", "Server_token_ttft_tpot_fail"))
	if err != nil {
		t.Fatal(err)
	}
	if run.Verdict != "INVALID" || run.Status != record.Complete || run.Scenario != "Server" || run.Model != "unknown" ||
		run.Performance.Queries != 60 || run.Performance.Tokens.TTFT.Max != 11959753 || len(run.Reasons) == 0 {
		t.Errorf("%+v", run)
	}
	if run.Effective.TargetLatencyNS != 20000000 || len(run.Settings) < 15 || len(run.Files) < 2 {
		t.Errorf("%+v, %+v, %+v", run.Effective, run.Settings, run.Files)
	}
}

// Our LoadGen's log gives the same record as its result.
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
			run, err := ReadBare(dir)
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

// TestReadOld checks that logs of an old LoadGen give the result that its round published. Values that they do not
// contain are unknown, and its runs do not count as rehearsals.
func TestReadOld(t *testing.T) {
	for _, text := range []bool{false, true} {
		for scenario, want := range map[loadgen.Scenario]string{
			loadgen.SingleStream: "9.0000 ms", loadgen.MultiStream: "1,344 samples", loadgen.Server: "5201.5 samples/s",
			loadgen.Offline: "5201.5 samples/s",
		} {
			dir := t.TempDir()
			old := loadgentest.OldRun{Text: text, Scenario: scenario, Streams: 1344, Rate: 5201.5}
			if err := old.Write(dir); err != nil {
				t.Fatal(err)
			}
			run, err := ReadBare(dir)
			if err != nil {
				t.Fatalf("%v, text form %v: %v", scenario, text, err)
			}
			p := run.Performance
			if p.Metric.String() != want || p.Checks.EarlyStopping != nil || p.Early != nil || p.Stated() != (p.Queries > 0) ||
				run.LoadGen == nil || run.LoadGen.Rehearses() || run.Verdict != "VALID" || run.Model != "unknown" {
				t.Errorf("%v, text form %v: %s, %+v, %+v", scenario, text, p.Metric.String(), p, run.LoadGen)
			}
			checkOldTexts(t, run)
		}
	}
}

// TestOrderOfSamplesIsNamed checks that the settings of a log name its LoadGen's sample order.
func TestOrderOfSamplesIsNamed(t *testing.T) {
	for _, c := range []struct {
		loaded []uint64
		want   string
	}{
		{[]uint64{32084, 48428, 11861, 17386}, "that of GCC before 11, of all samples"},
		{[]uint64{1, 2, 3}, "none of those that are known"},
	} {
		dir := t.TempDir()
		old := loadgentest.OldRun{Text: true, Scenario: loadgen.Server, Loaded: c.loaded, Total: 50000, Performance: 1024,
			Seed: 3133965575612453542}
		if err := old.Write(dir); err != nil {
			t.Fatal(err)
		}
		run, err := ReadBare(dir)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(run.Settings, func(s record.Setting) bool { return s.Key == "sample_order" })
		if i < 0 || run.Settings[i].Value != c.want {
			t.Errorf("%v: %+v, want %s", c.loaded, run.Settings, c.want)
		}
	}
}

// checkOldTexts requires that unknown counts are not 0, and that texts mention neither a rehearsal nor an estimate.
func checkOldTexts(t *testing.T, run record.Run) {
	t.Helper()
	doc := record.NewDocument([]record.Run{run})
	var b strings.Builder
	if err := record.WriteRow(&b, run); err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{" 0 queries", "stopping", "estimate", "PySUT"} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the row says %q:\n%s", never, b.String())
		}
	}
	if want := "Driven by the official LoadGen .5a1 @ 0123456789, as the log says."; doc.Note != want {
		t.Errorf("note %q, want %q", doc.Note, want)
	}
	for _, m := range run.Metrics() {
		if m.Value == 0 && run.Scenario != "Offline" {
			t.Errorf("%s is %v", m.Name, m.Value)
		}
	}
	text, err := doc.JSON()
	var back struct {
		Runs []struct {
			Performance struct {
				Queries *uint64
				Over    *uint64        `json:"overlatency_count"`
				Query   map[string]any `json:"query_latency"`
				Checks  map[string]any
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := back.Runs[0].Performance
	if known := run.Scenario == "Offline"; known != (p.Queries != nil) || known != (p.Over != nil) ||
		p.Checks["early_stopping"] != nil || p.Query != nil && (p.Query["max_ns"] != nil || p.Query["percentiles"] == nil) {
		t.Errorf("%s: JSON has %+v", run.Scenario, p)
	}
}

// TestReadOldWithoutSummary checks that a log in the text form without its summary has no result, and that an error
// names an unreadable summary.
func TestReadOldWithoutSummary(t *testing.T) {
	dir := t.TempDir()
	if err := (loadgentest.OldRun{Text: true, Scenario: loadgen.Server}).Write(dir); err != nil {
		t.Fatal(err)
	}
	summary := filepath.Join(dir, mllog.SummaryFile)
	for text, want := range map[string]string{
		"": "ends before", "version https://git-lfs.github.com/spec/v1\n": "git lfs pull", "hello\n": "want a banner",
	} {
		if err := os.WriteFile(summary, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBare(dir); err == nil || !strings.Contains(err.Error(), mllog.SummaryFile) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Remove(summary); err != nil {
		t.Fatal(err)
	}
	run, err := ReadBare(dir)
	if err != nil || run.Status != record.Unfinished || run.Performance != nil || len(run.Notes) != 1 ||
		!strings.Contains(run.Notes[0].Text, "VALID or INVALID") {
		t.Errorf("%v, %+v", err, run)
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
	if _, err := ReadBare(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	half := string(text[:strings.Index(string(text), "power_end")])
	for text, want := range map[string]record.Status{half: record.Unfinished, "": ""} {
		if err := os.WriteFile(filepath.Join(dir, mllog.DetailFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run, err := ReadBare(dir)
		if run.Status != want || (err == nil) != (want != "") {
			t.Errorf("a log of %d bytes: %q, %v", len(text), run.Status, err)
		}
	}
}
