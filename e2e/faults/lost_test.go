package faults

import (
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestLogsLostInMidRun deletes or moves the files that a run writes: the result is printed as unfinished.
func TestLogsLostInMidRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deed    func(h *faulty.Held) error
		nothing bool // nothing is written at the place of the output
	}{
		"logs": {func(h *faulty.Held) error { return os.RemoveAll(faulty.Performance(h.Out)) }, false},
		"folder": {func(h *faulty.Held) error {
			return os.Rename(filepath.Join(h.Out, "faulty"), filepath.Join(h.Out, "elsewhere"))
		}, false},
		"output": {func(h *faulty.Held) error { return os.Rename(h.Out, h.Out+"-2") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := faulty.Hold(t)
			if err := c.deed(h); err != nil {
				t.Error(err)
			}
			if code := h.LetGo(t); code != 2 {
				t.Errorf("exit code %d, want 2; it printed:\n%s", code, h.Said)
			}
			for _, part := range []string{"UNFINISHED", "early-stopping estimate",
				"deleted, moved or replaced", faulty.Performance(h.Out)} {
				if !strings.Contains(h.Said.String(), part) {
					t.Errorf("no %q in:\n%s", part, h.Said)
				}
			}
			if _, err := os.Lstat(h.Out); c.nothing && err == nil {
				t.Error("the output folder was made again")
			} else if c.nothing {
				h.Out += "-2"
			}
			var doc results.Document
			testfile.ReadJSON(t, filepath.Join(h.Out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Status != "unfinished" {
				t.Errorf("result.json: %+v", doc)
			}
		})
	}
}

// TestLogsKeptInMidRun makes the same run without a loss.
func TestLogsKeptInMidRun(t *testing.T) {
	t.Parallel()
	h := faulty.Hold(t, "--json")
	if code := h.LetGo(t); code != 0 {
		t.Fatalf("exit code %d, want 0; it printed:\n%s", code, h.Said)
	}
	var doc results.Document
	if err := json.Unmarshal([]byte(h.Said.String()), &doc); err != nil || len(doc.Runs) != 1 ||
		doc.Runs[0].Status != "complete" {
		t.Errorf("%v: %+v", err, doc)
	}
}

// TestForceKeepsWhatIsNotReplaced makes two runs with --force: one fails to load its model, the other is killed during
// the run. The earlier results stay where they were, and the run after the kill names the place.
func TestForceKeepsWhatIsNotReplaced(t *testing.T) {
	t.Parallel()
	h := faulty.Hold(t)
	if code := h.LetGo(t); code != 0 {
		t.Fatalf("exit code %d, want 0; it printed:\n%s", code, h.Said)
	}
	log := filepath.Join(faulty.Performance(h.Out), "mlperf_log_summary.txt")
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
	again := h.Cmd.Args[1:] // with --force
	failing := append(slices.Clone(again), "--backend", "process", "--backend-opt", "command=/bin/false")
	harness.WantMessage(t, harness.Finish(t, harness.Command(t, h.Cmd.Path, failing...)).WantCode(t, 5), "/bin/false",
		"are back")
	wantSame(log)

	cmd := harness.Command(t, h.Cmd.Path, again...)
	cmd.Env = h.Cmd.Env // to wait during the run
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kept := strings.Replace(log, h.Out, filepath.Join(h.Out, ".previous"), 1)
	harness.WaitForText(t, cmd, h.Said, kept, "Result is")
	harness.WaitForText(t, cmd, h.Said, filepath.Join(faulty.Performance(h.Out), "mlperf_log_detail.txt"),
		"generated_query_count")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	wantSame(kept)
	next := harness.Finish(t, harness.Command(t, h.Cmd.Path, slices.DeleteFunc(slices.Clone(again),
		func(a string) bool { return a == "--force" })...)).WantCode(t, 2)
	harness.WantMessage(t, next, filepath.Dir(kept), "already holds results")
	wantSame(kept)
	if err := os.RemoveAll(faulty.Performance(h.Out)); err != nil { // as if it had been killed a moment before
		t.Fatal(err)
	}
	harness.WantMessage(t, harness.Finish(t, harness.Command(t, h.Cmd.Path, failing...)).WantCode(t, 5), "are back")
	wantSame(log)
	harness.WantNoProcess(t, h.Dir)
}

// TestHangup: a hangup ends a run as Ctrl-C does, unless it is ignored, as with nohup.
func TestHangup(t *testing.T) {
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // permanently: tests under nohup need it, too
	for name, c := range map[string]struct {
		ignored bool
		code    int
		status  string
	}{"terminal": {false, 130, "interrupted"}, "nohup": {true, 0, "complete"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := faulty.PrepareHeld(t)
			if c.ignored {
				h.Cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, h.Cmd.Path}, h.Cmd.Args[1:]...)
				h.Cmd.Path = "/bin/sh"
			}
			h.Start(t)
			if err := h.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			if !c.ignored {
				harness.WaitForText(t, h.Cmd, h.Said, string(h.Said), "hangup: stopping")
			}
			if code := h.LetGo(t); code != c.code {
				t.Errorf("exit code %d, want %d; it printed:\n%s", code, c.code, h.Said)
			}
			var doc results.Document
			testfile.ReadJSON(t, filepath.Join(h.Out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Status != c.status {
				t.Errorf("result.json: %+v", doc)
			}
		})
	}
}

// TestTerminatedWhileItReads ends a process that reads a pipe without a writer, with one signal.
func TestTerminatedWhileItReads(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "mlperf_log_accuracy.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := harness.Command(t, built.Harness(), "score", pipe, "--benchmark", "null", "--plugin", "null")
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

// TestStandstill stops the harness and its plugin for some seconds during a run: a performance run is INVALID, an
// accuracy run gets a note.
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
			h := faulty.PrepareHeld(t, "--mode", mode, "--count", "4000")
			if mode == "accuracy" {
				h.Logs = filepath.Join(h.Out, "faulty", "SingleStream", "accuracy")
			}
			h.Start(t)
			h.SignalAll(t, syscall.SIGSTOP)
			time.Sleep(3 * time.Second) // the duration of the stop
			h.SignalAll(t, syscall.SIGCONT)
			if code := h.LetGo(t); code != c.code {
				t.Errorf("exit code %d, want %d; it printed:\n%s", code, c.code, h.Said)
			}
			if !strings.Contains(h.Said.String(), c.want) {
				t.Errorf("no %q in:\n%s", c.want, h.Said)
			}
		})
	}
}

// TestCrashIsNoUsage lets Go's runtime end the harness: it ends by a signal, not with the exit code for wrong usage.
func TestCrashIsNoUsage(t *testing.T) {
	t.Parallel()
	h := faulty.Hold(t)
	if err := h.Cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	h.LetGo(t)
	if status, ok := h.Cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGABRT {
		t.Errorf("it ended with %v, want SIGABRT", h.Cmd.ProcessState)
	}
}
