// Package faulty runs the faulty plugin of sdk/internal/testkit/faultyplugin: runs that fail, run for minutes, or hang.
package faulty

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// Run prepares a short run of the faulty plugin in its own installation.
func Run(t *testing.T, fault string, args ...string) (cmd *exec.Cmd, dir, out string) {
	t.Helper()
	dir, out = built.Install(t, "faulty"), t.TempDir()
	args = append([]string{"run", "faulty", "--plugin-dir", filepath.Join(dir, "faulty"), "--plugin", "faulty",
		"--mode", "performance", "--out", out, "--force", "--quiet"}, args...)
	cmd = harness.Command(t, filepath.Join(dir, "harness"), args...)
	cmd.Env = append(os.Environ(), "PLUMBLINE_FAULT="+fault)
	return cmd, dir, out
}

// Silence is how long the plugins of some tests may be silent, so that stopped plugins are noticed in less than half a
// minute: long enough for one that is not stopped.
const Silence = "5s"

// WantMarkedLogs checks that the detail log of an ended run exists, is readable and says that the test was aborted.
func WantMarkedLogs(t *testing.T, out string) {
	t.Helper()
	path := filepath.Join(Performance(out), "mlperf_log_detail.txt")
	detail, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	if !strings.Contains(string(detail), "error_runtime") {
		t.Errorf("no error_runtime entry in %s", path)
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Status == "complete" {
		t.Errorf("result.json does not mark the run: %+v", doc)
	}
}

// StartLong starts a run of minutes, whose every query takes milliseconds, and waits until it is about to issue
// queries. Its output goes to a file.
func StartLong(t *testing.T, fault string) (cmd *exec.Cmd, dir, out string, said harness.Printed) {
	t.Helper()
	cmd, dir, out = Run(t, fault, "--scenario", "SingleStream", "--set", "min_duration=600000",
		"--set", "target_latency=1")
	said = harness.Printed(filepath.Join(t.TempDir(), "stderr.txt"))
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	harness.WaitForText(t, cmd, said, filepath.Join(Performance(out), "mlperf_log_detail.txt"), "generated_query_count")
	return cmd, dir, out, said
}

// Performance returns the folder of the performance run of a faulty plugin.
func Performance(out string) string {
	return filepath.Join(out, "faulty", "SingleStream", "performance", "run_1")
}
