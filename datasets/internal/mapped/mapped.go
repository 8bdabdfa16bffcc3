// Package mapped maps files into memory to read them. Pages are read on first access and belong to the operating
// system's cache.
//
// In scope: whole regular files, read only. Out of scope: writing; the meaning of the bytes.
package mapped

import (
	"errors"
	"runtime/debug"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ErrLost is returned by CatchFaults if a page cannot be read because the file was truncated or its disk failed.
var ErrLost = errors.New("the file can no longer be read: was it cut short, or its disk removed?")

// MappedFile is a file mapped into memory. Many goroutines may read its bytes until Close.
type MappedFile struct {
	data  []byte
	close func() error
}

// Open maps a regular file.
func Open(path string) (*MappedFile, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return &MappedFile{}, nil
	}
	return mapFile(f, info.Size())
}

// Bytes returns the content of the file. The caller must not change it, nor use it after Close.
func (f *MappedFile) Bytes() []byte { return f.data }

// Close unmaps the file.
func (f *MappedFile) Close() error {
	if f.close == nil {
		return nil
	}
	closing := f.close
	f.data, f.close = nil, nil
	return closing()
}

// CatchFaults calls read, which accesses mapped bytes. If a page cannot be read, it returns an error instead of
// crashing the process.
func CatchFaults(read func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if _, fault := r.(interface{ Addr() uintptr }); !fault {
				panic(r)
			}
			err = ErrLost
		}
	}()
	read()
	return nil
}
