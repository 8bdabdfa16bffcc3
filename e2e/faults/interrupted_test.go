package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestInterruptedTokens: an interrupted run with tokens shows the token latencies measured so far.
func TestInterruptedTokens(t *testing.T) {
	cmd := harness.Command(t, built.Harness(), "run", "llama3.1-8b", "--scenario", "Server", "--mode", "performance",
		"--set", "min_duration=600000", "--set", "target_qps=10", "--out", t.TempDir())
	said, report := harness.Printed(filepath.Join(t.TempDir(), "stderr.txt")), new(strings.Builder)
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stderr, cmd.Stdout = file, report
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	harness.WaitForText(t, cmd, said, string(said), "TPOT")
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

// TestInterruptedPack: a half-written archive is removed when its writer is interrupted, even in the middle of a large
// file.
func TestInterruptedPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "tree", "closed", "Lab", "src", "large")
	if err := os.MkdirAll(filepath.Dir(large), 0o755); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, large, "")
	if err := os.Truncate(large, 12<<30); err != nil { // a sparse file: it needs no space but long to pack
		t.Skip(err)
	}
	out := filepath.Join(dir, "lab.tar.gz")
	cmd := harness.Command(t, built.Harness(), "submission", "pack", filepath.Join(dir, "tree"), "--out", out,
		"--allow-rejected")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	half := func() []string {
		found, _ := filepath.Glob(out + "*") // the pattern is valid
		return found
	}
	for deadline := time.Now().Add(harness.Patience); len(half()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("no archive is begun")
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the exit code is checked
	if code := cmd.ProcessState.ExitCode(); code != 130 || len(half()) > 0 {
		t.Errorf("exit code %d, %q is left:\n%s", code, half(), said.String())
	}
}
