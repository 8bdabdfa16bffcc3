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

// audited loads the settings of a run with the audit settings of a file.
func audited(path string, scenario loadgen.Scenario, ignoreUnknown bool) (mlconf.Settings, error) {
	return mlconf.Load(mlconf.Options{
		Model: "resnet50", Scenario: scenario, Mode: loadgen.SubmissionRun, IgnoreUnknownKeys: ignoreUnknown,
		Layers: []mlconf.Layer{mlconf.Audit(path)},
	})
}

func TestAuditIsAppliedLast(t *testing.T) {
	path := conf(t, "# TEST01\n*.*.accuracy_log_sampling_target = 5\n*.Server.min_query_count = 77\n"+
		"*.Offline.max_query_count = 9\n*.*.mode = 2\n")
	s, err := audited(path, loadgen.Server, false)
	if err != nil {
		t.Fatal(err)
	}
	if s.AccuracyLogSamplingTarget != 5 || s.MinQueryCount != 77 || s.MaxQueryCount != 0 ||
		s.Mode != loadgen.PerformanceOnly {
		t.Errorf("target %d, %d to %d queries, mode %v",
			s.AccuracyLogSamplingTarget, s.MinQueryCount, s.MaxQueryCount, s.Mode)
	}
	if o := s.Origins["MinQueryCount"]; o.Source != path || o.Line != 3 {
		t.Errorf("origin %+v", o)
	}
	if s.Origins["ServerTargetQPS"].Source == path {
		t.Error("a setting that the file does not have is said to come from it")
	}
}

func TestAuditFaults(t *testing.T) {
	for text, says := range map[string]string{
		"*.*.min_query_count = abc\n*.*.max_query_count = 4": "min_query_count",
		"*.*.qsl_rng_seed = 4":                               "qsl_rng_seed",
		"*.*.no_such_key = 4":                                "no_such_key",
	} {
		_, err := audited(conf(t, text), loadgen.Server, false)
		if !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one about %s", text, err, says)
		}
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

// TestAuditReadsOfficialFiles checks that the same lines apply as in the official LoadGen, and that notes report the
// others.
func TestAuditReadsOfficialFiles(t *testing.T) {
	other := filepath.Join("testdata", "found", "audit_other_model.config")
	s, err := audited(other, loadgen.Server, false)
	if err != nil || s.PerformanceIssueSame { // its lines are for Offline
		t.Errorf("same %v, error %v", s.PerformanceIssueSame, err)
	}
	if s, err = audited(other, loadgen.Offline, false); err != nil {
		t.Fatal(err)
	}
	if !s.PerformanceIssueSame || s.PerformanceIssueSameIndex != 3 || s.MinQueryCount == 500 {
		t.Errorf("same %v %d, at least %d queries", s.PerformanceIssueSame, s.PerformanceIssueSameIndex, s.MinQueryCount)
	}
	wantNotes(t, s.Notes, "line 4: of single models (stable-diffusion-xl): of audit settings only lines of * count")
	s, err = audited(filepath.Join("testdata", "found", "audit_extra_key.config"), loadgen.Offline, false)
	if err != nil || s.AccuracyLogSamplingTarget != 100 || s.AccuracyLogRNGSeed != 1 {
		t.Errorf("target %d, seed %d, error %v", s.AccuracyLogSamplingTarget, s.AccuracyLogRNGSeed, err)
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
	s, err := audited(conf(t, "*.*.no_such_key = 4\n*.*.min_query_count = 9"), loadgen.Server, true)
	if err != nil || s.MinQueryCount != 9 {
		t.Errorf("%d queries, error %v", s.MinQueryCount, err)
	}
	wantNotes(t, s.Notes, "LoadGen does not know no_such_key: ignored")
}

func TestAuditTextIsAnAuditWithoutAFile(t *testing.T) {
	load := func(round, text string) (mlconf.Settings, error) {
		return mlconf.Load(mlconf.Options{
			Rules: round, Model: "resnet50", Scenario: loadgen.Offline, Mode: loadgen.PerformanceOnly,
			Layers: []mlconf.Layer{mlconf.AuditText("TEST04", text)},
		})
	}
	s, err := load("v6.1", "# TEST04\n*.Offline.performance_issue_same = 1\n*.*.mode = 2\n")
	o := s.Origins["PerformanceIssueSame"]
	if err != nil || !s.PerformanceIssueSame || o.Source != "TEST04" || o.Line != 2 {
		t.Errorf("%v, same %v, origin %+v", err, s.PerformanceIssueSame, o)
	}
	if _, err := load("v5.0", "*.*.test05 = 1\n"); !errors.Is(err, mlconf.ErrConfig) {
		t.Errorf("v5.0 reads test05 from the rules alone, error %v", err)
	}
	s, err = load("v4.1", "*.*.test05 = 1\n")
	if err != nil || !s.Test05 || s.Test05QSLRNGSeed != 16799458546791641818 {
		t.Errorf("v4.1: %v, test05 %v with seed %d", err, s.Test05, s.Test05QSLRNGSeed)
	}
	s, err = load("v2.1", "*.*.qsl_rng_seed = 313588358309856706\n")
	if err != nil || s.QSLRNGSeed != 313588358309856706 {
		t.Errorf("v2.1: %v, seed %d", err, s.QSLRNGSeed)
	}
}
