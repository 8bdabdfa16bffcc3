package cli

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

	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// moments sends one interrupt at a moment of a command: as it prints something, as a run issues its first query, as an
// accuracy is scored. It goes on once the command's context has ended.
type moments struct {
	*shell
	at     int
	kinds  []string // of the moments so far
	opened int      // workloads at the last query
}

// momentOf is a shell whose commands are interrupted at the moment at, counted from 1; 0: never.
func momentOf(t *testing.T, at int) *moments {
	m := &moments{shell: newShell(t), at: at}
	f := m.fakes["resnet50"]
	f.Description.Backends = []string{"ort", "process"}
	f.Scoring = func() { m.come("scoring") }
	f.Busy = func(int) time.Duration {
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
	m.signals <- os.Interrupt
	for deadline := time.Now().Add(time.Minute); !strings.Contains(m.stderr.String(), "stopping"); {
		if time.Now().After(deadline) {
			m.t.Error("nobody heeds the interrupt")
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
	return m.stdout.Write(text)
}

func (m *moments) run(args ...string) int {
	m.redirect, m.opened = m, len(m.fakes["resnet50"].Opened())
	return m.shell.run(args...)
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
	m.write("runs.yaml", someRuns)
	m.write("tasks.yaml", taskRuns)
	var args []string
	for _, a := range campaigns[name] {
		args = append(args, strings.Replace(a, "DIR", m.dir, 1))
	}
	return append(args, "--out", m.out())
}

// TestInterruptIsAlwaysTold interrupts each campaign at moments of it. It ends with 130 unless nothing is left to
// make, result.json lists every run that was not made, and the same command makes them.
func TestInterruptIsAlwaysTold(t *testing.T) {
	for name := range campaigns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := momentOf(t, 0)
			ended(t, "the whole campaign", whole.run(whole.campaign(name)...), whole.recorded(), whole.shell)
			count := len(whole.kinds)
			if count < 4 {
				t.Fatalf("there are %d moments", count)
			}
			for _, at := range tried(whole.kinds) {
				m := momentOf(t, at)
				args := m.campaign(name)
				code := m.run(args...)
				about := fmt.Sprintf("interrupted at moment %d of %d (%s)", at, count, whole.kinds[at-1])
				m.told(about, code, whole.recorded())
				m.at = 0
				if args[0] == "run" && args[1] == "resnet50" { // that does not go on by itself
					args = append(args, "--force")
				}
				ended(t, about+", given again", m.run(args...), whole.recorded(), m.shell)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// tried are the moments that are tried, of these kinds: all with PLUMBLINE_KILLS in the environment, else the first one
// of each kind, and the last.
func tried(kinds []string) []int {
	var some []int
	for i, kind := range kinds {
		if os.Getenv("PLUMBLINE_KILLS") != "" || i == len(kinds)-1 || slices.Index(kinds, kind) == i {
			some = append(some, i+1)
		}
	}
	return some
}

// recorded are the runs of result.json by their folders; none where there is no such file.
func (s *shell) recorded() map[string]record.Run {
	all := map[string]record.Run{}
	for _, r := range s.result().Runs {
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
	m.t.Helper()
	have, d := m.recorded(), m.result()
	if _, err := os.Stat(m.out(record.FileName)); errors.Is(err, fs.ErrNotExist) {
		if code != 130 {
			m.t.Errorf("%s: exit code %d, and no record", about, code)
		}
		return
	}
	for dir := range want {
		if _, listed := have[dir]; !listed {
			m.t.Errorf("%s: result.json does not list %s", about, dir)
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
		m.t.Errorf("%s: exit code %d, result.json says %d; left are %q:\n%s", about, code, d.ExitCode, open,
			m.stdout.String()+m.stderr.String())
	case len(open) == 0 && code != 130 && code != d.ExitCode:
		m.t.Errorf("%s: exit code %d, result.json says %d", about, code, d.ExitCode)
	}
	for name, f := range m.fakes {
		if f.Running() > 0 {
			m.t.Errorf("%s: plugin %s is left", about, name)
		}
	}
}

// ended fails the test unless a campaign came to its end, with all its runs in result.json and nothing of another.
func ended(t *testing.T, about string, code int, want map[string]record.Run, s *shell) {
	t.Helper()
	have, d := s.recorded(), s.result()
	if code != 0 && code != 3 || d.ExitCode != code {
		t.Errorf("%s: exit code %d, result.json says %d:\n%s", about, code, d.ExitCode, s.stdout.String()+s.stderr.String())
	}
	for dir, r := range have {
		if !finished(r) {
			t.Errorf("%s: %s is %s, %s", about, dir, r.Status, r.TestVerdict)
		}
	}
	if a, b := slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Errorf("%s: result.json lists %q, want %q", about, a, b)
	}
	if left, err := filepath.Glob(s.out("*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("%s: %v, %q is left", about, err, left)
	}
}

// TestWhatIsNotMadeSaysWhy: a campaign that came to its end leaves no run that only an interrupt would explain.
func TestWhatIsNotMadeSaysWhy(t *testing.T) {
	for _, name := range []string{"audits", "seeds", "submission", "suite", "tasks", "rounds"} {
		m := momentOf(t, 0)
		m.fakes["resnet50"].DieAfter = 10
		m.want(5, m.run(m.campaign(name)...))
		d := m.result()
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
	s := newShell(t)
	s.want(0, s.run("run", "resnet50", "--scenario", "Offline", "--mode", "submission", "--out", s.out()))
	before := s.read(record.FileName)
	s.want(2, s.run("audit", "all", "resnet50", "--scenario", "SingleStream,Offline", "--out", s.out(), "--batch", "2"),
		"Offline performance", "Offline accuracy", "other options")
	if s.read(record.FileName) != before {
		t.Errorf("result.json is now\n%s", s.read(record.FileName))
	}
}

// TestRunsIntoTheFolderOfASuite are refused: its result.json lists runs that lie in folders of their own.
func TestRunsIntoTheFolderOfASuite(t *testing.T) {
	for _, name := range []string{"suite", "rounds"} {
		m := momentOf(t, 0)
		m.want(0, m.run(m.campaign(name)...))
		before := m.read(record.FileName)
		m.want(2, m.run("run", "resnet50", "--scenario", "Offline", "--out", m.out()), "folders of their own", "--out")
		if m.read(record.FileName) != before {
			t.Errorf("%s: result.json is another one", name)
		}
	}
}

// TestFailedAuditInTheRecord: result.json and the process end with the same code, and the run is not made again.
func TestFailedAuditInTheRecord(t *testing.T) {
	s := newShell(t)
	s.clock = new(loadgentest.Clock)
	s.fakes["resnet50"].Busy = func(int) time.Duration { // the audit is slower than what it is compared with
		s.clock.Advance(time.Duration(len(s.fakes["resnet50"].Opened())) * time.Second)
		return 0
	}
	args := []string{"audit", "seeds", "resnet50", "--seeds", "1,2,3", "--scenario", "Offline", "--out", s.out()}
	for range 2 {
		s.want(3, s.run(args...), "FAIL")
		d := s.result()
		if r := d.Runs[1]; d.ExitCode != 3 || r.TestVerdict != record.TestFailed || !r.Good() || r.ExitCode != 3 {
			t.Errorf("exit code %d, %s of a run that is %s", d.ExitCode, r.TestVerdict, r.Verdict)
		}
	}
	if n := len(s.fakes["resnet50"].Opened()); n != 2 {
		t.Errorf("%d runs were made, want 2", n)
	}
}

// TestInterruptAndLostOutput: that output is lost as well does not take the place of an interrupt.
func TestInterruptAndLostOutput(t *testing.T) {
	for _, args := range [][]string{nil, {"--events", "-"}} {
		m := momentOf(t, 0)
		m.fakes["resnet50"].Busy = func(int) time.Duration {
			m.at = len(m.kinds) + 1
			m.come("query")
			return 0
		}
		m.shell.redirect = failing{syscall.ENOSPC}
		args = append(m.campaign("suite"), args...)
		m.want(130, m.shell.run(args...), "interrupted", syscall.ENOSPC.Error())
		if d := m.result(); d.ExitCode != 130 {
			t.Errorf("result.json says %d", d.ExitCode)
		}
	}
}

// TestPatienceWithSignals: a command is given up where it pays no heed to a signal, and never while it ends in order.
func TestPatienceWithSignals(t *testing.T) {
	kill := func() {}
	for _, c := range []struct {
		about    string
		app      *app
		after    time.Duration
		unheeded bool
	}{
		{"reads, no plugin runs", &app{}, patience, true},
		{"reads, but not for long", &app{}, patience / 2, false},
		{"a plugin opens", &app{kill: kill}, patience, false},
		{"a plugin opens for ever", &app{kill: kill}, patienceWithPlugin, true},
		{"runs", &app{kill: kill, ends: true}, time.Hour, false},
		{"writes between runs", &app{between: 1}, time.Hour, false},
		{"a plugin opens for ever, of the second run", &app{kill: kill, between: 1}, patienceWithPlugin, true},
	} {
		if got := c.app.unheeded(c.after); got != c.unheeded {
			t.Errorf("%s, %v after a signal: unheeded %v", c.about, c.after, got)
		}
	}
}
