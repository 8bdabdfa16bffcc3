package igbh

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/internal/npy"
)

// arrayFile is a file that contains one array, with or without (raw) a header.
type arrayFile struct {
	file   *os.File
	path   string
	header *npy.Header // nil: raw elements
	offset int64
	length int64 // of the elements, in bytes
}

// openElements opens an array in C order with the given dtype and elements of size bytes. If raw is set, a file without
// a header is accepted as raw elements.
func openElements(path, dtype string, size int, raw bool) (*arrayFile, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	e := &arrayFile{file: f, path: path}
	if err := e.readHeader(dtype, size, raw); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return e, nil
}

func (e *arrayFile) readHeader(dtype string, size int, raw bool) error {
	info, err := e.file.Stat()
	if err != nil {
		return err
	}
	magic := make([]byte, 6)
	if n, _ := e.file.ReadAt(magic, 0); raw && string(magic[:n]) != "\x93NUMPY" {
		e.length = info.Size()
		return nil
	}
	h, err := npy.ReadHeader(bufio.NewReader(io.NewSectionReader(e.file, 0, info.Size())))
	if err != nil {
		return err
	}
	e.header, e.offset, e.length = h, h.Length, info.Size()-h.Length
	if h.DType != dtype || h.Fortran {
		return fmt.Errorf("an array of %v, want %s in C order", h, dtype)
	}
	if need := h.DataSize(size); need != e.length {
		return fmt.Errorf("an array of %v needs %d bytes, and there are %d", h, need, e.length)
	}
	return nil
}

// Close closes the file.
func (e *arrayFile) Close() error { return e.file.Close() }

// edgeFile contains the edges of a stored relation.
type edgeFile struct {
	*arrayFile
	name string
}

func openEdges(path, name string) (*edgeFile, error) {
	e, err := openElements(path, "<i8", 8, false)
	if err != nil {
		return nil, err
	}
	if shape := e.header.Shape; len(shape) != 2 || shape[1] != 2 {
		return nil, errors.Join(fmt.Errorf("an array of %v, want one of [edges 2]", e.header), e.Close())
	}
	return &edgeFile{e, name}, nil
}

// Name returns the name of the relation.
func (e *edgeFile) Name() string { return e.name }

// Len returns the number of edges.
func (e *edgeFile) Len() int64 { return e.length / 16 }

// Read reads the edges from number first on into dst.
func (e *edgeFile) Read(dst []int64, first int64) error {
	if len(dst) == 0 {
		return nil
	}
	room := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 8*len(dst))
	_, err := e.file.ReadAt(room, e.offset+16*first)
	return err
}
