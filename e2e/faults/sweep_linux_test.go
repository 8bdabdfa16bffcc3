package faults

import (
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/faultydisk"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestSweepOnAFullDisk: a disk that fills during a sweep ends it. The measured points are kept, and with more space the
// same command continues.
func TestSweepOnAFullDisk(t *testing.T) {
	t.Parallel()
	var roomy atomic.Bool
	disk := faultydisk.Mount(t, func(op faultydisk.Op) syscall.Errno {
		isRequests := strings.Contains(op.Path, "users-2") && strings.HasPrefix(path.Base(op.Path), "requests.jsonl")
		if op.Kind == "write" && isRequests && !roomy.Load() {
			return syscall.ENOSPC
		}
		return 0
	})
	url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0")
	out := filepath.Join(disk.Dir, "out")
	bench := []string{"bench", url, "--isl", "8", "--osl", "4", "--concurrency", "1,2,4", "--requests", "20",
		"--warmup", "2", "--quiet", "--out", out}
	var sweep struct {
		Complete bool
		Points   []struct{ Dir string }
	}
	harness.WantMessage(t, harness.Run(t, bench...).WantCode(t, 2), noSpace, "what was written before is kept")
	testfile.ReadJSON(t, filepath.Join(out, "sweep.json"), &sweep)
	if len(sweep.Points) != 1 || sweep.Points[0].Dir != "users-1" || sweep.Complete {
		t.Fatalf("sweep.json has %+v, want the first point", sweep)
	}
	roomy.Store(true)
	harness.Run(t, bench...).WantCode(t, 0).WantOutput(t, "1 point is there")
	if testfile.ReadJSON(t, filepath.Join(out, "sweep.json"), &sweep); len(sweep.Points) != 3 || !sweep.Complete {
		t.Errorf("sweep.json has %+v, want three points", sweep)
	}
}
