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
	if err := s.AuditFrom(path); err != nil {
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
		"resnet50.*.min_query_count = 4":                     "resnet50",
		"*.*.no_such_key = 4":                                "no_such_key",
	} {
		s := loadForAudit(t)
		before := s.TestSettings
		err := s.Audit("audit", text)
		if !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one about %s", text, err, says)
		}
		if s.TestSettings != before {
			t.Errorf("%q changed the settings", text)
		}
	}
	s := loadForAudit(t)
	if err := s.AuditFrom(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
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
