package sweep_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// damages are ways in which a point's folder is not what it was, each with what is said of it.
func damages(t *testing.T) map[string]struct {
	do   func(dir string) error
	says string
} {
	t.Helper()
	cut := func(name string, to int64) func(string) error {
		return func(dir string) error { return os.Truncate(filepath.Join(dir, name), to) }
	}
	remove := func(name string) func(string) error {
		return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
	}
	return map[string]struct {
		do   func(dir string) error
		says string
	}{
		"the folder is gone": {remove("."), "is gone"},
		"no requests":        {remove(requests.JSONLName), requests.JSONLName + " is gone"},
		"requests cut":       {cut(requests.JSONLName, 1000), "has 1000 bytes, and had"},
		"requests empty":     {cut(requests.JSONLName, 0), "has 0 bytes"},
		"result.json empty":  {cut(record.FileName, 0), record.FileName + " has 0 bytes"},
		"no result.json":     {remove(record.FileName), record.FileName + " is gone"},
		"no series":          {remove(series.FileName), series.FileName + " is gone"},
		"requests longer":    {cut(requests.JSONLName, 1<<20), "has 1048576 bytes"},
		"a byte of the requests is another one": {func(dir string) error {
			path := filepath.Join(dir, requests.JSONLName)
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text[len(text)/2] ^= 1
			return os.WriteFile(path, text, 0o600)
		}, "other contents"},
	}
}

// TestLostFiles: a point whose files are not as they were written is measured again, the others are not, and that is
// said; a report says so of one that was not measured again.
func TestLostFiles(t *testing.T) {
	flags := []string{"--seed=1"}
	base := filepath.Join(t.TempDir(), "base")
	run := func(name, dir, wantLost string) {
		virtual(t, func(t *testing.T, ctx context.Context) {
			s := newSweep(t, 4, 1, "")
			var earlier *sweepfile.Sweep
			var err error
			if s.Folder, earlier, err = sweep.OpenFolder(dir, false, flags); err != nil {
				t.Fatal(err)
			}
			defer s.Folder.Close()
			s.Loads = users(1, 2, 32)
			for i := range s.Loads {
				s.Loads[i].Requests = 60
			}
			if earlier != nil {
				n, lost := s.Resume(earlier)
				if n != 2 || len(lost) != 1 || !strings.Contains(lost[0], wantLost) ||
					!strings.Contains(lost[0], "users-2 is measured again: users-2") {
					t.Errorf("%s: %d points are kept, %q", name, n, lost)
				}
			}
			measured := 0
			s.OnPointBegin = after(func() { measured++ })
			err = s.Run(ctx)
			got := loads(s)
			slices.Sort(got)
			if err != nil || earlier != nil && measured != 1 || !slices.Equal(got, []float64{1, 2, 32}) ||
				!sweep.FilesIntact(dir, s.File) {
				t.Errorf("%s: %v, %d measured, %v", name, err, measured, got)
			}
		})
	}
	run("none", base, "")
	for name, damage := range damages(t) {
		dir := filepath.Join(t.TempDir(), "out")
		if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		if err := damage.do(filepath.Join(dir, "users-2")); err != nil {
			t.Fatal(err)
		}
		if found, err := sweepfile.Read(filepath.Join(dir, sweepfile.Name)); err != nil || sweep.FilesIntact(dir, found) {
			t.Errorf("%s: the sweep is called whole, %v", name, err)
		}
		if name != "result.json empty" { // which no report can read
			wantNote(t, name, dir, damage.says)
		}
		run(name, dir, damage.says)
	}
}

// TestLostFilesOfEarlierVersions, which kept no checksums: a point without its requests is measured again, and so is
// one whose folder a later one has.
func TestLostFilesOfEarlierVersions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var err error
	s := newSweep(t, 4, 1, "")
	if s.Folder, _, err = sweep.OpenFolder(dir, false, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Folder.Close()
	earlier := &sweepfile.Sweep{}
	for _, name := range []string{"users-1", "users-2", "users-4", "users-2"} {
		earlier.Points = append(earlier.Points, record.Run{Dir: name, Status: record.Complete, Serving: &record.Serving{}})
		if name == "users-4" {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, requests.JSONLName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, lost := s.Resume(earlier)
	if n != 2 || len(lost) != 2 || !strings.Contains(lost[0], "users-2 is measured again: another point") ||
		!strings.Contains(lost[1], "users-4 is measured again: its requests are gone") {
		t.Errorf("%d points are kept, %q", n, lost)
	}
}

// wantNote checks what a report says of the damaged point, where it has a result.json at all.
func wantNote(t *testing.T, name, dir, says string) {
	t.Helper()
	set, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Runs {
		noted := slices.ContainsFunc(f.Notes, func(n record.Finding) bool {
			return n.About == results.FilesSubject && strings.Contains(n.Text, says)
		})
		if noted != (f.Serving.Load.Value == 2) {
			t.Errorf("%s: %v: notes %v", name, f.Serving.Load, f.Notes)
		}
	}
	if want := 3; len(set.Runs) != want && !strings.Contains(name, "result.json") && !strings.Contains(name, "folder is") {
		t.Errorf("%s: %d runs are read", name, len(set.Runs))
	}
}

// TestLostTrial: a trial of a search whose files are gone is measured again, under its name, and no other one is.
func TestLostTrial(t *testing.T) {
	flags, dir := []string{"--seed=1"}, filepath.Join(t.TempDir(), "out")
	var whole *sweepfile.Sweep
	for _, damaged := range []bool{false, true} {
		virtual(t, func(t *testing.T, ctx context.Context) {
			s := find(t, 2, 10*time.Second)
			s.Find.Start = 34
			var earlier *sweepfile.Sweep
			var err error
			if s.Folder, earlier, err = sweep.OpenFolder(dir, false, flags); err != nil {
				t.Fatal(err)
			}
			defer s.Folder.Close()
			s.File = &sweepfile.Sweep{Flags: flags}
			if damaged {
				if n, lost := s.Resume(earlier); n != len(whole.Points)-1 || len(lost) != 1 {
					t.Errorf("%d points are kept, %v", n, lost)
				}
			}
			measured := 0
			s.OnPointBegin = after(func() { measured++ })
			if err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if damaged && (measured < 1 || !sweep.FilesIntact(dir, s.File)) {
				t.Errorf("%d are measured", measured)
			}
			if whole == nil {
				whole = s.File
				if err := os.RemoveAll(filepath.Join(dir, whole.Points[1].Dir)); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got := s.File.Points[len(s.File.Points)-1].Dir; measured == 1 && got != whole.Points[1].Dir {
				t.Errorf("%s is measured again, want %s", got, whole.Points[1].Dir)
			}
		})
	}
}
