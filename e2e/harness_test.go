package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// result is what one harness process left behind.
type result struct {
	stdout, stderr string
	code           int
}

// both is everything it printed, for messages.
func (r result) both() string { return r.stdout + r.stderr }

// patience is how long a test waits for a state, or for the end of a process that was hit: for hangs alone, however
// busy the machine is.
const patience = 15 * time.Minute

// command prepares a harness process in an empty working directory. Its limit is for hangs alone.
func command(t *testing.T, binary string, args ...string) *exec.Cmd {
	t.Helper()
	return longCommand(t, 2*time.Hour, binary, args...)
}

// longCommand is command for one that may take longer than any other.
func longCommand(t *testing.T, most time.Duration, binary string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// harness runs the built harness to its end.
func harness(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, command(t, harnessBinary(), args...))
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// wantCode fails the test, with all output, unless the process ended with code.
func (r result) wantCode(t *testing.T, code int) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d; it printed:\n%s", r.code, code, r.both())
	}
	return r
}

// install hard-links the built binaries into a folder of the test's own, so that its processes can be told from those
// of other tests by their path.
func install(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(built.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(built.dir, path)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		return os.Link(path, target)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// readJSON decodes a file into v.
func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// wantOutput fails the test unless the process printed each text.
func (r result) wantOutput(t *testing.T, texts ...string) result {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.stdout, text) {
			t.Errorf("no %q in:\n%s", text, r.both())
		}
	}
	return r
}
