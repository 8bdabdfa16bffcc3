package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// held is a run whose plugin answers a thousand samples and then waits to be let go: what happens meanwhile happens in mid-run.
type held struct {
	cmd     *exec.Cmd
	dir     string // of the installation
	out     string
	said    printed
	witness *os.File
}

// holdRun starts a run of the faulty plugin with some thousand samples, and waits for its logs to be under way. The file in which the
// plugin writes down its samples is a pipe that holds a thousand.
func holdRun(t *testing.T, args ...string) *held {
	t.Helper()
	h := &held{said: printed(filepath.Join(t.TempDir(), "stderr.txt"))}
	pipe := filepath.Join(t.TempDir(), "witness")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.witness, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.witness.Close() })
	if _, err := unix.FcntlInt(h.witness.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--scenario", "SingleStream", "--set", "min_duration=1", "--set", "min_query_count=4000", "--set", "target_latency=0.1"}, args...)
	h.cmd, h.dir, h.out = faultyRun(t, "", args...)
	h.cmd.Env = append(h.cmd.Env, "PLUMBLINE_WITNESS="+pipe)
	file, err := os.Create(string(h.said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h.cmd.Stdout, h.cmd.Stderr = file, file
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, h.cmd, h.said, filepath.Join(performance(h.out), "mlperf_log_detail.txt"), "generated_query_count")
	return h
}

// letGo lets the run go to its end and returns the exit code.
func (h *held) letGo(t *testing.T) int {
	t.Helper()
	go func() {
		buffer := make([]byte, 4096)
		for {
			if _, err := h.witness.Read(buffer); err != nil {
				return // closed with the test
			}
		}
	}()
	_ = h.cmd.Wait()
	wantNoProcess(t, h.dir)
	return h.cmd.ProcessState.ExitCode()
}

// TestLogsLostInMidRun deletes or moves what a run writes to: the result is printed, as one that is unfinished.
func TestLogsLostInMidRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deed    func(h *held) error
		nothing bool // is written where the output was
	}{
		"logs": {func(h *held) error { return os.RemoveAll(performance(h.out)) }, false},
		"folder": {func(h *held) error {
			return os.Rename(filepath.Join(h.out, "faulty"), filepath.Join(h.out, "elsewhere"))
		}, false},
		"output": {func(h *held) error { return os.Rename(h.out, h.out+"-2") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := holdRun(t)
			if err := c.deed(h); err != nil {
				t.Error(err)
			}
			if code := h.letGo(t); code != 2 {
				t.Errorf("exit code %d, want 2; it printed:\n%s", code, h.said)
			}
			for _, part := range []string{"UNFINISHED", "90th percentile latency", "deleted, moved or replaced", performance(h.out)} {
				if !strings.Contains(h.said.String(), part) {
					t.Errorf("no %q in:\n%s", part, h.said)
				}
			}
			if _, err := os.Lstat(h.out); c.nothing && err == nil {
				t.Error("the output folder was made again")
			} else if c.nothing {
				h.out += "-2"
			}
			var doc document
			readJSON(t, filepath.Join(h.out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Status != "unfinished" {
				t.Errorf("result.json: %+v", doc)
			}
		})
	}
}

// TestLogsKeptInMidRun is the same run with nothing lost.
func TestLogsKeptInMidRun(t *testing.T) {
	t.Parallel()
	h := holdRun(t, "--json")
	if code := h.letGo(t); code != 0 {
		t.Fatalf("exit code %d, want 0; it printed:\n%s", code, h.said)
	}
	var doc document
	if err := json.Unmarshal([]byte(h.said.String()), &doc); err != nil || len(doc.Runs) != 1 || doc.Runs[0].Status != "complete" {
		t.Errorf("%v: %+v", err, doc)
	}
}

// TestForceKeepsWhatIsNotReplaced lets a run with --force fail to load its model, and another be killed in mid-run: the earlier
// results are where they were, and the run after the kill says where.
func TestForceKeepsWhatIsNotReplaced(t *testing.T) {
	t.Parallel()
	h := holdRun(t)
	if code := h.letGo(t); code != 0 {
		t.Fatalf("exit code %d, want 0; it printed:\n%s", code, h.said)
	}
	log := filepath.Join(performance(h.out), "mlperf_log_summary.txt")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	wantSame := func(path string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != string(before) {
			t.Errorf("%s: %v, %d bytes; want the %d that were there", path, err, len(text), len(before))
		}
	}
	again := h.cmd.Args[1:] // with --force
	failing := append(slices.Clone(again), "--backend", "process", "--backend-opt", "command=/bin/false")
	wantMessage(t, finish(t, command(t, h.cmd.Path, failing...)).wantCode(t, 5), "/bin/false", "are back")
	wantSame(log)

	cmd := command(t, h.cmd.Path, again...)
	cmd.Env = h.cmd.Env // to wait in mid-run
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kept := strings.Replace(log, h.out, filepath.Join(h.out, ".previous"), 1)
	waitForText(t, cmd, h.said, kept, "Result is")
	waitForText(t, cmd, h.said, filepath.Join(performance(h.out), "mlperf_log_detail.txt"), "generated_query_count")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	wantSame(kept)
	next := finish(t, command(t, h.cmd.Path, slices.DeleteFunc(slices.Clone(again), func(a string) bool { return a == "--force" })...)).wantCode(t, 2)
	wantMessage(t, next, filepath.Dir(kept), "already holds results")
	wantSame(kept)
	if err := os.RemoveAll(performance(h.out)); err != nil { // as if it was killed a moment before
		t.Fatal(err)
	}
	wantMessage(t, finish(t, command(t, h.cmd.Path, failing...)).wantCode(t, 5), "are back")
	wantSame(log)
	wantNoProcess(t, h.dir)
}
