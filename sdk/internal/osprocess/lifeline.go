package osprocess

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// EndWithHarness ends the process when its standard input ends. The harness holds the other end of that pipe, and the
// kernel closes it when the harness dies for any reason. SIGTERM, which some kernels send then, has the same effect.
// Other processes in the plugin's process group also end, if the group is the plugin's own.
func EndWithHarness() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	go func() {
		select {
		case <-terminated:
		case <-closed:
		}
		removeFolder(os.Getenv(wire.SocketDirEnv))
		endGroup()
		os.Exit(1)
	}()
}

// removeFolder removes the folder of the socket and the private folder around it, because the harness can no longer do
// it.
func removeFolder(sockets string) {
	if sockets == "" {
		return
	}
	private := filepath.Dir(sockets)
	if strings.HasPrefix(filepath.Base(private), wire.FolderPrefix) {
		_ = os.RemoveAll(private)
	}
}
