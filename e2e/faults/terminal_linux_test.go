package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"golang.org/x/sys/unix"
)

// TestTerminalThatIsHungUp: a run whose terminal goes away without a signal continues.
func TestTerminalThatIsHungUp(t *testing.T) {
	t.Parallel()
	dir := built.Cheater()
	keyboard, screen, err := openTerminal()
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := harness.Command(t, built.Harness(), "run", "honest", "--scenario", "Offline", "--mode", "performance",
		"--repeat", "2",
		"--plugin-dir", dir, "--out", out)
	cmd.Stdout, cmd.Stderr = screen, screen
	err = cmd.Start()
	screen.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyboard.Read(make([]byte, 16)); err != nil {
		t.Errorf("the first line: %v", err)
	}
	keyboard.Close()
	_ = cmd.Wait() // the exit code is checked
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if n := results.CompleteRuns(t, out); n != 2 {
		t.Errorf("%d runs came to their end, want 2", n)
	}
}

// openTerminal opens a pseudoterminal with its two ends.
func openTerminal() (keyboard, screen *os.File, err error) {
	keyboard, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		keyboard.Close()
	}
	return keyboard, screen, err
}
