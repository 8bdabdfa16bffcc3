//go:build !unix

package fetch

import "os"

func odd() map[string]func(path string) error {
	return map[string]func(path string) error{"folder": func(path string) error { return os.Mkdir(path, 0o755) }}
}
