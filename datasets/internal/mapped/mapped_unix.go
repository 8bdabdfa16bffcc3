//go:build unix

package mapped

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

func mapFile(f *os.File, size int64) (*MappedFile, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("map %s: %d bytes are more than this machine can address", f.Name(), size)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	return &MappedFile{data, func() error { return syscall.Munmap(data) }}, nil
}
