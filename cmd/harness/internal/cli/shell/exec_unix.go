//go:build unix

package shell

import (
	"os"
	"syscall"
)

// replaceProcess replaces this process by another program.
func replaceProcess(path string, args []string) error { return syscall.Exec(path, args, os.Environ()) }
