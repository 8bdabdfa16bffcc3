//go:build unix

package shell

import (
	"os"
	"syscall"
)

// replaceProcess puts another program in the place of this process.
func replaceProcess(path string, args []string) error { return syscall.Exec(path, args, os.Environ()) }
