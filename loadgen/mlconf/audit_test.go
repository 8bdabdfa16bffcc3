package mlconf_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func loadForAudit(t *testing.T) mlconf.Settings {
	t.Helper()
	s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Mode: loadgen.SubmissionRun})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAuditIsAppliedLast(t *testing.T) {
	s := loadForAudit(t)
	path := filepath.Join(t.TempDir(), mlconf.AuditFile)
	text := "# TEST01\n*.*.accuracy_log_sampling_target = 5\n*.Server.min_query_count = 77\n*.Offline.max_query_count = 9\n*.*.mode = 2\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.AuditFrom(path, false); err != nil {
		t.Fatal(err)
	}
	if s.AccuracyLogSamplingTarget != 5 || s.MinQueryCount != 77 || s.MaxQueryCount != 0 || s.Mode != loadgen.PerformanceOnly {
		t.Errorf("target %d, %d to %d queries, mode %v", s.AccuracyLogSamplingTarget, s.MinQueryCount, s.MaxQueryCount, s.Mode)
	}
	if o := s.Origins["MinQueryCount"]; o.Source != path || o.Line != 3 {
		t.Errorf("origin %+v", o)
	}
	if s.Origins["ServerTargetQPS"].Source == path {
		t.Error("a setting that the file does not have is said to come from it")
	}
}

func TestAuditFaultsChangeNothing(t *testing.T) {
	for text, says := range map[string]string{
		"*.*.min_query_count = abc\n*.*.max_query_count = 4": "min_query_count",
		"*.*.qsl_rng_seed = 4":                               "qsl_rng_seed",
		"*.*.no_such_key = 4":                                "no_such_key",
	} {
		s := loadForAudit(t)
		before := s.TestSettings
		err := s.Audit("audit", text, false)
		if !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one about %s", text, err, says)
		}
		if s.TestSettings != before {
			t.Errorf("%q changed the settings", text)
		}
	}
	s := loadForAudit(t)
	if err := s.AuditFrom(filepath.Join(t.TempDir(), "none"), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for a missing file", err)
	}
}

func TestStrayAudit(t *testing.T) {
	dir := t.TempDir()
	if err := mlconf.StrayAudit(dir); err != nil {
		t.Errorf("error %v in an empty directory", err)
	}
	path := filepath.Join(dir, "audit.config")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mlconf.StrayAudit(dir); !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}

// TestAuditReadsOfficialFiles applies what the official LoadGen would, and tells of the other lines.
func TestAuditReadsOfficialFiles(t *testing.T) {
	s := loadForAudit(t)
	err := s.AuditFrom(filepath.Join("testdata", "found", "audit_other_model.config"), false)
	if err != nil || s.PerformanceIssueSame { // its lines are of Offline, and this is a run of Server
		t.Errorf("same %v, error %v", s.PerformanceIssueSame, err)
	}
	s.Scenario = loadgen.Offline
	s.Notes = nil
	if err := s.AuditFrom(filepath.Join("testdata", "found", "audit_other_model.config"), false); err != nil {
		t.Fatal(err)
	}
	if !s.PerformanceIssueSame || s.PerformanceIssueSameIndex != 3 || s.MinQueryCount == 500 {
		t.Errorf("same %v %d, at least %d queries", s.PerformanceIssueSame, s.PerformanceIssueSameIndex, s.MinQueryCount)
	}
	wantNotes(t, s.Notes, "line 4: of single models (stable-diffusion-xl): of audit settings only lines of * count")
	s.Notes = nil
	if err := s.AuditFrom(filepath.Join("testdata", "found", "audit_extra_key.config"), false); err != nil {
		t.Fatal(err)
	}
	if s.AccuracyLogSamplingTarget != 100 || s.AccuracyLogRNGSeed != 1 {
		t.Errorf("target %d, seed %d", s.AccuracyLogSamplingTarget, s.AccuracyLogRNGSeed)
	}
	wantNotes(t, s.Notes, "line 4: test07_accuracy_threshold: kept for the audit's own script")
}

func wantNotes(t *testing.T, notes []mlconf.Note, want ...string) {
	t.Helper()
	if len(notes) != len(want) {
		t.Fatalf("notes %v, want %q", notes, want)
	}
	for i, n := range notes {
		if !strings.Contains(n.String(), want[i]) {
			t.Errorf("note %q, want %q", n, want[i])
		}
	}
}

func TestAuditIgnoresUnknownKeysWhenAsked(t *testing.T) {
	s := loadForAudit(t)
	if err := s.Audit("audit", "*.*.no_such_key = 4\n*.*.min_query_count = 9", true); err != nil || s.MinQueryCount != 9 {
		t.Errorf("%d queries, error %v", s.MinQueryCount, err)
	}
	wantNotes(t, s.Notes, "LoadGen does not know no_such_key: ignored")
}
