package faults

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/faultydisk"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"golang.org/x/sys/unix"
)

// diskRun runs the faulty plugin briefly, without a fault, with its results on a disk.
func diskRun(t *testing.T, disk *faultydisk.Disk, args ...string) harness.Result {
	t.Helper()
	cmd, dir, _ := faulty.Run(t, "", append([]string{"--scenario", "SingleStream", "--set", "min_duration=1", "--set",
		"min_query_count=1000", "--set", "target_latency=0.1", "--out", filepath.Join(disk.Dir, "out")}, args...)...)
	r := harness.Finish(t, cmd)
	harness.WantNoProcess(t, dir)
	return r
}

// TestLogsAreOnTheDiskBeforeTheResult checks a run's writes: every file that result.json vouches for was synced after
// its last byte and before result.json was renamed to its name.
func TestLogsAreOnTheDiskBeforeTheResult(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"performance", "accuracy"} {
		t.Run(mode, func(t *testing.T) {
			disk := faultydisk.Mount(t, nil)
			diskRun(t, disk, "--mode", mode).WantCode(t, 0)
			wrote, synced, vouched := map[string]int{}, map[string]int{}, 0
			for i, op := range disk.Ops() {
				switch at := i + 1; {
				case op.Kind == "write" || op.Kind == "create":
					wrote[op.Path] = at
				case op.Kind == "sync":
					synced[op.Path] = at
				case op == faultydisk.Op{Kind: "rename", Path: "out/result.json"}:
					vouched = at
				}
			}
			var doc struct {
				Runs []struct{ Files []struct{ Path string } }
			}
			testfile.ReadJSON(t, filepath.Join(disk.Real, "out", "result.json"), &doc)
			if len(doc.Runs) != 1 || len(doc.Runs[0].Files) < 5 {
				t.Fatalf("result.json lists %+v", doc)
			}
			for _, file := range doc.Runs[0].Files {
				name := path.Join("out", file.Path)
				renamed := wrote[name] == 0 // it was written under another name
				if !renamed && (synced[name] < wrote[name] || synced[name] > vouched) {
					t.Errorf("%s: written by operation %d, on the disk by %d; result.json vouches for it from %d on", name,
						wrote[name], synced[name], vouched)
				}
			}
		})
	}
}

// TestBrokenDisk fails one operation after the other, as a breaking disk does: the file is named, nothing is VALID, and
// the exit code is that of a full disk.
func TestBrokenDisk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, file string
		fault      syscall.Errno
		args       []string
	}{
		"a log does not reach the disk": {kind: "sync", file: "mlperf_log_detail.txt", fault: syscall.EIO},
		"an accuracy log does not": {
			kind: "sync", file: "mlperf_log_accuracy.json", fault: syscall.EIO, args: []string{"--mode", "accuracy"},
		},
		"a log cannot be written":  {kind: "write", file: "mlperf_log_detail.txt", fault: syscall.EIO},
		"nor read":                 {kind: "read", file: "mlperf_log_summary.txt", fault: syscall.EIO},
		"a share that is used up":  {kind: "write", file: "mlperf_log_summary.txt", fault: syscall.EDQUOT},
		"a disk that went away":    {kind: "write", file: "mlperf_log_detail.txt", fault: syscall.ENODEV},
		"a disk now read-only":     {kind: "create", file: "mlperf_log_detail.txt", fault: syscall.EROFS},
		"result.json cannot":       {kind: "write", file: "result.json.*.tmp", fault: syscall.EIO},
		"result.json is not there": {kind: "sync", file: "result.json.*.tmp", fault: syscall.EIO},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := faultydisk.Mount(t, func(op faultydisk.Op) syscall.Errno {
				if matched, _ := path.Match(c.file, path.Base(op.Path)); matched && op.Kind == c.kind {
					return c.fault
				}
				return 0
			})
			r := diskRun(t, disk, c.args...).WantCode(t, 2)
			named, _, _ := strings.Cut(c.file, ".*")
			harness.WantMessage(t, r, named, c.fault.Error())
			if strings.Contains(r.Both(), "VALID\n") {
				t.Errorf("it is VALID:\n%s", r.Both())
			}
		})
	}
}

// TestSmallDisk runs on a disk that soon fills: the run finishes and reports it, and the files that fitted remain
// readable. With more space, the same command makes the run.
func TestSmallDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("small", dir, "tmpfs", 0, "size=192k"); err != nil {
		t.Skip("this machine does not let a test mount a small disk (tmpfs): ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	run := []string{"run", "null", "--plugin", "null", "--mode", "accuracy", "--scenario", "Offline", "--count", "5000",
		"--out", filepath.Join(dir, "out"), "--force", "--quiet"}
	harness.WantMessage(t, harness.Run(t, run...).WantCode(t, 2), "mlperf_log_accuracy.json", noSpace, "free some space")
	log, err := os.ReadFile(filepath.Join(dir, "out", "null", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	if err != nil || len(log) == 0 {
		t.Errorf("%d bytes of the log, %v: want what fitted", len(log), err)
	}
	if err := unix.Mount("small", dir, "tmpfs", unix.MS_REMOUNT, "size=64m"); err != nil {
		t.Skip("this machine does not let a test give a disk more room: ", err)
	}
	harness.Run(t, run...).WantCode(t, 0).WantOutput(t, "no target")
}
