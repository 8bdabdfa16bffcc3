//go:build unix

package runs_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestEventsOfStreams: a pipe by its own name, and an open file by the system's, are written to as they are.
func TestEventsOfStreams(t *testing.T) {
	s := clitest.New(t)
	pipe := s.Out("..", "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	named, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for path, ends := range map[string][2]*os.File{pipe: {named, named}, fmt.Sprintf("/dev/fd/%d", w.Fd()): {r, w}} {
		read := make(chan string)
		go func() {
			text := make([]byte, 16)
			_, err := io.ReadFull(ends[0], text)
			read <- fmt.Sprint(string(text), err)
			_, _ = io.Copy(io.Discard, ends[0])
		}()
		s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(), "--force",
			"--events", path))
		if got := <-read; got != `{"event":"begin"<nil>` {
			t.Errorf("%s: %s", path, got)
		}
		ends[1].Close()
		runtime.KeepAlive(ends)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe: %v, %v", info, err)
	}
}
