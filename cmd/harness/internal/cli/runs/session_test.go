package runs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// logOf is a log of a performance run in the shell's output directory.
func logOf(s *clitest.Shell, scenario string) string {
	return s.Out("resnet50", scenario, "performance", "run_1", "mlperf_log_detail.txt")
}

// TestInterruptOfWhatDoesNotEnd sends one signal to a command that reads a file which nobody writes to.
func TestInterruptOfWhatDoesNotEnd(t *testing.T) {
	s := clitest.New(t)
	ended, codes := make(chan struct{}), make(chan int, 1)
	s.Exit = func(code int) { codes <- code; close(ended) }
	s.Root = &hooked{clitest.Machine(), func() {
		s.Signals <- syscall.SIGTERM
		<-ended
	}}
	s.Run("run", "resnet50", "--out", s.Out())
	if code := <-codes; code != 130 || !strings.Contains(s.Stderr.String(), "nothing to save") {
		t.Errorf("ended with code %d:\n%s", code, s.Stderr.String())
	}
}

// TestPanic ends a command that panics with code 1, closes the plugin (see run) and asks for a report.
func TestPanic(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].OnScoring = func() { panic("a slip") }
	s.Want(1, s.Run("run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", s.Out()),
		"harness: panic: a slip", "session_test.go", "please report it")
	if d := s.Result(); d.Runs[0].Status != record.Unfinished {
		t.Errorf("result.json: %+v", d)
	}
}

// TestRunsThatReplaceOthers wants each result.json to speak of the logs that are beside it: of the run that broke off,
// and of the earlier one in the place of that which was not made. The earlier results of the former are kept.
func TestRunsThatReplaceOthers(t *testing.T) {
	s := clitest.New(t)
	args := []string{"run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "performance", "--out", s.Out()}
	s.Want(0, s.Run(args...))
	s.Fakes["resnet50"].DieAfter = 10
	s.Want(5, s.Run(append(args, "--force")...), "FAILED", "not run", "are back", "are kept here")
	for scenario, want := range map[string]record.Status{"SingleStream": record.Failed, "Offline": record.Complete} {
		if _, err := os.Stat(logOf(s, scenario)); err != nil {
			t.Error(err)
		}
		if r := s.Result("resnet50", scenario).Runs[0]; r.Status != want || len(r.Files) == 0 {
			t.Errorf("%s: result.json says %s; files %v", scenario, r.Status, r.Files)
		}
	}
	kept := s.Result(previous, "resnet50", "SingleStream").Runs[0]
	if _, err := os.Stat(s.Out(previous, kept.Files[0].Path)); err != nil || kept.Status != record.Complete {
		t.Errorf("kept: %s, %v", kept.Status, err)
	}
	s.Fakes["resnet50"].DieAfter = 0
	s.Want(0, s.Run(append(args, "--force")...))
	if _, err := os.Stat(s.Out(previous)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is replaced: %v", err)
	}
}

// TestAModelThatDoesNotLoad loses nothing of the results that it was to replace: logs, what result.json says, settings.
func TestAModelThatDoesNotLoad(t *testing.T) {
	s := clitest.New(t)
	conf := s.File("user.conf", "*.*.accuracy_log_sampling_target = 1\n")
	args := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out", s.Out()}
	s.Want(0, s.Run(append(args, "--user-conf", conf)...))
	var before []string
	files := []string{
		"result.json", "resnet50/Offline/user.conf", "resnet50/Offline/performance/run_1/mlperf_log_detail.txt",
	}
	for _, name := range files {
		before = append(before, readOut(s, name))
	}
	s.Fakes["resnet50"].OpenErr = sdk.Data(errors.New("it is no model"))
	s.File("user.conf", "*.*.accuracy_log_sampling_target = 2\n")
	s.Want(6, s.Run(append(args, "--user-conf", conf, "--force")...),
		"it is no model", filepath.Join("performance", "run_1")+": the results that were to be replaced are back")
	for i, name := range files {
		if readOut(s, name) != before[i] {
			t.Errorf("%s is not what it was:\n%s", name, readOut(s, name))
		}
	}
}

// readOut is the text of a file in the output directory.
func readOut(s *clitest.Shell, name string) string {
	s.T.Helper()
	text, err := os.ReadFile(s.Out(name))
	if err != nil {
		s.T.Fatal(err)
	}
	return string(text)
}

// TestResultsThatCannotBeRead keeps the logs where their result cannot be replaced.
func TestResultsThatCannotBeRead(t *testing.T) {
	for _, broken := range []string{record.FileName, filepath.Join("resnet50", "Offline", record.FileName)} {
		s := clitest.New(t)
		args := []string{"run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "performance", "--out", s.Out()}
		s.Want(0, s.Run(args...))
		whole, err := os.ReadFile(s.Out("resnet50", "SingleStream", record.FileName))
		if err != nil {
			t.Fatal(err)
		}
		s.File(filepath.Join("out", broken), "{")
		s.Want(2, s.Run(append(args, "--force")...), s.Out(broken), "move it away")
		if _, err := os.Stat(logOf(s, "SingleStream")); err != nil {
			t.Errorf("%s: the log of a run that is still in a result: %v", broken, err)
		}
		if left, err := os.ReadFile(s.Out("resnet50", "SingleStream", record.FileName)); err != nil ||
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
		err = filelock.TryLock(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestOutputInUse keeps two sessions apart that write at the same time.
func TestOutputInUse(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	other := holdLock(t, "out")
	defer other.Close()
	args := []string{"run", "resnet50", "--scenario", "SingleStream", "--mode", "performance"}
	s.Want(0, s.Run(args...), "in out-2\n")
	s.Want(2, s.Run(append(args, "--out", "out", "--force")...), "output directory out", "another run", "--out")
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
	s := clitest.New(t)
	s.Fakes["resnet50"].HoldAfter = 1 // should the run begin before its context ends
	s.Root = &hooked{clitest.Machine(), func() {
		s.Signals <- os.Interrupt
		for !strings.Contains(s.Stderr.String(), "stopping") {
			time.Sleep(time.Millisecond)
		}
	}}
	code := s.Run("run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "performance", "--out", s.Out(),
		"--set", "target_latency=10")
	s.Want(130, code, "interrupted by signal", "INTERRUPTED", "not run")
	d := s.Result()
	if len(d.Runs) != 2 || d.ExitCode != 130 || d.Runs[0].Status != record.Interrupted ||
		d.Runs[1].Status != record.NotRun {
		t.Errorf("result.json: %+v", d)
	}
	if _, err := os.Stat(s.Out("resnet50", "Offline", "performance")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory of a run that was not made: %v", err)
	}
}

// TestLogsThatDisappear deletes, moves or replaces logs, the folder of a run or the whole output in mid-run: what was
// measured is printed, and the run is unfinished.
func TestLogsThatDisappear(t *testing.T) {
	const dir = "resnet50/Offline/accuracy"
	for name, c := range map[string]struct {
		deed func(s *clitest.Shell) error
		gone string // where nothing may be written any more; empty: result.json says how it ended
	}{
		"one log":            {func(s *clitest.Shell) error { return os.Remove(s.Out(dir, "mlperf_log_detail.txt")) }, ""},
		"a log is replaced":  {func(s *clitest.Shell) error { return replacedOut(s, dir, "mlperf_log_summary.txt") }, ""},
		"the run's folder":   {func(s *clitest.Shell) error { return os.RemoveAll(s.Out(dir)) }, ""},
		"the model's folder": {func(s *clitest.Shell) error { return os.Rename(s.Out("resnet50"), s.Out("elsewhere")) }, ""},
		"all is deleted":     {func(s *clitest.Shell) error { return os.RemoveAll(s.Out()) }, "out"},
		"all is moved":       {func(s *clitest.Shell) error { return os.Rename(s.Out(), s.Out()+"-2") }, "out"},
		"another is there": {func(s *clitest.Shell) error {
			return errors.Join(os.Rename(s.Out(), s.Out()+"-2"), os.Mkdir(s.Out(), 0o755))
		}, "out/resnet50"},
	} {
		t.Run(name, func(t *testing.T) {
			s := clitest.New(t)
			did := false
			s.Fakes["resnet50"].IssueTime = func(int) time.Duration {
				if !did {
					if err := c.deed(s); err != nil {
						t.Error(err)
					}
				}
				did = true
				return 0
			}
			args := []string{"run", "resnet50", "--scenario", "Offline", "--out", s.Out(), "--json"}
			s.Want(2, s.Run(append(args, "--mode", "accuracy")...), "deleted, moved or replaced while the test ran")
			d, err := record.Parse([]byte(s.Stdout.String()))
			if err != nil || d.ExitCode != 2 || d.Runs[0].Status != record.Unfinished || d.Runs[0].Effective == nil {
				t.Fatalf("%v: it prints %+v", err, d)
			}
			if c.gone != "" {
				if _, err := os.Lstat(filepath.Join(s.Dir, c.gone)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v, want nothing there", c.gone, err)
				}
				return
			}
			if d := s.Result(); d.Runs[0].Status != record.Unfinished || d.ExitCode != 2 {
				t.Errorf("result.json: %+v", d)
			}
		})
	}
}

// replacedOut puts a file of the same name in the place of one.
func replacedOut(s *clitest.Shell, parts ...string) error {
	return errors.Join(os.Remove(s.Out(parts...)), os.WriteFile(s.Out(parts...), nil, 0o644))
}

// TestLogsThatDisappearWhileTheyAreScored has a plugin that deletes them then.
func TestLogsThatDisappearWhileTheyAreScored(t *testing.T) {
	for _, name := range []string{"mlperf_log_accuracy.json", "mlperf_log_detail.txt"} {
		s := clitest.New(t)
		s.Fakes["resnet50"].OnScoring = func() {
			if err := os.Remove(s.Out("resnet50", "Offline", "accuracy", name)); err != nil {
				t.Error(err)
			}
		}
		s.Want(2, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--out", s.Out()),
			"UNFINISHED", name, "deleted, moved")
	}
}

// TestOutputThatCannotBeWrittenAtTheEnd lets each file that is written after the queries be one that cannot be: it is
// the output directory's fault, whatever --json says too.
func TestOutputThatCannotBeWrittenAtTheEnd(t *testing.T) {
	for _, name := range []string{"result.json", "resnet50/Offline/accuracy/accuracy.txt",
		"resnet50/Offline/accuracy/plugin.log"} {
		s := clitest.New(t)
		s.Fakes["resnet50"].IssueTime = func(int) time.Duration {
			// in the place of the file
			if err := errors.Join(os.RemoveAll(s.Out(name)), os.Mkdir(s.Out(name), 0o755)); err != nil {
				t.Error(err)
			}
			return 0
		}
		s.Want(2, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--json", "--out", s.Out()),
			filepath.Base(name))
		if d, err := record.Parse([]byte(s.Stdout.String())); err != nil || d.ExitCode != 2 ||
			d.Runs[0].Status != record.Failed {
			t.Errorf("%s: %v: it prints exit code %d", name, err, d.ExitCode)
		}
		if strings.Contains(s.Stderr.String(), "internal error") {
			t.Errorf("%s: it is called an internal error:\n%s", name, s.Stderr.String())
		}
	}
}
