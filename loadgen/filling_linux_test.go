package loadgen_test

import (
	"context"
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

// If a disk becomes full during a run, only the ends of the logs are lost. The run continues, its result is complete,
// the error describes the problem, and the written part of the logs is readable. The test simulates the disk with a
// limit on the size of files, which applies to a process. It therefore runs in a child process.
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

// runOnSmallDisk is the child process. The disk has room for about 128 answers of a kilobyte each.
func runOnSmallDisk(t *testing.T, dir string, room uint64) {
	signal.Ignore(syscall.SIGXFSZ) // writing beyond the limit then returns an error
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room}); err != nil {
		t.Skip(err)
	}
	s := quick(loadgen.Server, loadgen.SubmissionRun)
	s.AccuracyLogProbability = 1
	r, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{Data: make([]byte, 1<<10)},
		loadgentest.QSL{Total: 150}, s,
		loadgen.LogSettings{OutDir: dir})
	if !errors.Is(err, loadgen.ErrLogs) || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error %v, want ErrLogs for a file that is too large", err)
	}
	fmt.Printf("%s, %d queries\n", r.Verdict, r.QueryCount)
}

// If a disk is full, only the logs on it are lost. The run continues to its end, and the error names the lost logs.
func TestRunOnAFullDisk(t *testing.T) {
	for _, name := range []string{"summary.txt", "detail.txt", "accuracy.json", "trace.json"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			qsl := full{loadgentest.QSL{Total: 150}, t, filepath.Join(dir, "mlperf_log_"+name)}
			sut := &loadgentest.NullSUT{Data: make([]byte, 1<<20)}
			r, err := loadgen.StartTest(t.Context(), sut, qsl, quick(loadgen.Server, loadgen.SubmissionRun),
				loadgen.LogSettings{OutDir: dir, EnableTrace: true})
			if !errors.Is(err, loadgen.ErrLogs) || !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("error %v, want ErrLogs for a full disk", err)
			}
			if r == nil || r.Verdict != loadgen.Valid || r.QueryCount != 700 || r.Aborted != nil {
				t.Errorf("result %+v", r)
			}
		})
	}
}

// full is a library that simulates a full disk for one log: at first it replaces the log's open file by a device that
// accepts no data.
type full struct {
	loadgentest.QSL
	t   *testing.T
	log string
}

func (q full) LoadSamplesToRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		q.t.Error(err)
	}
	defer device.Close()
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		q.t.Error(err)
	}
	for _, path := range open {
		var fd int
		if to, err := os.Readlink(path); err != nil || to != q.log {
			continue
		}
		if _, err := fmt.Sscan(filepath.Base(path), &fd); err != nil {
			q.t.Error(err)
		} else if err := syscall.Dup3(int(device.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			q.t.Error(err)
		}
	}
	return q.QSL.LoadSamplesToRAM(ctx, indices)
}

// checkCutAccuracy reads the part of the log that fitted on the disk.
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
