//go:build !unix

package mapped

import (
	"io"
	"os"
)

// mapFile reads the file into memory, because this system does not support memory mapping here.
func mapFile(f *os.File, _ int64) (*MappedFile, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return &MappedFile{data, func() error { return nil }}, nil
}
