package osprocess

import (
	"fmt"
	"os"
	"sync"
)

// ReserveStdout reserves the standard output for the current users of os.Stdout. It redirects file descriptor 1, to
// which C libraries print, to the standard error output. The returned function ends this, after which os.Stdout and
// os.Stderr are both the standard error output. ReserveStdout may be called repeatedly and concurrently.
func ReserveStdout() (restore func(), err error) {
	stderr := os.Stderr
	private, err := divertStdout()
	if err != nil {
		return nil, fmt.Errorf("point the standard output at the standard error output: %w", err)
	}
	os.Stdout = private
	var once sync.Once
	return func() {
		once.Do(func() {
			os.Stdout, os.Stderr = stderr, stderr
			_ = private.Close()
		})
	}, nil
}
