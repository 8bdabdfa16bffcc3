package process

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// freeze stops a process until the test ends.
func freeze(t *testing.T, pid int) {
	t.Helper()
	if isStopped(pid) {
		t.Error("a process at work counts as stopped")
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	for !isStopped(pid) {
		time.Sleep(time.Millisecond)
	}
}

// openImpatient opens a session with a short limit for a stopped process.
func openImpatient(t *testing.T, c string) *processSession {
	t.Helper()
	s, err := Backend{Command: c, Output: io.Discard}.Open(t.Context(), doublerModel(), backend.Config{
		Concurrency: 1, Options: map[string]string{"heartbeat_timeout": "100ms"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*processSession)
}

func TestFrozenProcessFailsItsBatches(t *testing.T) {
	s := openImpatient(t, command(t, "none"))
	checkBatch(t, s, 1)
	freeze(t, s.child.serverPID())
	for range 2 { // the second call fails at once
		wantAll(t, s.Run(t.Context(), batch(1), make([]backend.Tensor, 2)),
			"no sign of life for 100ms (limit 100ms)", "stopped, by a signal or a debugger (kill -CONT ", "heartbeat_timeout")
	}
}

// A frozen process is also detected before there is a session.
func TestFrozenProcessOpensNothing(t *testing.T) {
	set, err := Backend{Command: command(t, "none")}.readOptions(map[string]string{"heartbeat_timeout": "100ms"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := launchChild(t.Context(), set, "", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	freeze(t, p.serverPID())
	_, err = openSession(t.Context(), p, set, doublerModel(), backend.Config{})
	wantAll(t, err, "no sign of life")
}

// There is no time limit for a batch.
func TestBusyProcessIsNotFrozen(t *testing.T) {
	g := newGate(t)
	s := openImpatient(t, command(t, heldFault+g.path))
	time.AfterFunc(300*time.Millisecond, func() { g.open(t) })
	checkBatch(t, s, 2)
}

// The process that serves may differ from the started process.
func TestFrozenProcessBehindAnother(t *testing.T) {
	script := filepath.Join(t.TempDir(), "start")
	if err := os.WriteFile(script, []byte(command(t, "none")+"\ntrue\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openImpatient(t, "sh '"+script+"'")
	if s.child.serverPID() == s.child.cmd.Process.Pid {
		t.Fatal("the process that was started serves: the test is void")
	}
	freeze(t, s.child.serverPID())
	wantAll(t, s.Run(t.Context(), batch(1), make([]backend.Tensor, 2)), "no sign of life")
}

func TestStoppedProcessIsNamed(t *testing.T) {
	s := openFault(t, "none")
	freeze(t, s.child.serverPID())
	err := s.child.explainError("run a batch", status.Error(codes.Unavailable, "keepalive ping failed"))
	wantAll(t, err, "did not answer when it was to run a batch", "stopped, by a signal or a debugger")
}

func TestStoppedReadsTheState(t *testing.T) {
	for name, pid := range map[string]int{"this process": os.Getpid(), "none": 1 << 30} {
		if isStopped(pid) {
			t.Errorf("%s counts as stopped", name)
		}
	}
}
