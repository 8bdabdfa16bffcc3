package conformance

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
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
	found := descendants(os.Getpid())
	if !slices.Contains(found, child.Process.Pid) || !slices.Contains(found, grandchild) {
		t.Errorf("%v, want %d and %d among them", found, child.Process.Pid, grandchild)
	}
	alone, errAlone := residentAlone(child.Process.Pid)
	both, errBoth := residentBytes(child.Process.Pid)
	if errAlone != nil || errBoth != nil || both <= alone {
		t.Errorf("%d bytes alone, %d with its child: %v, %v", alone, both, errAlone, errBoth)
	}
}
