package faulty

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// Held is a run whose plugin answers a thousand samples and then waits to be released, so that a test can act during
// the run.
type Held struct {
	Cmd     *exec.Cmd
	Dir     string // of the installation
	Out     string
	Logs    string // the folder of the run's
	Said    harness.Printed
	witness *os.File
}

// Hold starts a run of the faulty plugin with some thousand samples. The plugin records its samples in a pipe that
// holds a thousand.
func Hold(t *testing.T, args ...string) *Held {
	t.Helper()
	h := PrepareHeld(t, args...)
	h.Start(t)
	return h
}

// PrepareHeld prepares one without starting it.
func PrepareHeld(t *testing.T, args ...string) *Held {
	t.Helper()
	h := &Held{Said: harness.Printed(filepath.Join(t.TempDir(), "stderr.txt"))}
	pipe := filepath.Join(t.TempDir(), "witness")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.witness, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.witness.Close() })
	if err := shrink(h.witness); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--scenario", "SingleStream", "--set", "min_query_count=4000"}, args...)
	h.Cmd, h.Dir, h.Out = Run(t, "", args...)
	h.Cmd.Env = append(h.Cmd.Env, "PLUMBLINE_WITNESS="+pipe)
	h.Logs = Performance(h.Out)
	return h
}

// Start starts the run and waits until its logs are begun.
func (h *Held) Start(t *testing.T) {
	t.Helper()
	file, err := os.Create(string(h.Said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h.Cmd.Stdout, h.Cmd.Stderr = file, file
	if err := h.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	harness.WaitForText(t, h.Cmd, h.Said, filepath.Join(h.Logs, "mlperf_log_detail.txt"), "generated_query_count")
}

// LetGo lets the run finish and returns the exit code.
func (h *Held) LetGo(t *testing.T) int {
	t.Helper()
	go func() {
		buffer := make([]byte, 4096)
		for {
			if _, err := h.witness.Read(buffer); err != nil {
				return // closed with the test
			}
		}
	}()
	_ = h.Cmd.Wait()
	harness.WantNoProcess(t, h.Dir)
	return h.Cmd.ProcessState.ExitCode()
}

// SignalAll sends a signal to the harness and to its plugin.
func (h *Held) SignalAll(t *testing.T, s syscall.Signal) {
	t.Helper()
	for _, p := range harness.ProcessesOf(h.Dir) {
		pid, err := strconv.Atoi(strings.Fields(p)[0])
		if err == nil {
			err = syscall.Kill(pid, s)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
