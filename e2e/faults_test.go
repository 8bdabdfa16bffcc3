package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultyRun prepares a short run of the faulty plugin in an installation of its own.
func faultyRun(t *testing.T, fault string, args ...string) (cmd *exec.Cmd, dir, out string) {
	t.Helper()
	dir, out = install(t), t.TempDir()
	args = append([]string{"run", "faulty", "--plugin-dir", filepath.Join(dir, "faulty"), "--plugin", "faulty",
		"--mode", "performance", "--out", out, "--force", "--quiet"}, args...)
	cmd = command(t, filepath.Join(dir, "harness"), args...)
	cmd.Env = append(os.Environ(), "PLUMBLINE_FAULT="+fault)
	return cmd, dir, out
}

// silence is how long the plugins of some tests may be silent, since they are stopped and tests do not wait for half a
// minute: long enough for one that is not stopped.
const silence = "5s"

// TestFaultyPlugins runs plugins with one fault each: the harness says what happened and what to do, ends with code 5,
// keeps the logs and leaves no process.
func TestFaultyPlugins(t *testing.T) {
	for _, c := range []struct {
		fault   string
		midRun  bool // logs were begun
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
			if c.fault == "stop" { // others may be silent for as long as a busy machine has no time for them
				args = append(args, "--heartbeat-timeout", silence)
			}
			if c.fault == "silent-start" {
				args = append(args, "--plugin-start-timeout", "2s")
			}
			cmd, dir, out := faultyRun(t, c.fault, args...)
			r := finish(t, cmd).wantCode(t, 5)
			for _, part := range c.message {
				if !strings.Contains(r.stderr, part) {
					t.Errorf("no %q in the message:\n%s", part, r.stderr)
				}
			}
			if strings.Contains(r.both(), "goroutine ") && !strings.HasPrefix(c.fault, "panic") {
				t.Errorf("a stack trace reached the user:\n%s", r.both())
			}
			if c.midRun {
				wantMarkedLogs(t, out)
			}
			wantNoProcess(t, dir)
		})
	}
}

// TestLimits ends plugins that use more than the user allows: the message names the limit, the logs are kept.
func TestLimits(t *testing.T) {
	for fault, c := range map[string]struct{ limit, message string }{
		"eat-memory": {"memory=250MiB,processes=100", "over its limit memory=250MiB"},
		"breed":      {"processes=12", "over its limit processes=12"},
		"burn":       {"cpu=3s", "over its limit cpu=3s"}, // its start takes some, too
		"hoard":      {"files=200", "its limit files=200"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cmd, dir, out := faultyRun(t, fault, "--scenario", "SingleStream", "--limit", c.limit)
			r := finish(t, cmd).wantCode(t, 5)
			wantMessage(t, r, c.message, "give it a higher limit")
			wantMarkedLogs(t, out)
			wantNoProcess(t, dir)
		})
	}
}

// wantMarkedLogs checks that the detail log of an ended run is there, readable and says that the test was aborted.
func wantMarkedLogs(t *testing.T, out string) {
	t.Helper()
	path := filepath.Join(performance(out), "mlperf_log_detail.txt")
	detail, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	if !strings.Contains(string(detail), "error_runtime") {
		t.Errorf("no error_runtime entry in %s", path)
	}
	var doc document
	readJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Status == "complete" {
		t.Errorf("result.json does not mark the run: %+v", doc)
	}
}

// startLongRun starts a run of minutes, whose every query takes milliseconds, and waits until its queries are about to
// flow. What it prints goes to a file.
func startLongRun(t *testing.T, fault string) (cmd *exec.Cmd, dir, out string, said printed) {
	t.Helper()
	cmd, dir, out = faultyRun(t, fault, "--scenario", "SingleStream", "--set", "min_duration=600000",
		"--set", "target_latency=1")
	said = printed(filepath.Join(t.TempDir(), "stderr.txt"))
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, cmd, said, filepath.Join(performance(out), "mlperf_log_detail.txt"), "generated_query_count")
	return cmd, dir, out, said
}

// performance is the folder of the performance run of a faulty plugin.
func performance(out string) string {
	return filepath.Join(out, "faulty", "SingleStream", "performance", "run_1")
}

// printed is a file with what a command prints, to be read at any time.
type printed string

func (p printed) String() string {
	text, err := os.ReadFile(string(p))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// waitForText waits until a file holds a text. After patience it kills the command and ends the test.
func waitForText(t *testing.T, cmd *exec.Cmd, said printed, path, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if have, err := os.ReadFile(path); err == nil && strings.Contains(string(have), text) {
			return
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("no %q in %s; the command printed:\n%s", text, path, said)
		}
	}
}

// TestHarnessKilled kills the harness with a signal that it cannot catch: its plugin ends by itself.
func TestHarnessKilled(t *testing.T) {
	t.Parallel()
	cmd, dir, _, _ := startLongRun(t, "slow-batches")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	wantNoProcess(t, dir)
}

// TestLogsOfAKilledHarness finds answers in the accuracy log of a run that is far from its end, and finds them again
// once the harness is killed.
func TestLogsOfAKilledHarness(t *testing.T) {
	t.Parallel()
	cmd, dir, out := faultyRun(t, "slow-batches", "--scenario", "SingleStream", "--mode", "accuracy")
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
	for deadline := time.Now().Add(patience); seen == 0; time.Sleep(20 * time.Millisecond) {
		if seen = entries(); time.Now().After(deadline) {
			t.Fatalf("no answer is in the log after %s", patience)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if n := entries(); n < seen {
		t.Errorf("%d answers are in the log, %d were before the kill", n, seen)
	}
	var doc document
	readJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Status != "unfinished" {
		t.Errorf("result.json does not mark the run: %+v", doc)
	}
	wantNoProcess(t, dir)
}

// TestInterruptOnce stops issuing, keeps the partial logs, marks them, and ends with 130.
func TestInterruptOnce(t *testing.T) {
	t.Parallel()
	cmd, dir, out, stderr := startLongRun(t, "slow-batches")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130; it printed:\n%s", code, stderr)
	}
	wantMarkedLogs(t, out)
	wantNoProcess(t, dir)
}

// TestInterruptTwice ends at once although the plugin never answers: the second signal ends it, and not what the
// first one began. That takes two seconds at least: both signals wait for the harness while it is stopped, so
// that none comes too late.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	cmd, dir, out, stderr := startLongRun(t, "stop")
	waitForText(t, cmd, stderr, filepath.Join(performance(out), "plugin.log"), "last words")
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
	wantNoProcess(t, dir)
}
