//go:build unix

package shell

import (
	"os"
	"syscall"
)

// become puts another program in the place of this process.
func become(path string, args []string) error { return syscall.Exec(path, args, os.Environ()) }
