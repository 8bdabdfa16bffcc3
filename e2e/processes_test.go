package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// processesOf lists the living processes whose binary lies below dir, or was deleted from there. Zombies do not count.
func processesOf(dir string) []string {
	entries, _ := os.ReadDir("/proc")
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err == nil && strings.HasPrefix(exe, dir+"/") {
			found = append(found, e.Name()+" "+exe)
		}
	}
	return found
}

// wantNoProcess fails the test if a process of dir is still there after a generous wait, and names it.
func wantNoProcess(t *testing.T, dir string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		left := processesOf(dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes left behind: %s", strings.Join(left, ", "))
		}
		time.Sleep(50 * time.Millisecond)
	}
}
