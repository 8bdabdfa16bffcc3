//go:build unix

package fetch

import "syscall"

// noFollow makes opening a symbolic link an error, where the system can.
const noFollow = syscall.O_NOFOLLOW
