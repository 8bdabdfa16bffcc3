package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptedTokens: a run of tokens that is interrupted shows the token latencies that it measured until then.
func TestInterruptedTokens(t *testing.T) {
	cmd := command(t, harnessBinary(), "run", "llama3.1-8b", "--scenario", "Server", "--mode", "performance",
		"--set", "min_duration=600000", "--set", "target_qps=10", "--out", t.TempDir())
	said, report := printed(filepath.Join(t.TempDir(), "stderr.txt")), new(strings.Builder)
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stderr, cmd.Stdout = file, report
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, cmd, said, string(said), "TPOT")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130; it printed:\n%s", code, said)
	}
	for _, part := range []string{"INTERRUPTED", "percentile TTFT", "percentile TPOT"} {
		if !strings.Contains(report.String(), part) {
			t.Errorf("no %q in:\n%s%s", part, report, said)
		}
	}
}
