package output

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

func take(t *testing.T, out string, force bool) *Claim {
	t.Helper()
	c, err := Take(out, force, dirs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// skipWithoutLocks skips the test on systems without locks.
func skipWithoutLocks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no locks of files on this system")
	}
}

func TestTakeWithoutAName(t *testing.T) {
	skipWithoutLocks(t)
	t.Chdir(t.TempDir())
	first, second := take(t, "", false), take(t, "", false)
	if first.Dir != "out" || second.Dir != "out-2" {
		t.Errorf("two at the same time: %s and %s", first.Dir, second.Dir)
	}
	first.Release()
	again := take(t, "", false)
	if again.Dir != "out" {
		t.Errorf("released, and no results are there: %s", again.Dir)
	}
	write(t, filepath.Join("out", dirs[0], "mlperf_log_detail.txt"), "")
	again.Release()
	second.Release()
	third := take(t, "", false)
	defer third.Release()
	if third.Dir != "out-2" {
		t.Errorf("results are in the first: %s", third.Dir)
	}
}

func TestTakeByName(t *testing.T) {
	skipWithoutLocks(t)
	out := filepath.Join(t.TempDir(), "deep", "out")
	c := take(t, out, false)
	for _, force := range []bool{false, true} {
		_, err := Take(out, force, dirs)
		if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), out) ||
			!strings.Contains(err.Error(), "--out") {
			t.Errorf("in use, force %v: %v", force, err)
		}
	}
	write(t, filepath.Join(out, dirs[0], "mlperf_log_detail.txt"), "")
	c.Release()
	if _, err := os.Stat(filepath.Join(out, LockName)); !os.IsNotExist(err) {
		t.Errorf("the lock is left: %v", err)
	}
	if _, err := Take(out, false, dirs); err == nil || !strings.Contains(err.Error(), "already holds results") {
		t.Errorf("released, with results: %v", err)
	}
	take(t, out, true).Release()
}

// Files of a killed harness do not claim the directory.
func TestTakeOverALockOfTheDead(t *testing.T) {
	out := t.TempDir()
	write(t, filepath.Join(out, LockName), "")
	take(t, out, false).Release()
}

// TestSettle cleans up after a killed session, and only then. A running session keeps its lock, and without a lock
// nothing changes.
func TestSettle(t *testing.T) {
	out := earlier(t)
	half := filepath.Join(out, "result.json."+strings.Repeat("A", 26)+".tmp")
	left := func() []string {
		replace(t, out)
		write(t, half, "{")
		return []string{half, filepath.Join(out, PreviousName)}
	}
	wantLeft := func(when string, want bool, paths []string) {
		t.Helper()
		for _, path := range paths {
			if _, err := os.Lstat(path); (err == nil) != want {
				t.Errorf("%s: is %s there: %v, want %v", when, path, err == nil, want)
			}
		}
	}
	paths := left()
	Settle(out)
	wantLeft("without a lock", true, paths)
	lock := filepath.Join(out, LockName)
	write(t, lock, "")
	Settle(out)
	wantLeft("after a kill", false, append(paths, lock))
	skipWithoutLocks(t)
	c := take(t, out, true)
	paths = left()
	Settle(out)
	wantLeft("while a session goes on", true, append(paths, lock))
	c.Release()
}

// TestSettleTells checks the list of restored results.
func TestSettleTells(t *testing.T) {
	out := earlier(t)
	replace(t, out)
	write(t, filepath.Join(out, LockName), "")
	if r := Settle(out); len(r.Restored) != len(dirs) || !strings.Contains(r.Text(), "are back") {
		t.Errorf("%+v", r)
	}
}

func TestTakeWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	_, err := Take(filepath.Join(file, "out"), false, dirs)
	if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), "--out") {
		t.Errorf("got %v", err)
	}
}

// Sessions that begin and end at the same time never hold one directory together.
func TestTakeAtTheSameTime(t *testing.T) {
	skipWithoutLocks(t)
	t.Chdir(t.TempDir())
	var held sync.Map
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				c, err := Take("", false, dirs)
				if err != nil {
					t.Error(err)
					return
				}
				if _, twice := held.LoadOrStore(c.Dir, true); twice {
					t.Errorf("%s is held twice", c.Dir)
				}
				held.Delete(c.Dir)
				c.Release()
			}
		})
	}
	wg.Wait()
}
