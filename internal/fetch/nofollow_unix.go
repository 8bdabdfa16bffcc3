//go:build unix

package fetch

import "syscall"

// noFollow makes opening a symbolic link an error on systems that support it.
const noFollow = syscall.O_NOFOLLOW
