package curves_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// curveTree unpacks a made submission to MLPerf Endpoints below an organisation's folder.
func curveTree(t *testing.T, archive string) (org string) {
	t.Helper()
	org = t.TempDir()
	golden.Unpack(t, archive, filepath.Join(org, "sub"))
	return org
}

// TestCheckOfACurve: a submission to MLPerf Endpoints is known by its folders; what does not hold comes first.
func TestCheckOfACurve(t *testing.T) {
	golden.Each(t, "endpoints/base/dedicated.tar.gz", func(t *testing.T, archive string) {
		s, org := clitest.New(t), curveTree(t, archive)
		s.Want(0, s.Run("submission", "check", org), "warning  steady-state-basis", "endpoints-1.0: 0 errors, 1 warning, ")
		s.Want(0, s.Run("submission", "check", filepath.Join(org, "sub"), "--rules", "endpoints-1.0"), "0 errors")
		s.Want(3, s.Run("submission", "check", org, "--strict"), "ttft-of-load", "15 warnings")
		s.Want(1, s.Run("submission", "check", org, "--strict", "--compatible"), "1 warning,")
		s.Want(1, s.Run("submission", "check", org, "--strict", "--compatible", "--json"), `"spec_ref"`)
		if text := s.Stdout.String(); strings.Contains(text, "ttft-of-load") || strings.Contains(text, "window-end") {
			t.Error("the official report has rules of our own")
		}
		s.Want(2, s.Run("submission", "check", org, "--submitter", "Lab"), "--submitter does not go with")
		s.Want(2, s.Run("submission", "check", org, "--skip-power-check"), "--skip-power-check does not go with")
		s.Want(2, s.Run("submission", "check", t.TempDir(), "--strict"), "--strict goes with")
		if err := os.Remove(filepath.Join(org, "sub/results/X200x8/gpt-oss-120b/r24/result_summary.json")); err != nil {
			t.Fatal(err)
		}
		s.Want(3, s.Run("submission", "check", org), "error    result-summary-present  §1",
			"results/X200x8/gpt-oss-120b/r24/result_summary.json")
		s.Want(1, s.Run("submission", "check", org, "--compatible"), "1 error")
		var report struct {
			Path    string `json:"submission_path"`
			Results []struct{ Rule, Severity, Path string }
			Errors  []struct{ Rule string }
			Passed  bool
		}
		s.Want(1, s.Run("submission", "check", org, "--compatible", "--json"))
		if err := json.Unmarshal([]byte(s.Stdout.String()), &report); err != nil || report.Passed ||
			len(report.Errors) != 1 ||
			report.Path != filepath.Join(org, "sub") || len(report.Results) < 200 {
			t.Errorf("%+v (%v)", report, err)
		}
	})
}
