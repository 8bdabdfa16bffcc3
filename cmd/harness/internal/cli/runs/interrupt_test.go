package runs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// moments sends one interrupt at a moment of a command: as it prints something, as a run issues its first query, as an
// accuracy is scored. It goes on once the command's context has ended.
type moments struct {
	*clitest.Shell
	at     int
	kinds  []string // of the moments so far
	opened int      // workloads at the last query
}

// momentOf is a shell whose commands are interrupted at the moment at, counted from 1; 0: never.
func momentOf(t *testing.T, at int) *moments {
	m := &moments{Shell: clitest.New(t), at: at}
	f := m.Fakes["resnet50"]
	f.Description.Backends = []string{"ort", "process"}
	f.OnScoring = func() { m.come("scoring") }
	f.IssueTime = func(int) time.Duration {
		if now := len(f.Opened()); now != m.opened {
			m.opened = now
			m.come("query")
		}
		return 0
	}
	return m
}

func (m *moments) come(kind string) {
	if m.kinds = append(m.kinds, kind); len(m.kinds) != m.at {
		return
	}
	m.Signals <- os.Interrupt
	for deadline := time.Now().Add(10 * time.Minute); !strings.Contains(m.Stderr.String(), "stopping"); {
		if time.Now().After(deadline) {
			m.T.Error("nobody heeds the interrupt")
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Write is standard output. What a run came to is printed just as it has ended.
func (m *moments) Write(text []byte) (int, error) {
	kind := "print"
	switch line := string(text); {
	case strings.HasSuffix(line, " pass\n"), strings.HasSuffix(line, " fail\n"):
		kind = "verdict"
	case strings.Contains(line, "VALID"):
		kind = "performance"
	case strings.Contains(line, "95.000 %"):
		kind = "accuracy"
	}
	m.come(kind)
	return m.Stdout.Write(text)
}

func (m *moments) run(args ...string) int {
	m.Redirect, m.opened = m, len(m.Fakes["resnet50"].Opened())
	return m.Shell.Run(args...)
}

// campaigns are the commands that make several runs. In the arguments DIR is the shell's folder.
var campaigns = map[string][]string{
	"scenarios": {"run", "resnet50", "--scenario", "SingleStream,Offline", "--mode", "submission"},
	"rounds":    {"run", "resnet50", "--scenario", "Offline", "--repeat", "3"},
	"backends":  {"run", "resnet50", "--scenario", "Offline", "--repeat", "2", "--backend", "ort,process"},
	"JSON":      {"run", "resnet50", "--scenario", "Offline", "--repeat", "2", "--json"},
	"suite":     {"run", "DIR/runs.yaml"},
	"tasks":     {"run", "DIR/tasks.yaml"},
	"audits":    {"audit", "all", "resnet50", "--scenario", "SingleStream,Offline"},
	"seeds":     {"audit", "seeds", "resnet50", "--seeds", "1,2,3", "--scenario", "SingleStream,Offline"},
	"data":      {"audit", "dataset", "resnet50", "--scenario", "Offline", "--dataset", "DIR/runs.yaml"},
	"submission": {"submission", "run", "resnet50", "mobilenet", "--rehearsal", "--smoke", "--scenario",
		"SingleStream,Offline"},
}

const taskRuns = `
runs:
- {run: resnet50, mlmark: throughput, iterations: 20, matrix: {batch: [1, 2]}}
- {run: resnet50, name: answers, mode: accuracy}
`

// campaign is the command line of one.
func (m *moments) campaign(name string) []string {
	m.File("runs.yaml", someRuns)
	m.File("tasks.yaml", taskRuns)
	var args []string
	for _, a := range campaigns[name] {
		args = append(args, strings.Replace(a, "DIR", m.Dir, 1))
	}
	return append(args, "--out", m.Out())
}

// TestInterruptIsAlwaysTold interrupts each campaign at moments of it. It ends with 130 unless nothing is left to
// make, result.json lists every run that was not made, and the same command makes them.
func TestInterruptIsAlwaysTold(t *testing.T) {
	for turn, name := range slices.Sorted(maps.Keys(campaigns)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := momentOf(t, 0)
			ended(t, "the whole campaign", whole.run(whole.campaign(name)...), recordedRuns(whole.Shell), whole.Shell)
			count := len(whole.kinds)
			if count < 4 {
				t.Fatalf("there are %d moments", count)
			}
			for _, at := range tried(whole.kinds, turn) {
				m := momentOf(t, at)
				args := m.campaign(name)
				code := m.run(args...)
				about := fmt.Sprintf("interrupted at moment %d of %d (%s)", at, count, whole.kinds[at-1])
				m.told(about, code, recordedRuns(whole.Shell))
				m.at = 0
				if args[0] == "run" && args[1] == "resnet50" { // that does not go on by itself
					args = append(args, "--force")
				}
				ended(t, about+", given again", m.run(args...), recordedRuns(whole.Shell), m.Shell)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// tried are the moments that are tried, of these kinds: all with PLUMBLINE_KILLS in the environment, in make test-all
// the first one of each kind and the last, else two of those, other ones with each campaign.
func tried(kinds []string, turn int) []int {
	var some []int
	for i, kind := range kinds {
		if os.Getenv("PLUMBLINE_KILLS") != "" || i == len(kinds)-1 || slices.Index(kinds, kind) == i {
			some = append(some, i+1)
		}
	}
	if os.Getenv("PLUMBLINE_KILLS") != "" || slow.All() || len(some) <= 2 {
		return some
	}
	half := len(some) / 2
	return []int{some[turn%half], some[half+turn%(len(some)-half)]}
}

// recordedRuns are the runs of result.json by their folders; none where there is no such file.
func recordedRuns(s *clitest.Shell) map[string]record.Run {
	all := map[string]record.Run{}
	for _, r := range s.Result().Runs {
		all[r.Dir] = r
	}
	return all
}

// finished says whether a run has come to its end, and what it was made for, too.
func finished(r record.Run) bool {
	return r.Status == record.Complete && r.TestVerdict != record.TestNotJudged
}

// told fails the test unless an interrupted campaign says what it has not made.
func (m *moments) told(about string, code int, want map[string]record.Run) {
	m.T.Helper()
	have, d := recordedRuns(m.Shell), m.Result()
	if _, err := os.Stat(m.Out(record.FileName)); errors.Is(err, fs.ErrNotExist) {
		if code != 130 {
			m.T.Errorf("%s: exit code %d, and no record", about, code)
		}
		return
	}
	for dir := range want {
		if _, listed := have[dir]; !listed {
			m.T.Errorf("%s: result.json does not list %s", about, dir)
		}
	}
	var open []string
	for dir, r := range have {
		if !finished(r) {
			open = append(open, dir)
		}
	}
	switch {
	case len(open) > 0 && (code != 130 || d.ExitCode != 130):
		m.T.Errorf("%s: exit code %d, result.json says %d; left are %q:\n%s", about, code, d.ExitCode, open,
			m.Stdout.String()+m.Stderr.String())
	case len(open) == 0 && code != 130 && code != d.ExitCode:
		m.T.Errorf("%s: exit code %d, result.json says %d", about, code, d.ExitCode)
	}
	for name, f := range m.Fakes {
		if f.Running() > 0 {
			m.T.Errorf("%s: plugin %s is left", about, name)
		}
	}
}

// ended fails the test unless a campaign came to its end, with all its runs in result.json and nothing of another.
func ended(t *testing.T, about string, code int, want map[string]record.Run, s *clitest.Shell) {
	t.Helper()
	have, d := recordedRuns(s), s.Result()
	if code != 0 && code != 3 || d.ExitCode != code {
		t.Errorf("%s: exit code %d, result.json says %d:\n%s", about, code, d.ExitCode, s.Stdout.String()+s.Stderr.String())
	}
	for dir, r := range have {
		if !finished(r) {
			t.Errorf("%s: %s is %s, %s", about, dir, r.Status, r.TestVerdict)
		}
	}
	if a, b := slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Errorf("%s: result.json lists %q, want %q", about, a, b)
	}
	if left, err := filepath.Glob(s.Out("*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("%s: %v, %q is left", about, err, left)
	}
}

// TestWhatIsNotMadeSaysWhy: a campaign that came to its end leaves no run that only an interrupt would explain.
func TestWhatIsNotMadeSaysWhy(t *testing.T) {
	for _, name := range []string{"audits", "seeds", "submission", "suite", "tasks", "rounds"} {
		m := momentOf(t, 0)
		m.Fakes["resnet50"].DieAfter = 10
		m.Want(5, m.run(m.campaign(name)...))
		d := m.Result()
		unmade := 0
		for _, r := range d.Runs {
			if r.Status == record.NotRun {
				unmade++
			}
			if r.ExitCode == 130 {
				t.Errorf("%s: %s is %s, with code %d", name, r.Dir, r.Status, r.ExitCode)
			}
		}
		if d.ExitCode != 5 || unmade == 0 && name != "suite" {
			t.Errorf("%s: result.json says %d; %d of %d runs are not made", name, d.ExitCode, unmade, len(d.Runs))
		}
	}
}

// TestAuditsThatAreRefusedLeaveNothing: an output folder with runs of other options stays as it is.
func TestAuditsThatAreRefusedLeaveNothing(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "submission", "--out", s.Out()))
	before := readOut(s, record.FileName)
	s.Want(2, s.Run("audit", "all", "resnet50", "--scenario", "SingleStream,Offline", "--out", s.Out(), "--batch", "2"),
		"Offline performance", "Offline accuracy", "other options")
	if readOut(s, record.FileName) != before {
		t.Errorf("result.json is now\n%s", readOut(s, record.FileName))
	}
}

// TestRunsIntoTheFolderOfASuite are refused: its result.json lists runs that lie in folders of their own.
func TestRunsIntoTheFolderOfASuite(t *testing.T) {
	for _, name := range []string{"suite", "rounds"} {
		m := momentOf(t, 0)
		m.Want(0, m.run(m.campaign(name)...))
		before := readOut(m.Shell, record.FileName)
		m.Want(2, m.run("run", "resnet50", "--scenario", "Offline", "--out", m.Out()), "folders of their own", "--out")
		if readOut(m.Shell, record.FileName) != before {
			t.Errorf("%s: result.json is another one", name)
		}
	}
}

// TestFailedAuditInTheRecord: result.json and the process end with the same code, and the run is not made again.
func TestFailedAuditInTheRecord(t *testing.T) {
	s := clitest.New(t)
	s.Clock = new(loadgentest.Clock)
	s.Fakes["resnet50"].IssueTime = func(int) time.Duration { // the audit is slower than what it is compared with
		s.Clock.Advance(time.Duration(len(s.Fakes["resnet50"].Opened())) * time.Second)
		return 0
	}
	args := []string{"audit", "seeds", "resnet50", "--seeds", "1,2,3", "--scenario", "Offline", "--out", s.Out()}
	for range 2 {
		s.Want(3, s.Run(args...), "FAIL")
		d := s.Result()
		if r := d.Runs[1]; d.ExitCode != 3 || r.TestVerdict != record.TestFailed || !r.Good() || r.ExitCode != 3 {
			t.Errorf("exit code %d, %s of a run that is %s", d.ExitCode, r.TestVerdict, r.Verdict)
		}
	}
	if n := len(s.Fakes["resnet50"].Opened()); n != 2 {
		t.Errorf("%d runs were made, want 2", n)
	}
}

// TestInterruptAndLostOutput: that output is lost as well does not take the place of an interrupt.
func TestInterruptAndLostOutput(t *testing.T) {
	for _, args := range [][]string{nil, {"--events", "-"}} {
		m := momentOf(t, 0)
		m.Fakes["resnet50"].IssueTime = func(int) time.Duration {
			m.at = len(m.kinds) + 1
			m.come("query")
			return 0
		}
		m.Shell.Redirect = failing{syscall.ENOSPC}
		args = append(m.campaign("suite"), args...)
		m.Want(130, m.Shell.Run(args...), "interrupted", syscall.ENOSPC.Error())
		if d := m.Result(); d.ExitCode != 130 {
			t.Errorf("result.json says %d", d.ExitCode)
		}
	}
}
