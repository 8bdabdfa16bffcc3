package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/fetch/filelock"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// logOf is a log of a performance run in the shell's output directory.
func (s *shell) logOf(scenario string) string {
	return s.out("resnet50", scenario, "performance", "run_1", "mlperf_log_detail.txt")
}

// TestInterruptOfWhatDoesNotEnd sends one signal to a command that reads a file which nobody writes to.
func TestInterruptOfWhatDoesNotEnd(t *testing.T) {
	s := newShell(t)
	ended, codes := make(chan struct{}), make(chan int, 1)
	s.exit = func(code int) { codes <- code; close(ended) }
	s.root = &hooked{machine(), func() {
		s.signals <- syscall.SIGTERM
		<-ended
	}}
	s.run("run", "resnet50", "--out", s.out())
	if code := <-codes; code != 130 || !strings.Contains(s.stderr.String(), "nothing to save") {
		t.Errorf("ended with code %d:\n%s", code, s.stderr.String())
	}
}

// TestPanic ends a command that panics with code 1, closes the plugin (see run) and asks for a report.
func TestPanic(t *testing.T) {
	s := newShell(t)
	s.fakes["resnet50"].Scoring = func() { panic("a slip") }
	s.want(1, s.run("run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", s.out()),
		"harness: panic: a slip", "session_test.go", "please report it")
	if d := s.result(); d.Runs[0].Status != record.Unfinished {
		t.Errorf("result.json: %+v", d)
	}
}

// TestRunsThatReplaceOthers wants each result.json to speak of the logs that are beside it: of the run that broke off,
// and of the earlier one in the place of that which was not made. The earlier results of the former are kept.
func TestRunsThatReplaceOthers(t *testing.T) {
	s := newShell(t)
	args := []string{"run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "performance", "--out", s.out()}
	s.want(0, s.run(args...))
	s.fakes["resnet50"].DieAfter = 10
	s.want(5, s.run(append(args, "--force")...), "FAILED", "not run", "are back", "are kept here")
	for scenario, want := range map[string]record.Status{"SingleStream": record.Failed, "Offline": record.Complete} {
		if _, err := os.Stat(s.logOf(scenario)); err != nil {
			t.Error(err)
		}
		if r := s.result("resnet50", scenario).Runs[0]; r.Status != want || len(r.Files) == 0 {
			t.Errorf("%s: result.json says %s; files %v", scenario, r.Status, r.Files)
		}
	}
	kept := s.result(previous, "resnet50", "SingleStream").Runs[0]
	if _, err := os.Stat(s.out(previous, kept.Files[0].Path)); err != nil || kept.Status != record.Complete {
		t.Errorf("kept: %s, %v", kept.Status, err)
	}
	s.fakes["resnet50"].DieAfter = 0
	s.want(0, s.run(append(args, "--force")...))
	if _, err := os.Stat(s.out(previous)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is replaced: %v", err)
	}
}

// TestAModelThatDoesNotLoad loses nothing of the results that it was to replace: logs, what result.json says, settings.
func TestAModelThatDoesNotLoad(t *testing.T) {
	s := newShell(t)
	conf := s.write("user.conf", "*.*.accuracy_log_sampling_target = 1\n")
	args := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out", s.out()}
	s.want(0, s.run(append(args, "--user-conf", conf)...))
	var before []string
	files := []string{
		"result.json", "resnet50/Offline/user.conf", "resnet50/Offline/performance/run_1/mlperf_log_detail.txt",
	}
	for _, name := range files {
		before = append(before, s.read(name))
	}
	s.fakes["resnet50"].OpenErr = sdk.Data(errors.New("it is no model"))
	s.write("user.conf", "*.*.accuracy_log_sampling_target = 2\n")
	s.want(6, s.run(append(args, "--user-conf", conf, "--force")...),
		"it is no model", filepath.Join("performance", "run_1")+": the results that were to be replaced are back")
	for i, name := range files {
		if s.read(name) != before[i] {
			t.Errorf("%s is not what it was:\n%s", name, s.read(name))
		}
	}
}

// read is the text of a file in the output directory.
func (s *shell) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(s.out(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// TestResultsThatCannotBeRead keeps the logs where their result cannot be replaced.
func TestResultsThatCannotBeRead(t *testing.T) {
	for _, broken := range []string{record.FileName, filepath.Join("resnet50", "Offline", record.FileName)} {
		s := newShell(t)
		args := []string{"run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "performance", "--out", s.out()}
		s.want(0, s.run(args...))
		whole, err := os.ReadFile(s.out("resnet50", "SingleStream", record.FileName))
		if err != nil {
			t.Fatal(err)
		}
		s.write(filepath.Join("out", broken), "{")
		s.want(2, s.run(append(args, "--force")...), s.out(broken), "move it away")
		if _, err := os.Stat(s.logOf("SingleStream")); err != nil {
			t.Errorf("%s: the log of a run that is still in a result: %v", broken, err)
		}
		if left, err := os.ReadFile(s.out("resnet50", "SingleStream", record.FileName)); err != nil ||
			string(left) != string(whole) {
			t.Errorf("%s: the other result is changed: %v", broken, err)
		}
	}
}

// The names of what a session keeps in its output directory.
const (
	previous = ".previous"
	lock     = ".lock"
)

// holdLock is another session that writes to dir.
func holdLock(t *testing.T, dir string) *os.File {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := filelock.Open(filepath.Join(dir, lock), 0o644)
	if err == nil {
		err = filelock.Try(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestOutputInUse keeps two sessions apart that write at the same time.
func TestOutputInUse(t *testing.T) {
	s := newShell(t)
	t.Chdir(s.dir)
	other := holdLock(t, "out")
	defer other.Close()
	args := []string{"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance"}
	s.want(0, s.run(args...), "in out-2\n")
	s.want(2, s.run(append(args, "--out", "out", "--force")...), "output directory out", "another run", "--out")
	if _, err := os.Stat(filepath.Join("out-2", lock)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock of a session that has ended: %v", err)
	}
}

// hooked is a file system that calls a function when it is first looked at.
type hooked struct {
	fs.FS
	look func()
}

func (h *hooked) Open(name string) (fs.File, error) {
	if h.look != nil {
		h.look()
		h.look = nil
	}
	return h.FS.Open(name)
}

// TestInterruptBeforeTheFirstRun records the runs as well, and leaves no empty directories.
func TestInterruptBeforeTheFirstRun(t *testing.T) {
	s := newShell(t)
	s.fakes["resnet50"].HoldAfter = 1 // should the run begin before its context ends
	s.root = &hooked{machine(), func() {
		s.signals <- os.Interrupt
		for !strings.Contains(s.stderr.String(), "stopping") {
			time.Sleep(time.Millisecond)
		}
	}}
	code := s.run("run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "performance", "--out", s.out(),
		"--set", "target_latency=10")
	s.want(130, code, "interrupted by signal", "INTERRUPTED", "not run")
	d := s.result()
	if len(d.Runs) != 2 || d.ExitCode != 130 || d.Runs[0].Status != record.Interrupted ||
		d.Runs[1].Status != record.NotRun {
		t.Errorf("result.json: %+v", d)
	}
	if _, err := os.Stat(s.out("resnet50", "Offline", "performance")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory of a run that was not made: %v", err)
	}
}

// TestLogsThatDisappear deletes, moves or replaces logs, the folder of a run or the whole output in mid-run: what was
// measured is printed, and the run is unfinished.
func TestLogsThatDisappear(t *testing.T) {
	const dir = "resnet50/Offline/accuracy"
	for name, c := range map[string]struct {
		deed func(s *shell) error
		gone string // where nothing may be written any more; empty: result.json says how it ended
	}{
		"one log":            {func(s *shell) error { return os.Remove(s.out(dir, "mlperf_log_detail.txt")) }, ""},
		"a log is replaced":  {func(s *shell) error { return s.replaced(dir, "mlperf_log_summary.txt") }, ""},
		"the run's folder":   {func(s *shell) error { return os.RemoveAll(s.out(dir)) }, ""},
		"the model's folder": {func(s *shell) error { return os.Rename(s.out("resnet50"), s.out("elsewhere")) }, ""},
		"all is deleted":     {func(s *shell) error { return os.RemoveAll(s.out()) }, "out"},
		"all is moved":       {func(s *shell) error { return os.Rename(s.out(), s.out()+"-2") }, "out"},
		"another is there": {func(s *shell) error {
			return errors.Join(os.Rename(s.out(), s.out()+"-2"), os.Mkdir(s.out(), 0o755))
		}, "out/resnet50"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			did := false
			s.fakes["resnet50"].Busy = func(int) time.Duration {
				if !did {
					if err := c.deed(s); err != nil {
						t.Error(err)
					}
				}
				did = true
				return 0
			}
			args := []string{"run", "resnet50", "--scenario", "Offline", "--out", s.out(), "--json"}
			s.want(2, s.run(append(args, "--mode", "accuracy")...), "deleted, moved or replaced while the test ran")
			d, err := record.Parse([]byte(s.stdout.String()))
			if err != nil || d.ExitCode != 2 || d.Runs[0].Status != record.Unfinished || d.Runs[0].Effective == nil {
				t.Fatalf("%v: it prints %+v", err, d)
			}
			if c.gone != "" {
				if _, err := os.Lstat(filepath.Join(s.dir, c.gone)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v, want nothing there", c.gone, err)
				}
				return
			}
			if d := s.result(); d.Runs[0].Status != record.Unfinished || d.ExitCode != 2 {
				t.Errorf("result.json: %+v", d)
			}
		})
	}
}

// replaced puts a file of the same name in the place of one.
func (s *shell) replaced(parts ...string) error {
	return errors.Join(os.Remove(s.out(parts...)), os.WriteFile(s.out(parts...), nil, 0o644))
}

// TestLogsThatDisappearWhileTheyAreScored has a plugin that deletes them then.
func TestLogsThatDisappearWhileTheyAreScored(t *testing.T) {
	for _, name := range []string{"mlperf_log_accuracy.json", "mlperf_log_detail.txt"} {
		s := newShell(t)
		s.fakes["resnet50"].Scoring = func() {
			if err := os.Remove(s.out("resnet50", "Offline", "accuracy", name)); err != nil {
				t.Error(err)
			}
		}
		s.want(2, s.run("run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--out", s.out()),
			"UNFINISHED", name, "deleted, moved")
	}
}

// TestOutputThatCannotBeWrittenAtTheEnd lets each file that is written after the queries be one that cannot be: it is
// the output directory's fault, whatever --json says too.
func TestOutputThatCannotBeWrittenAtTheEnd(t *testing.T) {
	for _, name := range []string{"result.json", "resnet50/Offline/accuracy/accuracy.txt",
		"resnet50/Offline/accuracy/plugin.log"} {
		s := newShell(t)
		s.fakes["resnet50"].Busy = func(int) time.Duration {
			// in the place of the file
			if err := errors.Join(os.RemoveAll(s.out(name)), os.Mkdir(s.out(name), 0o755)); err != nil {
				t.Error(err)
			}
			return 0
		}
		s.want(2, s.run("run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--json", "--out", s.out()),
			filepath.Base(name))
		if d, err := record.Parse([]byte(s.stdout.String())); err != nil || d.ExitCode != 2 ||
			d.Runs[0].Status != record.Failed {
			t.Errorf("%s: %v: it prints exit code %d", name, err, d.ExitCode)
		}
		if strings.Contains(s.stderr.String(), "internal error") {
			t.Errorf("%s: it is called an internal error:\n%s", name, s.stderr.String())
		}
	}
}
