// Package lifeline ends a plugin whose harness has died.
package lifeline

import (
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/sdk/internal/handshake"
)

// Watch ends the process when its standard input ends: the harness holds the other end of that pipe, and the kernel
// closes it however the harness dies. Processes that the plugin started and that are in its process group end too, if
// the group is the plugin's own.
func Watch() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		removeSocket(os.Getenv(handshake.SocketDirEnv))
		end()
		os.Exit(1)
	}()
}

// removeSocket removes the socket and its private directory, which the harness can no longer do, and the folder around it
// if nothing else is in it.
func removeSocket(dir string) {
	if dir == "" {
		return
	}
	sockets, _ := filepath.Glob(filepath.Join(dir, "plugin*"))
	for _, s := range sockets {
		_ = os.Remove(s)
	}
	_ = os.Remove(dir)
	_ = os.Remove(filepath.Dir(dir))
}
