package output

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
)

const detail = "mlperf_log_detail.txt"

// earlier returns an output directory with complete results of both runs, whose logs contain "old".
func earlier(t *testing.T) (out string) {
	t.Helper()
	out = t.TempDir()
	write(t, filepath.Join(out, dirs[0], PluginLogName), "old")
	for _, dir := range dirs {
		write(t, filepath.Join(out, dir, detail), "old")
		save(t, out, dir, record.Complete)
	}
	return out
}

// save records in result.json how the run in dir ended.
func save(t *testing.T, out, dir string, status record.Status) {
	t.Helper()
	if err := record.Save(out, record.Run{
		Model: "m", Scenario: filepath.Base(filepath.Dir(dir)), Mode: dir, Dir: dir, Status: status,
	}); err != nil {
		t.Fatal(err)
	}
}

// replace performs a session's steps before its first run.
func replace(t *testing.T, out string) {
	t.Helper()
	if err := SetAside(out, dirs); err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		save(t, out, dir, record.NotRun)
	}
	if err := Prepare(out, dirs); err != nil {
		t.Fatal(err)
	}
}

// wantRun checks a run's log and its record in result.json.
func wantRun(t *testing.T, out, dir, text string, status record.Status) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(out, dir, detail))
	if err != nil || string(got) != text {
		t.Errorf("%s: the log says %q, %v; want %q", dir, got, err, text)
	}
	if run, found, err := readRecorded(out, dir); err != nil || !found || run.Status != status {
		t.Errorf("%s: result.json says %q, found %v, %v; want %q", dir, run.Status, found, err, status)
	}
}

func recoverAll(t *testing.T, out string, back, kept []string) {
	t.Helper()
	s, err := Recover(out)
	join := func(dirs []string, more ...string) (all []string) {
		for _, dir := range dirs {
			all = append(all, filepath.Join(append(slices.Insert(more, 0, out), dir)...))
		}
		return all
	}
	slices.Sort(s.Restored)
	if want := join(back); err != nil || !slices.Equal(s.Restored, want) || !slices.Equal(s.Kept, join(kept,
		PreviousName)) {
		t.Errorf("%+v, %v; want back %v, kept %v", s, err, back, kept)
	}
	if n := strings.Count(s.Text(), "\n"); n != len(back)+len(kept) {
		t.Errorf("it says %q", s.Text())
	}
	if _, err := os.Lstat(previous(out)); os.IsNotExist(err) != (len(kept) == 0) {
		t.Errorf("%s: %v", PreviousName, err)
	}
}

func TestRecover(t *testing.T) {
	both := []string{dirs[1], dirs[0]}
	for name, c := range map[string]struct {
		happens    func(out string) // between the preparation and the end
		back, kept []string
	}{
		"nothing is run":           {func(string) {}, both, nil},
		"a model that cannot load": {func(out string) { save(t, out, dirs[0], record.Failed) }, both, nil},
		"it printed, too": {func(out string) {
			for _, dir := range dirs {
				save(t, out, dir, record.Failed)
				write(t, filepath.Join(out, dir, PluginLogName), "no such model")
			}
		}, both, nil},
		"both are complete": {func(out string) {
			for _, dir := range dirs {
				write(t, filepath.Join(out, dir, detail), "new")
				save(t, out, dir, record.Complete)
			}
		}, nil, nil},
		"one is complete": {func(out string) {
			write(t, filepath.Join(out, dirs[0], detail), "new")
			save(t, out, dirs[0], record.Complete)
		}, both[:1], nil},
		"one broke off": {func(out string) {
			write(t, filepath.Join(out, dirs[0], detail), "new")
			save(t, out, dirs[0], record.Unfinished)
		}, both[:1], both[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			out := earlier(t)
			replace(t, out)
			c.happens(out)
			recoverAll(t, out, c.back, c.kept)
			for _, dir := range c.back {
				wantRun(t, out, dir, "old", record.Complete)
				text, _ := os.ReadFile(filepath.Join(out, dir, PluginLogName))
				if want := map[string]string{dirs[0]: "old"}[dir]; string(text) != want {
					t.Errorf("%s of %s: %q, want %q", PluginLogName, dir, text, want)
				}
			}
			for _, dir := range c.kept {
				wantRun(t, out, dir, "new", record.Unfinished)
				wantRun(t, previous(out), dir, "old", record.Complete)
			}
			recoverAll(t, out, nil, c.kept) // already recovered
		})
	}
}

// A second run that follows an unfinished one replaces that run's files, but not the results that are set aside.
func TestRecoverAfterASecondTry(t *testing.T) {
	out := earlier(t)
	replace(t, out)
	write(t, filepath.Join(out, dirs[0], detail), "new")
	save(t, out, dirs[0], record.Interrupted)
	recoverAll(t, out, dirs[1:], dirs[:1])
	if _, err := Choose(out, false, dirs[:1]); err == nil ||
		!strings.Contains(err.Error(), filepath.Join(previous(out), dirs[0])) {
		t.Errorf("%v, want what is kept to be named", err)
	}
	replace(t, out)
	recoverAll(t, out, []string{dirs[1], dirs[0]}, nil)
	wantRun(t, out, dirs[0], "old", record.Complete)
}

// After each step of setting aside and restoring, a kill leaves files from which the next session restores the results.
func TestRecoverAfterAKill(t *testing.T) {
	move := func(out, from, to, name string) {
		if err := moveFile(filepath.Join(out, from, name), filepath.Join(out, to, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, killed := range map[string]func(out string){
		"before a log is moved": func(string) {},
		"when one is moved":     func(out string) { move(out, dirs[0], filepath.Join(PreviousName, dirs[0]), detail) },
		"when one is put back": func(out string) {
			if err := Prepare(out, dirs[:1]); err != nil {
				t.Fatal(err)
			}
			move(out, filepath.Join(PreviousName, dirs[0]), dirs[0], detail)
		},
		"when all are put back": func(out string) {
			if err := Prepare(out, dirs[:1]); err != nil {
				t.Fatal(err)
			}
			move(out, filepath.Join(PreviousName, dirs[0]), dirs[0], detail)
			move(out, filepath.Join(PreviousName, dirs[0]), dirs[0], PluginLogName)
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := earlier(t)
			if err := SetAside(out, dirs[:1]); err != nil {
				t.Fatal(err)
			}
			save(t, out, dirs[0], record.NotRun)
			killed(out)
			if _, err := Recover(out); err != nil {
				t.Fatal(err)
			}
			wantRun(t, out, dirs[0], "old", record.Complete)
			wantRun(t, out, dirs[1], "old", record.Complete)
		})
	}
}
