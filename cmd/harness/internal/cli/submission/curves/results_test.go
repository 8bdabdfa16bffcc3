package curves_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestResultsOfACurve: the curves of MLPerf Endpoints are known by their folders, in all forms.
func TestResultsOfACurve(t *testing.T) {
	golden.Each(t, "endpoints/base/dedicated.tar.gz", func(t *testing.T, archive string) {
		s, org := clitest.New(t), curveTree(t, archive)
		s.Want(0, s.Run("submission", "results", org), "X200x8, gpt-oss-120b, C_max 512", "med_concurrency", "925.01",
			"windowable", "61.668", "dedicated", "the check has 0 errors and 1 warning")
		csv := filepath.Join(t.TempDir(), "points.csv")
		s.Want(0, s.Run("submission", "results", filepath.Join(org, "sub"), "--format", "csv", "--out", csv))
		if text, err := os.ReadFile(csv); err != nil || strings.Count(string(text), "\n") != 9 {
			t.Errorf("%s (%v)", text, err)
		}
		for _, format := range []string{"json", "viz"} {
			s.Want(0, s.Run("submission", "results", org, "--format", format, "--rules", "endpoints-1.0"))
			if !json.Valid([]byte(s.Stdout.String())) {
				t.Error(s.Stdout.String())
			}
		}
		s.Want(0, s.Run("submission", "results", org, "--format", "html"), "<!DOCTYPE html>", `id="model-1-tokens"`,
			"Offline (dedicated), 8273 tokens/s", "medium 10 to 65", "the whole run counts")
		if strings.Contains(s.Stdout.String(), "not measured</text>") {
			t.Error("a page has lines between points without --interpolated")
		}
		s.Want(0, s.Run("submission", "results", org, "--format", "html", "--interpolated"), "interpolated, not measured")
		s.Want(2, s.Run("submission", "results", org, "--interpolated"), "--interpolated goes with --format html")
		point := filepath.Join(org, "sub", "results", "X200x8", "gpt-oss-120b", "r24")
		testfile.Write(t, filepath.Join(point, "events.jsonl"), logOf(7*4395, 1e7))
		s.Want(0, s.Run("submission", "results", org, "--format", "html"), `id="model-1-window-1"`,
			"Steady window of X200x8/r24", "Sources of the power of")
		if strings.Contains(s.Stdout.String(), "model-1-window-2") {
			t.Error("a point without events is drawn")
		}
		testfile.Write(t, filepath.Join(point, "events.jsonl"), logOf(2*4395, 1e7))
		s.Want(0, s.Run("submission", "results", org, "--format", "html"), "X200x8/r24: events.jsonl is not drawn: ")
		for _, flag := range []string{"--submitter=Lab", "--private-ids", "--write-private-ids"} {
			name, _, _ := strings.Cut(flag, "=")
			s.Want(2, s.Run("submission", "results", org, flag), name+" does not go with submissions to MLPerf Endpoints")
		}
		s.Want(2, s.Run("submission", "results", t.TempDir(), "--format", "viz"), "--format viz goes with submissions to")
		s.Want(2, s.Run("submission", "results", t.TempDir(), "--rules", "endpoints-1.0"), "no point of a curve")
	})
}
