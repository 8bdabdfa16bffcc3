//go:build !unix

package mapped

import (
	"io"
	"os"
)

// mapFile reads the file where it cannot be mapped.
func mapFile(f *os.File, _ int64) (*File, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return &File{data, func() error { return nil }}, nil
}
