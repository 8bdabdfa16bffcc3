package plugins

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
)

// TestVerify verifies the null plugin.
func TestVerify(t *testing.T) {
	t.Run("by path", func(t *testing.T) {
		r := harness.Run(t, "verify", filepath.Join(built.Dir(), "plugins", "plumbline-plugin-null"), "--only",
			"handshake,errors").WantCode(t, 0)
		if !strings.Contains(r.Stdout, "model null") || !strings.Contains(r.Stdout, "sound: 2 checks passed") {
			t.Errorf("it printed:\n%s", r.Stdout)
		}
	})
	t.Run("sound", func(t *testing.T) {
		r := harness.Run(t, "verify", "null", "--count", "200", "--json").WantCode(t, 0)
		var report struct {
			Sound  bool
			Checks []struct{ Name, Outcome, Detail string }
		}
		if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
			t.Fatalf("%v in:\n%s", err, r.Stdout)
		}
		if !report.Sound || len(report.Checks) < 15 {
			t.Errorf("%+v, want every check to pass", report)
		}
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "speed"}, "determinism"}, // the checks are listed
		{[]string{"--reference", "cuda"}, `unknown backend`},
		{[]string{"--reference", "nul:null"}, `unknown plugin "nul"`},
	} {
		r := harness.Run(t, append([]string{"verify", "null"}, c.args...)...).WantCode(t, 2)
		if !strings.Contains(r.Stderr, c.want) {
			t.Errorf("%v: no %q in:\n%s", c.args, c.want, r.Both())
		}
	}
}

// verified lists the checks whose faults make test also tries with the command.
var verified = []string{"handshake", "accuracy", "reference", "leftovers"}

// TestVerifyFindsEachFault runs a broken plugin for every check: the command exits with 5, and the line of that check
// names the fault. Checks that are not in verified run only in make test-all, because sdk/conformance finds each of
// these faults by itself.
func TestVerifyFindsEachFault(t *testing.T) {
	for _, c := range []struct{ plugin, check, fault, want string }{
		{"faulty", "handshake", "print-before-handshake", "Hello from a C library"},
		{"faulty", "handshake", "old-version", "version"},
		{"broken", "by-hand", "silent by hand", "exit status that is not 0"},
		{"broken", "description", "describes itself differently", "different plugins"},
		{"broken", "reality", "size", "the description says 200"},
		{"faulty", "scenarios", "twice", "twice"},
		{"faulty", "scenarios", "drop", "not answered"},
		{"faulty", "scenarios", "unknown", "which was not issued"},
		{"broken", "modes", "by scenario", "payloads differ"},
		{"broken", "payloads", "cut", "its own scorer refuses its payloads"},
		{"broken", "payloads", "scores anything", "without its last byte"},
		{"broken", "determinism", "by process", "payloads differ"},
		{"broken", "order", "by position", "payloads differ"},
		{"broken", "batch", "by batch", "payloads differ"},
		{"broken", "accuracy", "wrong", "the description says 100"},
		{"broken", "accuracy", "modest", "the card is too low"},
		{"broken", "reference", "", "accuracy is too low"}, // of the other backend
		{"faulty", "heartbeats", "silent-when-idle", "in which nothing was in work"},
		{"faulty", "heartbeats", "counts-batches", "received 2, answered 2; want "},
		{"faulty", "heartbeats", "counts-too-much", "received 0, answered 1; want 0 of both"},
		{"faulty", "errors", "none-raw", "unknown model"},
		{"faulty", "loading", "none-raw", "was loaded"},
		{"broken", "back-pressure", "hoards", "the process grew"},
		{"broken", "cancellation", "never closes", "Close takes more than"},
		{"broken", "kill", "locks", "in use by another process"},
		{"broken", "memory", "leaks", "the process grew"},
		{"broken", "caching", "caches", "answers seem to be kept"},
		{"broken", "leftovers", "litters", "files are left"},
		{"broken", "leftovers", "daemon", "processes are left"},
	} {
		t.Run(c.check+" "+c.fault, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(verified, c.check) {
				slow.Skip(t)
			}
			args := []string{"verify", c.plugin, "--plugin-dir", filepath.Join(built.Dir(), "faulty"), "--only", c.check}
			switch c.fault { // faults that make it wait in vain
			case "never closes":
				args = append(args, "--patience", "1s")
			case "silent-when-idle":
				args = append(args, "--patience", "3s")
			}
			if c.check == "reference" {
				args = append(args, "--backend", "other")
			}
			cmd := harness.Command(t, built.Harness(), args...)
			cmd.Env = append(cmd.Environ(), "PLUMBLINE_FAULT="+c.fault, "PLUMBLINE_TEST_BROKEN="+c.fault,
				"PLUMBLINE_TEST_LOCK="+filepath.Join(t.TempDir(), "device.lock"))
			r := harness.Finish(t, cmd).WantCode(t, 5)
			text := strings.Join(strings.Fields(r.Stdout), " ") // lines are wrapped
			if !strings.Contains(text, "FAIL "+c.check) || !strings.Contains(text, c.want) ||
				!strings.Contains(text, "1 of 1 checks failed") {
				t.Errorf("no line of %s with %q in:\n%s", c.check, c.want, r.Both())
			}
		})
	}
}

// TestVerifyInterrupted expects no verdict for checks that were not made.
func TestVerifyInterrupted(t *testing.T) {
	cmd := harness.Command(t, built.Harness(), "verify", "faulty", "--plugin-dir", filepath.Join(built.Dir(), "faulty"),
		"--plugin",
		"faulty", "--only", "handshake,memory", "--count", "24")
	cmd.Env = append(cmd.Environ(), "PLUMBLINE_FAULT=slow-batches") // memory then runs for its full minute
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "handshake") { // memory is next
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || strings.Contains(printed.String(), "sound") {
		t.Errorf("exit code %d, want 130; it printed:\n%s", code, printed.String())
	}
}
