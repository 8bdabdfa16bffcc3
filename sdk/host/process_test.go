package host

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// Waiting for the end of a child does not end the child, and its parent can still read its status.
func TestAwaitEnd(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program)
	child.Env = append(os.Environ(), "PLUMBLINE_TEST_LISTENS=1")
	child.SysProcAttr = ownGroup()
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		awaitEnd(child.Process.Pid)
	}()
	select {
	case <-ended:
		t.Error("it is said to have ended, and has not")
	case <-time.After(50 * time.Millisecond):
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Minute):
		t.Error("its end is not seen")
	}
	killGroup(child.Process.Pid)
	if _ = child.Wait(); child.ProcessState.ExitCode() != 3 {
		t.Errorf("%v, want status 3", child.ProcessState)
	}
}
