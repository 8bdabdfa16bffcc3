package harness

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ProcessesOf lists the running processes whose binary is, or was before its deletion, below dir. Zombies do not count.
func ProcessesOf(dir string) []string {
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

// WantNoProcess fails the test if a process of dir still exists after a generous wait, and names it.
func WantNoProcess(t *testing.T, dir string) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		left := ProcessesOf(dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes left behind: %s", strings.Join(left, ", "))
		}
		time.Sleep(50 * time.Millisecond)
	}
}
