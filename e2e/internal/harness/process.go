// Package harness runs the built harness as a user does, and looks at what its processes print and leave.
package harness

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
)

// Result is what one harness process left behind.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// both is everything it printed, for messages.
func (r Result) Both() string { return r.Stdout + r.Stderr }

// Patience is how long a test waits for a state, or for the end of a process that was hit: for hangs alone, however
// busy the machine is.
const Patience = 15 * time.Minute

// Command prepares a harness process in an empty working directory. Its limit is for hangs alone.
func Command(t *testing.T, binary string, args ...string) *exec.Cmd {
	t.Helper()
	return LongCommand(t, 2*time.Hour, binary, args...)
}

// LongCommand is command for one that may take longer than any other.
func LongCommand(t *testing.T, most time.Duration, binary string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// Run runs the built harness to its end.
func Run(t *testing.T, args ...string) Result {
	t.Helper()
	return Finish(t, Command(t, built.Harness(), args...))
}

// Finish runs a command to its end and returns what it printed.
func Finish(t *testing.T, cmd *exec.Cmd) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// wantCode fails the test, with all output, unless the process ended with code.
func (r Result) WantCode(t *testing.T, code int) Result {
	t.Helper()
	if r.Code != code {
		t.Fatalf("exit code %d, want %d; it printed:\n%s", r.Code, code, r.Both())
	}
	return r
}

// wantOutput fails the test unless the process printed each text.
func (r Result) WantOutput(t *testing.T, texts ...string) Result {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("no %q in:\n%s", text, r.Both())
		}
	}
	return r
}

// wantError fails the test unless the process said the text on its error stream.
func (r Result) WantError(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(r.Stderr, text) {
		t.Errorf("no %q in:\n%s", text, r.Both())
	}
}
