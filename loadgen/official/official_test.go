package official

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestRefusedBeforeTheStart(t *testing.T) {
	good := loadgen.DefaultTestSettings()
	logs := loadgen.LogSettings{OutDir: "out"}
	for want, change := range map[string]func(*loadgen.TestSettings, *loadgen.LogSettings){
		"performance_sample_count_override = 20 in user.conf": func(s *loadgen.TestSettings, _ *loadgen.LogSettings) {
			s.Scenario, s.PerformanceSampleCountOverride, s.PerformanceIssueUnique = loadgen.Offline, 21, true
		},
		"issue_same_loaded": func(s *loadgen.TestSettings, _ *loadgen.LogSettings) {
			s.PerformanceIssueSame, s.IssueSameLoaded = true, true
		},
		"early stopping cannot": func(s *loadgen.TestSettings, _ *loadgen.LogSettings) { s.NoEarlyStopping = true },
		"name a folder":         func(_ *loadgen.TestSettings, l *loadgen.LogSettings) { l.OutDir = "" },
		"does not spin":         func(_ *loadgen.TestSettings, l *loadgen.LogSettings) { l.Spin = true },
		"min_query_count": func(s *loadgen.TestSettings, _ *loadgen.LogSettings) {
			s.MinQueryCount, s.MinDuration = 0, 0
		},
	} {
		s, l := good, logs
		change(&s, &l)
		_, err := checkTest(&loadgentest.Script{}, loadgentest.QSL{Total: 20, Performance: 20}, s, l)
		if !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := checkTest(&loadgentest.Script{}, loadgentest.QSL{Total: 20, Performance: 20}, good, logs); err != nil {
		t.Error(err)
	}
}

func TestBuildOfALibrary(t *testing.T) {
	b, err := parseBuild(`{"version": "6.0.17", "sha256": "` + strings.Repeat("a", 64) + `"}`)
	if err != nil || b.Unmodified() {
		t.Errorf("%+v, %v: want a build of no known release", b, err)
	}
	for _, text := range []string{"", "{}", `{"version": "6.0.17"}`, "\x00"} {
		if _, err := parseBuild(text); !errors.Is(err, ErrLibrary) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestALibraryThatIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := ErrNotBuiltIn
	if BuiltIn {
		want = ErrLibrary
	}
	if _, err := Open(path); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestLogFilesReplaceLinks checks that links with the names of logs are not written through.
func TestLogFilesReplaceLinks(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mine, filepath.Join(dir, "mlperf_log_detail.txt")); err != nil {
		t.Skip(err)
	}
	audit := filepath.Join(t.TempDir(), "audit.config")
	if err := os.WriteFile(audit, []byte("*.*.mode = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := newLogFiles(loadgen.LogSettings{OutDir: dir, Audit: audit})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(f.audit); err != nil || string(text) != "*.*.mode = 2\n" {
		t.Errorf("%v, the audit settings are %q", err, text)
	}
	f.removeAudit()
	r := &loadgen.Result{Effective: loadgen.EffectiveSettings{Mode: loadgen.PerformanceOnly}}
	_, err = f.readResult(r, loadgen.ErrInterrupted)
	if !errors.Is(err, loadgen.ErrInterrupted) || r.Verdict != loadgen.Invalid {
		t.Errorf("%v, %v", r.Verdict, err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("%v, the file behind the link holds %q", err, text)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != logCount {
		t.Errorf("%v, %d files, want the %d logs", err, len(left), logCount)
	}
	text, err := os.ReadFile(filepath.Join(dir, "mlperf_log_summary.txt"))
	if err != nil || !strings.Contains(string(text), "There is no result") {
		t.Errorf("%v, the summary of an aborted test is %q", err, text)
	}
}

func TestSearchOfTheHighestRate(t *testing.T) {
	var s searchRuns
	for _, m := range []string{
		"Starting FindPeakPerformance mode",
		baseRate + "200.000000",
		widening + "200.000000, 800.000000)",
		bounds + "200.000000, 800.000000)",
		halving + "200.000000, 800.000000): 500.000000",
		halving + "500.000000, 800.000000): 650.000000",
		foundRate + "500.000000",
	} {
		s.addMessage(m)
	}
	want := map[float64]bool{200: true, 800: false, 500: true, 650: false}
	if len(s.rates) != len(want) || s.found != 500 {
		t.Fatalf("rates %v, found %v", s.rates, s.found)
	}
	for _, rate := range s.rates {
		if s.met[rate] != want[rate] {
			t.Errorf("%v met: %v", rate, s.met[rate])
		}
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add(halving + "200.000000, 800.000000): 500.000000")
	f.Add(baseRate)
	f.Fuzz(func(t *testing.T, message string) {
		if kind, rates := parseMessage(message); kind != "" && len(rates) == 0 {
			t.Errorf("%q: %q without a rate", message, kind)
		}
		var s searchRuns
		s.addMessage(message)
	})
}

func FuzzParseBuild(f *testing.F) {
	f.Add(`{"version": "6.0.17", "sha256": ""}`)
	f.Fuzz(func(t *testing.T, text string) {
		if b, err := parseBuild(text); err == nil && (b.Version == "" || len(b.SHA256) != 64) {
			t.Errorf("%q gives %+v", text, b)
		}
	})
}

// TestAscentEnds checks that a rate counts as passed when samples have been loaded twice more.
func TestAscentEnds(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	s.ServerTargetQPS, s.ServerFindPeakQPSBoundaryStepSize = 1e8, 9
	a := newRateAscent(s)
	for rate := range 4 { // at 1e8, 1e9, 1e10, and between the last two
		if err := a.noteLoaded(); err != nil {
			t.Errorf("load %d: %v", rate, err)
		}
	}
	if err := a.noteLoaded(); !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(err.Error(), "1e+10") {
		t.Errorf("%v, want that 1e+10 meets the limit", err)
	}
}
