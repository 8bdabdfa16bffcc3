package osprocess

import (
	"fmt"
	"os"
	"sync"
)

// ReserveStdout keeps the standard output for whoever writes to os.Stdout now, and points file descriptor 1, which C
// libraries print to, at the standard error output. The returned function ends that: os.Stdout and os.Stderr are both
// the standard error output from then on. It may be called often and at a time.
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
