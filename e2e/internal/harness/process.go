// Package harness runs the built harness like a user, together with servers without a model, and checks the output and
// the remains of its processes.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
)

// Result is the outcome of one harness process.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Both returns all its output, for messages.
func (r Result) Both() string { return r.Stdout + r.Stderr }

// Patience is how long a test waits for a state, or for the end of a process that was hit. It only detects hangs, so it
// is long enough for any busy machine.
const Patience = 15 * time.Minute

// Command prepares a process in an empty working directory. Its time limit only detects hangs. If binary is
// built.Harness, it runs the harness of built.For instead.
func Command(t *testing.T, binary string, args ...string) *exec.Cmd {
	t.Helper()
	return LongCommand(t, 2*time.Hour, binary, args...)
}

// LongCommand is Command for a command that may take longer than any other. If PLUMBLINE_CPU names a file, it adds a
// line: the test, the CPU seconds of the process and of the processes it has waited for, and its arguments.
func LongCommand(t *testing.T, most time.Duration, binary string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	if binary == built.Harness() {
		binary = built.For(args)
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = t.TempDir()
	t.Cleanup(func() {
		cancel()
		if path := os.Getenv("PLUMBLINE_CPU"); path != "" {
			noteCPU(t, path, cmd)
		}
	})
	return cmd
}

// noteCPU adds a line to the file at path.
func noteCPU(t *testing.T, path string, cmd *exec.Cmd) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	seconds := -1. // it was not waited for
	if p := cmd.ProcessState; p != nil {
		seconds = (p.UserTime() + p.SystemTime()).Seconds()
	}
	fmt.Fprintf(f, "%s\t%.2f\t%q\n", t.Name(), seconds, cmd.Args[1:])
}

// Run runs the built harness to its end.
func Run(t *testing.T, args ...string) Result {
	t.Helper()
	return Finish(t, Command(t, built.Harness(), args...))
}

// Finish runs a command to its end and returns its output.
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

// WantCode fails the test, with all output, unless the process ended with code.
func (r Result) WantCode(t *testing.T, code int) Result {
	t.Helper()
	if r.Code != code {
		t.Fatalf("exit code %d, want %d; it printed:\n%s", r.Code, code, r.Both())
	}
	return r
}

// WantOutput fails the test unless the process printed each text.
func (r Result) WantOutput(t *testing.T, texts ...string) Result {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Stdout, text) {
			t.Errorf("no %q in:\n%s", text, r.Both())
		}
	}
	return r
}

// WantError fails the test unless the process wrote the text to standard error.
func (r Result) WantError(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(r.Stderr, text) {
		t.Errorf("no %q in:\n%s", text, r.Both())
	}
}
