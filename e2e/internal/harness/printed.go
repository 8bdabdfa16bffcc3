package harness

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Printed is a file with a command's output, which can be read at any time.
type Printed string

// String returns the output so far.
func (p Printed) String() string {
	text, err := os.ReadFile(string(p))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// WaitForText waits until a file contains a text. After patience it kills the command and ends the test.
func WaitForText(t *testing.T, cmd *exec.Cmd, said Printed, path, text string) {
	t.Helper()
	for deadline := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		if have, err := os.ReadFile(path); err == nil && strings.Contains(string(have), text) {
			return
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("no %q in %s; the command printed:\n%s", text, path, said)
		}
	}
}
