package faults

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// wantNothingLeft fails the test if a process or a temporary file of the scene remains. A harness that was killed
// before its plugin knew it leaves a folder, which the next start removes.
func (s *scene) wantNothingLeft(t *testing.T, harnessKilled bool) {
	t.Helper()
	for deadline := time.Now().Add(harness.Patience); len(marked(s.mark)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("processes are left: %v", marked(s.mark))
			return
		}
	}
	left := s.temporary(t)
	if len(left) > 0 && harnessKilled {
		next := exec.Command(built.Harness(), "list", "--plugin", filepath.Join(built.Dir(), "faulty",
			"plumbline-plugin-faulty"))
		next.Env = append(os.Environ(), "TMPDIR="+s.tmp)
		if out, err := next.CombinedOutput(); err != nil {
			t.Logf("the next start: %v\n%s", err, out)
		}
		left = s.temporary(t)
	}
	if len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}

// temporary lists the scene's temporary directory.
func (s *scene) temporary(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(s.tmp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// leftovers describes what a run wrote.
type leftovers struct {
	document *results.Document // result.json; nil if missing
	logged   map[uint32]bool   // indices in the accuracy log of the accuracy run; nil without that log
	whole    bool              // that log is complete
	names    map[string]error  // each file's error, by name
	killed   bool              // the harness may have been killed before it finished a write
}

// readLogs reads every file of the output directory as a user would.
func (s *scene) readLogs(t *testing.T, harnessKilled bool) leftovers {
	t.Helper()
	l := leftovers{names: map[string]error{}, killed: harnessKilled}
	err := filepath.WalkDir(s.out, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		l.names[path] = l.read(path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, err := range l.names {
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	return l
}

func (l *leftovers) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch name := filepath.Base(path); name {
	case "result.json":
		var d results.Document
		if err := json.Unmarshal(text, &d); err != nil {
			return err
		}
		l.document = &d // the one walked last belongs to the whole output
	case "mlperf_log_detail.txt":
		return l.readDetail(text)
	case "mlperf_log_accuracy.json":
		return l.readAccuracy(path, text)
	case "series.json":
		if !json.Valid(text) {
			return errors.New("the series are cut")
		}
	case "mlperf_log_summary.txt", "mlperf_log_trace.json", "accuracy.txt", "plugin.log", "audit.config",
		"verify_accuracy.txt", "verify_performance.txt", "baseline_accuracy.txt", "compliance_accuracy.txt",
		"mlmark.csv": // written by audits and tasks, too
	case "verdict.json", "mlmark.json":
		if !json.Valid(text) {
			return errors.New("it is cut")
		}
	case "index.html": // written by a suite
		if !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
			return errors.New("the page is cut")
		}
	default:
		written, _ := filepath.Match("*.??????????????????????????.tmp", name)
		switch {
		case !written && name != ".lock" && name != ".write":
			return errors.New("a file that no run has")
		case !l.killed:
			return errors.New("a file that no session leaves at its end")
		}
	}
	return nil
}

// TestLeftoversOfAKilledHarness checks which leftovers only a killed harness may leave.
func TestLeftoversOfAKilledHarness(t *testing.T) {
	for name, want := range map[string]struct{ killed, ended bool }{
		".lock": {true, false}, "result.json." + strings.Repeat("A", 26) + ".tmp": {true, false}, ".write": {true, false},
		"accuracy.txt": {true, true}, "core": {false, false},
	} {
		path := testfile.Write(t, filepath.Join(t.TempDir(), name), "{")
		killed, ended := leftovers{killed: true}, leftovers{}
		if err := killed.read(path); (err == nil) != want.killed {
			t.Errorf("%s of a harness that was killed: %v", name, err)
		}
		if err := ended.read(path); (err == nil) != want.ended {
			t.Errorf("%s of a harness that ended: %v", name, err)
		}
	}
}

// readDetail expects whole lines. The last one may be cut in a killed harness's log: SIGKILL can end a write of several
// pages between two pages.
func (l *leftovers) readDetail(text []byte) error {
	lines := slices.Collect(bytes.Lines(text))
	for i, line := range lines {
		if bytes.HasPrefix(line, []byte(`:::MLLOG {"key": "`)) && bytes.HasSuffix(line, []byte("}}\n")) {
			continue
		}
		if !l.killed || i < len(lines)-1 || bytes.HasSuffix(line, []byte("\n")) {
			return fmt.Errorf("the line %q is not whole", line)
		}
	}
	return nil
}

// readAccuracy collects the entries. The last one may be cut if the log is incomplete.
func (l *leftovers) readAccuracy(path string, text []byte) error {
	whole := bytes.HasSuffix(text, []byte("\n]\n"))
	if whole && !json.Valid(text) {
		return errors.New("it is not JSON")
	}
	indices := map[uint32]bool{}
	lines := slices.Collect(bytes.Lines(text))
	for i, line := range lines {
		line = bytes.TrimRight(line, ",\n")
		if s := string(line); s == "[" || s == "]" {
			continue
		}
		var e struct {
			Index uint32 `json:"qsl_idx"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			if !whole && i == len(lines)-1 {
				break
			}
			return fmt.Errorf("entry %d: %w", i, err)
		}
		indices[e.Index] = true
	}
	if filepath.Base(filepath.Dir(path)) == "accuracy" {
		l.logged, l.whole = indices, whole
	}
	return nil
}

// complete reports whether the run finished.
func (l leftovers) complete() bool {
	return l.document != nil && len(l.document.Runs) == 2 && l.document.Runs[0].Status == "complete" &&
		l.document.Runs[1].Status == "complete"
}

// judge checks the exit code against the written files, and these against the answers.
func (k kill) judge(t *testing.T, s *scene, l leftovers, code int) (end string) {
	t.Helper()
	switch {
	case l.complete() && code != killed:
		if code != 0 && code != 3 {
			t.Errorf("exit code %d of a run that is complete, want 0 or 3", code)
		}
		end = "the run was over"
	case code != k.code && !k.early(s, code):
		t.Errorf("exit code %d, want %d", code, k.code)
	case l.document == nil || len(l.document.Runs) == 0:
		end = "before the first run"
	default:
		end = l.statuses()
	}
	if k.code != killed && l.document != nil && l.document.ExitCode != code {
		t.Errorf("result.json says exit code %d, the process %d", l.document.ExitCode, code)
	}
	if strings.Contains(s.printed.String(), "goroutine ") {
		t.Error("a stack trace reached the user")
	}
	k.wantAnswered(t, s, l)
	return end
}

// early reports whether the harness was hit in its first moments, before it handles signals, and wrote nothing.
func (k kill) early(s *scene, code int) bool {
	status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && code == killed && status.Signaled() && status.Signal() == k.signal && s.printed.Len() == 0
}

// statuses returns the statuses of the runs, in order.
func (l leftovers) statuses() string {
	var all []string
	for _, r := range l.document.Runs {
		all = append(all, r.Mode+" "+r.Status)
	}
	return strings.Join(all, ", ")
}

// wantAnswered compares the accuracy log with the answers that the plugin reports, if the log was begun.
func (k kill) wantAnswered(t *testing.T, s *scene, l leftovers) {
	t.Helper()
	if s.witness == "" || l.logged == nil || len(l.logged) == 0 {
		return
	}
	text, err := os.ReadFile(s.witness)
	if err != nil {
		t.Fatal(err)
	}
	saw := map[uint32]bool{}
	for ; len(text) >= 4; text = text[4:] {
		saw[binary.LittleEndian.Uint32(text)] = true
	}
	most := k.mayMiss(len(saw))
	for index := range l.logged {
		if !saw[index] {
			t.Errorf("sample %d is in the log, and was never answered", index)
		}
		delete(saw, index)
	}
	if code := k.code; code != killed && !l.whole {
		t.Error("the accuracy log has no end")
	}
	if missing := len(saw); missing > most {
		t.Errorf("%d samples were answered and are not in the log, of %d", missing, missing+len(l.logged))
	}
}

// mayMiss returns how many answers may have been in transit: recorded by the plugin, but not yet sent or not yet
// logged. In a scenario that waits for one query before the next, that is one query.
func (k kill) mayMiss(answers int) int {
	const batch, sessions, streams = 8, 2, 8
	switch {
	case k.code == killed:
		return answers // the answers of the last second: see TestLogsOfAKilledHarness
	case k.scenario == "SingleStream":
		return 1
	case k.scenario == "MultiStream":
		return streams
	}
	// While one session sends and waits for a processor, the other one continues.
	return max(batch*(sessions+1), answers/2)
}

// running describes a process.
type running struct {
	pid  int
	args []string
}

// marked lists the running processes with a variable in their environment, which child processes inherit.
func marked(variable string) []running {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	var all []running
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), []byte("\x00"+variable+"\x00")) {
			continue
		}
		p := running{}
		dir := filepath.Dir(path)
		if _, err := fmt.Sscan(filepath.Base(dir), &p.pid); err != nil {
			continue
		}
		command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(command) == 0 {
			continue
		}
		p.args = strings.Split(strings.TrimSuffix(string(command), "\x00"), "\x00")
		all = append(all, p)
	}
	return all
}

// tally counts how trials ended.
type tally struct {
	mu   sync.Mutex
	ends map[string]int
}

func newTally() *tally { return &tally{ends: map[string]int{}} }

func (c *tally) add(k kill, end string) { c.note(fmt.Sprintf("%-7s %-10v %s", k.who, k.signal, end)) }

func (c *tally) note(end string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends[end]++
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, end := range slices.Sorted(maps.Keys(c.ends)) {
		fmt.Fprintf(&b, "%4d  %s\n", c.ends[end], end)
	}
	return b.String()
}
