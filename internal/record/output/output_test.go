package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

var dirs = []string{"m/Server/performance/run_1", "m/Offline/accuracy"}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestChoose(t *testing.T) {
	t.Chdir(t.TempDir())
	choose := func(out string, force bool) string {
		dir, err := Choose(out, force, dirs)
		if err != nil && exitcode.Of(err) != exitcode.Usage {
			t.Errorf("exit code %d: %v", exitcode.Of(err), err)
		}
		if err != nil {
			return "refused"
		}
		return dir
	}
	if got := choose("", false); got != "out" {
		t.Errorf("nothing is there: %s", got)
	}
	write(t, "out/m/Server/other", "")
	if got := choose("", false); got != "out" {
		t.Errorf("another file is there: %s", got)
	}
	write(t, "out/m/Offline/accuracy/mlperf_log_detail.txt", "")
	write(t, "out-2/m/Offline/accuracy/accuracy.txt", "")
	if got := choose("", false); got != "out-3" {
		t.Errorf("two are taken: %s", got)
	}
	if got := choose("out", false); got != "refused" {
		t.Errorf("an explicit directory that is taken: %s", got)
	}
	if got := choose("out", true); got != "out" {
		t.Errorf("the same by force: %s", got)
	}
	if got := choose("elsewhere", false); got != "elsewhere" {
		t.Errorf("a free one: %s", got)
	}
}

// The runs of a search for streams write to directories below the search's directory.
func TestTrials(t *testing.T) {
	out, dir := filepath.Join(t.TempDir(), "g[2]*"), "m/MultiStream/performance/findpeak"
	write(t, filepath.Join(out, dir, "run_01_streams_8", "mlperf_log_detail.txt"), "old")
	write(t, filepath.Join(out, dir, "run_02_streams_4", "mlperf_log_detail.txt"), "old")
	write(t, filepath.Join(out, dir, "run_02_streams_4", "mine.txt"), "the user's")
	files, err := SyncAndList(out, dir)
	if err != nil || len(files) != 2 || files[1].Path != dir+"/run_02_streams_4/mlperf_log_detail.txt" {
		t.Errorf("files %v, %v", files, err)
	}
	if _, err := Choose(out, false, []string{dir}); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("results of a search are not seen: %v", err)
	}
	if err := Prepare(out, []string{dir}); err != nil {
		t.Fatal(err)
	}
	if aside := filepath.Join(out, PreviousName, dir, "run_01_streams_8",
		"mlperf_log_detail.txt"); !hasAny(filepath.Dir(aside), logNames[:]) {
		t.Errorf("%s is not there", aside)
	}
	for name, want := range map[string]bool{
		"run_01_streams_8": false, "run_02_streams_4/mlperf_log_detail.txt": false, "run_02_streams_4/mine.txt": true,
	} {
		if _, err := os.Stat(filepath.Join(out, dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
}

func TestPrepareSetsOldLogsAside(t *testing.T) {
	out := t.TempDir()
	old, other := filepath.Join(out, dirs[1], "accuracy.txt"), filepath.Join(out, dirs[1], "notes.txt")
	write(t, old, "old")
	write(t, other, "mine")
	if err := Prepare(out, dirs); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old log is there: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(out, PreviousName, dirs[1], "accuracy.txt")); err != nil ||
		string(text) != "old" {
		t.Errorf("set aside: %q, %v", text, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file that is not ours: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(out, dirs[0]))
	if err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// The next run removes temporary files of a harness that was killed during a write.
func TestPrepareSweeps(t *testing.T) {
	out := t.TempDir()
	var left []string
	for _, dir := range []string{".", "m/Server", dirs[0]} {
		left = append(left, filepath.Join(out, dir, "result.json."+strings.Repeat("A", 26)+".tmp"))
	}
	mine := filepath.Join(out, "mine.tmp")
	for _, path := range append(left, mine) {
		write(t, path, "{")
	}
	if err := Prepare(out, dirs); err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

func TestPrepareWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	err := Prepare(filepath.Join(file, "out"), dirs)
	if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), "--out") {
		t.Errorf("got %v", err)
	}
}

func TestPrune(t *testing.T) {
	out := t.TempDir()
	if err := Prepare(out, dirs); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(out, dirs[0], "mlperf_log_detail.txt"), "x")
	Prune(out, dirs)
	if _, err := os.Stat(filepath.Join(out, dirs[0])); err != nil {
		t.Errorf("a directory with a log: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "m/Offline")); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left: %v", err)
	}
}

func TestFiles(t *testing.T) {
	out := t.TempDir()
	write(t, filepath.Join(out, dirs[1], "accuracy.txt"), "abc")
	files, err := SyncAndList(out, dirs[1])
	if err != nil || len(files) != 1 || files[0].Path != "m/Offline/accuracy/accuracy.txt" || files[0].Size != 3 ||
		len(files[0].SHA256) != 64 {
		t.Errorf("%+v, %v", files, err)
	}
}

func TestWriteUserConf(t *testing.T) {
	out := t.TempDir()
	if err := WriteUserConf(out, "no/such/dir", nil); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("a directory that is not there: %v", err)
	}
	write(t, filepath.Join(out, "m/Server/user.conf"), "old")
	write(t, filepath.Join(out, PreviousName, dirs[0], "mlperf_log_detail.txt"), "")
	for range 2 {
		if err := WriteUserConf(out, "m/Server", []byte("new")); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{"": "new", PreviousName: "old"} {
			if text, err := os.ReadFile(filepath.Join(out, path, "m/Server/user.conf")); err != nil || string(text) != want {
				t.Errorf("%q: %q, %v; want %q", path, text, err, want)
			}
		}
	}
}
