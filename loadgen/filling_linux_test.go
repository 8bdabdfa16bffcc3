package loadgen_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// A disk that fills up in mid-run costs the ends of the logs that grow beyond it, and nothing else: the run goes on, its
// result is whole, the error says what happened, and what was written until then can be read. The disk is a limit on the
// size of files, which holds for a process: a child runs the test.
func TestDiskFillsUpInMidRun(t *testing.T) {
	const variable, room = "LOADGEN_FILLING_DISK", 256 << 10
	if dir := os.Getenv(variable); dir != "" {
		runOnSmallDisk(t, dir, room)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFillsUpInMidRun$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if !strings.Contains(string(out), "\nVALID, 700 queries\n") {
		t.Errorf("the run says:\n%s", out)
	}
	checkCutAccuracy(t, filepath.Join(dir, "mlperf_log_accuracy.json"), room)
	if entries := readDetail(t, filepath.Join(dir, "mlperf_log_detail.txt")); entries[len(entries)-1].Key != "num_errors" {
		t.Error("the detail log, which had room, has no end")
	}
}

// runOnSmallDisk is the child. Of an answer of a kilobyte each, the disk has room for about 128.
func runOnSmallDisk(t *testing.T, dir string, room uint64) {
	signal.Ignore(syscall.SIGXFSZ) // writing beyond the limit is an error then
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room}); err != nil {
		t.Skip(err)
	}
	s := quick(loadgen.Server, loadgen.SubmissionRun)
	s.AccuracyLogProbability = 1
	r, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{Data: make([]byte, 1<<10)}, loadgentest.QSL{Total: 150}, s,
		loadgen.LogSettings{OutDir: dir})
	if !errors.Is(err, loadgen.ErrLogs) || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error %v, want ErrLogs for a file that is too large", err)
	}
	fmt.Printf("%s, %d queries\n", r.Verdict, r.QueryCount)
}

// checkCutAccuracy reads what there was room for.
func checkCutAccuracy(t *testing.T, path string, room int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := 0
	for r := mllog.NewAccuracyReader(f); ; read++ {
		e, err := r.Next()
		if err != nil {
			t.Log(err)
			break
		}
		if len(e.Data) != 1<<10 {
			t.Fatalf("entry %d has %d bytes", read, len(e.Data))
		}
	}
	if most := room / (2 << 10); read < most/2 || read > most {
		t.Errorf("%d entries can be read, want nearly %d", read, most)
	}
}
