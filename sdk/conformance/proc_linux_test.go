package conformance

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMemoryIsThatOfTheWholeTree(t *testing.T) {
	child := exec.Command("sh", "-c", "sleep 60 & echo $!; wait")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 16)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = killProcess(grandchild); _ = killProcess(child.Process.Pid); _ = child.Wait() }()
	found := listDescendants(os.Getpid())
	if !slices.Contains(found, child.Process.Pid) || !slices.Contains(found, grandchild) {
		t.Errorf("%v, want %d and %d among them", found, child.Process.Pid, grandchild)
	}
	var alone, both int64
	// wait for the start of sleep
	for start := time.Now(); both <= alone && time.Since(start) < 10*time.Minute; time.Sleep(time.Millisecond) {
		var errAlone, errBoth error
		alone, errAlone = residentAlone(child.Process.Pid)
		both, errBoth = residentBytes(child.Process.Pid)
		if err := errors.Join(errAlone, errBoth); err != nil {
			t.Fatal(err)
		}
	}
	if both <= alone {
		t.Errorf("%d bytes alone, %d with its child", alone, both)
	}
}
