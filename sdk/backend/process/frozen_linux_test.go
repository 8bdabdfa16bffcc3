package process

import (
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// freeze stops the process of a session until the test ends.
func freeze(t *testing.T, s *session) {
	t.Helper()
	p := s.child.cmd.Process
	if stopped(p.Pid) {
		t.Error("a process at work counts as stopped")
	}
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Signal(syscall.SIGCONT) })
	for !stopped(p.Pid) {
		time.Sleep(time.Millisecond)
	}
}

func TestStoppedProcessIsNamed(t *testing.T) {
	s := openFault(t, "none")
	freeze(t, s)
	err := s.child.explain("run a batch", status.Error(codes.Unavailable, "keepalive ping failed"))
	wantAll(t, err, "did not answer when it was to run a batch", "stopped, by a signal or a debugger")
}

// frozenEnv asks for the test that takes 12 s: gRPC pings every 10 s at most.
const frozenEnv = "PLUMBLINE_FROZEN"

func TestFrozenProcessFailsItsBatch(t *testing.T) {
	if os.Getenv(frozenEnv) == "" {
		t.Skip("it takes 12 s; " + frozenEnv + "=1 asks for it")
	}
	b := Backend{Command: command(t, "none")}
	set, err := b.settings(nil)
	if err != nil {
		t.Fatal(err)
	}
	set.pings = keepalive.ClientParameters{Time: 10 * time.Second, Timeout: time.Second}
	p, err := launch(t.Context(), set, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), p, set, doublerModel(), backend.Config{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	checkBatch(t, s, 1)
	freeze(t, s)
	wantAll(t, s.Run(t.Context(), batch(1), make([]backend.Tensor, 2)), "when it was to run a batch", "stopped")
}
