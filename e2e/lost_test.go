package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// held is a run whose plugin answers a thousand samples and then waits to be let go: what happens
// meanwhile happens in mid-run.
type held struct {
	cmd     *exec.Cmd
	dir     string // of the installation
	out     string
	logs    string // the folder of the run's
	said    printed
	witness *os.File
}

// holdRun starts a run of the faulty plugin with some thousand samples. The file in which the plugin writes down its
// samples is a pipe that holds a thousand.
func holdRun(t *testing.T, args ...string) *held {
	t.Helper()
	h := prepareHeld(t, args...)
	h.start(t)
	return h
}

// prepareHeld prepares one that is not started.
func prepareHeld(t *testing.T, args ...string) *held {
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
	if err := shrink(h.witness); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--scenario", "SingleStream", "--set", "min_query_count=4000"}, args...)
	h.cmd, h.dir, h.out = faultyRun(t, "", args...)
	h.cmd.Env = append(h.cmd.Env, "PLUMBLINE_WITNESS="+pipe)
	h.logs = performance(h.out)
	return h
}

// start starts the run and waits for its logs to be under way.
func (h *held) start(t *testing.T) {
	t.Helper()
	file, err := os.Create(string(h.said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h.cmd.Stdout, h.cmd.Stderr = file, file
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForText(t, h.cmd, h.said, filepath.Join(h.logs, "mlperf_log_detail.txt"), "generated_query_count")
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
			for _, part := range []string{"UNFINISHED", "early-stopping estimate",
				"deleted, moved or replaced", performance(h.out)} {
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
	if err := json.Unmarshal([]byte(h.said.String()), &doc); err != nil || len(doc.Runs) != 1 ||
		doc.Runs[0].Status != "complete" {
		t.Errorf("%v: %+v", err, doc)
	}
}

// TestForceKeepsWhatIsNotReplaced lets a run with --force fail to load its model, and another be killed in mid-run: the
// earlier results are where they were, and the run after the kill says where.
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
	next := finish(t, command(t, h.cmd.Path, slices.DeleteFunc(slices.Clone(again),
		func(a string) bool { return a == "--force" })...)).wantCode(t, 2)
	wantMessage(t, next, filepath.Dir(kept), "already holds results")
	wantSame(kept)
	if err := os.RemoveAll(performance(h.out)); err != nil { // as if it was killed a moment before
		t.Fatal(err)
	}
	wantMessage(t, finish(t, command(t, h.cmd.Path, failing...)).wantCode(t, 5), "are back")
	wantSame(log)
	wantNoProcess(t, h.dir)
}

// TestHangup ends a run as Ctrl-C does, but not one whose terminal may go, as with nohup.
func TestHangup(t *testing.T) {
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // for good: processes of tests that run under nohup get it too
	for name, c := range map[string]struct {
		ignored bool
		code    int
		status  string
	}{"terminal": {false, 130, "interrupted"}, "nohup": {true, 0, "complete"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := prepareHeld(t)
			if c.ignored {
				h.cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, h.cmd.Path}, h.cmd.Args[1:]...)
				h.cmd.Path = "/bin/sh"
			}
			h.start(t)
			if err := h.cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			if !c.ignored {
				waitForText(t, h.cmd, h.said, string(h.said), "hangup: stopping")
			}
			if code := h.letGo(t); code != c.code {
				t.Errorf("exit code %d, want %d; it printed:\n%s", code, c.code, h.said)
			}
			var doc document
			readJSON(t, filepath.Join(h.out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Status != c.status {
				t.Errorf("result.json: %+v", doc)
			}
		})
	}
}

// TestTerminatedWhileItReads ends a process that reads a pipe which nobody writes to, with one signal.
func TestTerminatedWhileItReads(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "mlperf_log_accuracy.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, harnessBinary(), "score", pipe, "--benchmark", "null", "--plugin", "null")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for { // until it reads
			writer, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
			if err == nil {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				defer writer.Close()
				<-t.Context().Done()
				return
			}
			if t.Context().Err() != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 && code != 6 { // 6: it refuses pipes
		t.Errorf("exit code %d, want 130", code)
	}
}

// TestStandstill stops the harness and its plugin for some seconds in mid-run: a run of times is INVALID, one
// of answers gets a note.
func TestStandstill(t *testing.T) {
	t.Parallel()
	for mode, c := range map[string]struct {
		code int
		want string
	}{
		"performance": {3, "standstill"},
		"accuracy":    {0, "note: the machine was suspended or the process stopped once, for "},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := prepareHeld(t, "--mode", mode, "--count", "4000")
			if mode == "accuracy" {
				h.logs = filepath.Join(h.out, "faulty", "SingleStream", "accuracy")
			}
			h.start(t)
			h.signalAll(t, syscall.SIGSTOP)
			time.Sleep(3 * time.Second) // as long as they stand still
			h.signalAll(t, syscall.SIGCONT)
			if code := h.letGo(t); code != c.code {
				t.Errorf("exit code %d, want %d; it printed:\n%s", code, c.code, h.said)
			}
			if !strings.Contains(h.said.String(), c.want) {
				t.Errorf("no %q in:\n%s", c.want, h.said)
			}
		})
	}
}

// signalAll sends a signal to the harness and to its plugin.
func (h *held) signalAll(t *testing.T, s syscall.Signal) {
	t.Helper()
	for _, p := range processesOf(h.dir) {
		pid, err := strconv.Atoi(strings.Fields(p)[0])
		if err == nil {
			err = syscall.Kill(pid, s)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestCrashIsNoUsage lets Go's runtime end the harness: it ends by a signal, and not with the code of wrong usage.
func TestCrashIsNoUsage(t *testing.T) {
	t.Parallel()
	h := holdRun(t)
	if err := h.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	h.letGo(t)
	if status, ok := h.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGABRT {
		t.Errorf("it ended with %v, want SIGABRT", h.cmd.ProcessState)
	}
}
