package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDemoOnABusyMachine checks that make demo succeeds if a run is INVALID, and fails if the harness fails.
func TestDemoOnABusyMachine(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here")
	}
	for code, fails := range map[int]bool{0: false, 1: true, 2: true, 3: false, 4: true, 5: true, 6: true, 130: true} {
		bin := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\nexit %d\n", code)
		if err := os.WriteFile(filepath.Join(bin, "harness"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("make", "-s", "demo", "BIN="+bin, "GO=true")
		c.Dir = ".."
		if out, err := c.CombinedOutput(); (err != nil) != fails {
			t.Errorf("the harness ends with %d: %v\n%s", code, err, out)
		}
	}
}
