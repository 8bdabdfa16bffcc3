package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestFindPeak searches for the highest rate that the null plugin meets and checks the written result. The limit is a
// minute: it is met at every rate, even on a machine that is busy for a while.
func TestFindPeak(t *testing.T) {
	out := t.TempDir()
	r := harness.Run(t, "run", "null", "--mode", "findpeak", "--out", out, "--force",
		"--set", "target_qps=200", "--set", "min_duration=100", "--set", "min_query_count=100", "--set",
		"target_latency=60000",
		"--set", "server_find_peak_qps_boundary_step_size=5000", "--set", "server_find_peak_qps_decimals_of_precision=0")
	if r.Code != 0 && r.Code != 3 { // on a busy machine the run at the peak may be a little short
		t.Fatalf("exit code %d; it printed:\n%s", r.Code, r.Both())
	}
	var doc struct {
		Runs []struct {
			Mode, Rules string
			Performance struct {
				Peak struct {
					Found     bool
					TargetQPS struct{ Value float64 } `json:"target_qps"`
					Trials    []struct {
						TargetQPS float64 `json:"target_qps"`
						Met       bool
					}
				}
			}
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Mode != "findpeak" || doc.Runs[0].Rules != "v6.1" {
		t.Fatalf("result.json: %+v, want one search under the newest rules", doc)
	}
	peak := doc.Runs[0].Performance.Peak
	best := 0.0
	for _, trial := range peak.Trials {
		if trial.Met {
			best = max(best, trial.TargetQPS)
		}
	}
	if !peak.Found || peak.TargetQPS.Value != best || len(peak.Trials) < 2 {
		t.Errorf("found %v at %v, the best trial is at %v", peak.Found, peak.TargetQPS.Value, best)
	}
	if _, err := os.Stat(filepath.Join(out, "null", "Server", "performance", "findpeak",
		"mlperf_log_summary.txt")); err != nil {
		t.Error(err)
	}
}

// TestAbortEarly: a run with too few queries for its percentile ends before any is issued.
func TestAbortEarly(t *testing.T) {
	r := harness.Run(t, "run", "null", "--scenario", "Server", "--mode", "performance", "--abort-early",
		"--out", t.TempDir(), "--force",
		"--set", "target_qps=1", "--set", "min_duration=60000", "--set", "min_query_count=1").WantCode(t, 3)
	if !strings.Contains(r.Stdout, "early stopping needs") {
		t.Errorf("the report does not say why:\n%s", r.Stdout)
	}
}

// TestStrayAuditConfig refuses to run beside an unexpected audit.config.
func TestStrayAuditConfig(t *testing.T) {
	cmd := harness.Command(t, built.Harness(), "run", "null", "--scenario", "SingleStream", "--mode", "performance",
		"--out", t.TempDir(), "--force")
	path := testfile.Write(t, filepath.Join(cmd.Dir, "audit.config"), "*.*.min_duration = 10\n")
	harness.WantMessage(t, harness.Finish(t, cmd).WantCode(t, 2), path, "--audit")
}
