package faults

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestFaultyPlugins runs plugins with one fault each: the harness reports the fault and what to do, exits with code 5,
// keeps the logs and leaves no process.
func TestFaultyPlugins(t *testing.T) {
	for _, c := range []struct {
		fault   string
		midRun  bool // the fault comes after the logs were begun
		message []string
	}{
		{"exit", false, []string{"exited with status 3", "cannot start: the fault asked for it"}},
		{"silent-start", false, []string{"no handshake within 2s", "--plugin-start-timeout waits longer"}},
		{"print-before-handshake", false, []string{"Hello from a C library", "nothing may be printed"}},
		{"old-version", false, []string{"version 0 of the plugin protocol", "rebuild"}},
		{"new-version", false, []string{"version 2 of the plugin protocol"}},
		{"print-long", false, []string{"xxx...", "not the handshake"}},
		{"tcp", false, []string{"without TLS, want a unix socket"}},
		{"stream-cut", false, []string{"unexpected EOF", "report it to its author"}},
		{"ring-overread", true, []string{"shared memory holds what cannot be", "report it to its author"}},
		{"die", true, []string{"killed by signal 9", "last words before signal 9"}},
		{"stop", true, []string{"no sign of life"}},
		{"twice", true, []string{"twice"}},
		{"unknown", true, []string{"which was not issued"}},
		{"drop", true, []string{"not answered"}},
		{"panic-collate", true, []string{"panic in Collate"}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			args := []string{"--scenario", "SingleStream"}
			if c.fault == "stop" { // others may be silent as long as a busy machine does not schedule them
				args = append(args, "--heartbeat-timeout", faulty.Silence)
			}
			if c.fault == "silent-start" {
				args = append(args, "--plugin-start-timeout", "2s")
			}
			cmd, dir, out := faulty.Run(t, c.fault, args...)
			r := harness.Finish(t, cmd).WantCode(t, 5)
			for _, part := range c.message {
				if !strings.Contains(r.Stderr, part) {
					t.Errorf("no %q in the message:\n%s", part, r.Stderr)
				}
			}
			if strings.Contains(r.Both(), "goroutine ") && !strings.HasPrefix(c.fault, "panic") {
				t.Errorf("a stack trace reached the user:\n%s", r.Both())
			}
			if c.midRun {
				faulty.WantMarkedLogs(t, out)
			}
			harness.WantNoProcess(t, dir)
		})
	}
}

// TestLimits ends plugins that exceed the user's limits: the message names the limit, and the logs are kept.
func TestLimits(t *testing.T) {
	for fault, c := range map[string]struct{ limit, message string }{
		"eat-memory": {"memory=250MiB,processes=100", "over its limit memory=250MiB"},
		"breed":      {"processes=12", "over its limit processes=12"},
		"burn":       {"cpu=3s", "over its limit cpu=3s"}, // its start uses some, too
		"hoard":      {"files=200", "its limit files=200"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cmd, dir, out := faulty.Run(t, fault, "--scenario", "SingleStream", "--limit", c.limit, "--answer-timeout", "0")
			r := harness.Finish(t, cmd).WantCode(t, 5)
			harness.WantMessage(t, r, c.message, "give it a higher limit")
			faulty.WantMarkedLogs(t, out)
			harness.WantNoProcess(t, dir)
		})
	}
}

// TestHarnessKilled kills the harness with SIGKILL: its plugin ends by itself.
func TestHarnessKilled(t *testing.T) {
	t.Parallel()
	cmd, dir, _, _ := faulty.StartLong(t, "slow-batches")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	harness.WantNoProcess(t, dir)
}

// TestLogsOfAKilledHarness expects answers in the accuracy log long before the end of the run, and after the harness is
// killed.
func TestLogsOfAKilledHarness(t *testing.T) {
	t.Parallel()
	cmd, dir, out := faulty.Run(t, "slow-batches", "--scenario", "SingleStream", "--mode", "accuracy")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	path := filepath.Join(out, "faulty", "SingleStream", "accuracy", "mlperf_log_accuracy.json")
	entries := func() int {
		text, _ := os.ReadFile(path)
		return strings.Count(string(text), " },\n")
	}
	var seen int
	for deadline := time.Now().Add(harness.Patience); seen == 0; time.Sleep(20 * time.Millisecond) {
		if seen = entries(); time.Now().After(deadline) {
			t.Fatalf("no answer is in the log after %s", harness.Patience)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if n := entries(); n < seen {
		t.Errorf("%d answers are in the log, %d were before the kill", n, seen)
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Status != "unfinished" {
		t.Errorf("result.json does not mark the run: %+v", doc)
	}
	harness.WantNoProcess(t, dir)
}

// TestInterruptOnce interrupts a run: it stops issuing, keeps and marks the partial logs, and exits with 130.
func TestInterruptOnce(t *testing.T) {
	t.Parallel()
	cmd, dir, out, stderr := faulty.StartLong(t, "slow-batches")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130; it printed:\n%s", code, stderr)
	}
	faulty.WantMarkedLogs(t, out)
	harness.WantNoProcess(t, dir)
}

// TestInterruptTwice interrupts a run whose plugin never answers: the second signal ends it at once, not the stop that
// the first signal began. That stop would take at least two seconds. Both signals are sent while the harness is
// stopped, so that neither arrives too late.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	cmd, dir, out, stderr := faulty.StartLong(t, "stop")
	harness.WaitForText(t, cmd, stderr, filepath.Join(faulty.Performance(out), "plugin.log"), "last words")
	for _, s := range []os.Signal{syscall.SIGSTOP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCONT} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130; it printed:\n%s", code, stderr)
	}
	if said := stderr.String(); !strings.Contains(said, "Once more to kill") ||
		!strings.Contains(said, "killed; the logs of this run are partial") {
		t.Errorf("the second signal did not end it; it printed:\n%s", said)
	}
	harness.WantNoProcess(t, dir)
}
