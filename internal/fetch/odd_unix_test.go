//go:build unix

package fetch

import (
	"os"
	"syscall"
)

// odd makes what is no regular file.
func odd() map[string]func(path string) error {
	return map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path string) error { return os.Symlink(os.DevNull, path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o755) },
	}
}
