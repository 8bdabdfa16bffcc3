package products

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
)

// TextStore keeps a text for each row in a memory-mapped file, so texts that are not read need no memory. If the
// operating system allows it, the file is unlinked at once and disappears when the process ends.
type TextStore struct {
	file   *mapped.MappedFile
	path   string
	ends   []int64
	writer *bufio.Writer
	out    *os.File
	size   int64
}

// storeBufferBytes is the size of the write buffer.
const storeBufferBytes = 1 << 20

// NewStore returns an empty store with a file in the folder; "" means the system's folder for temporary files.
func NewStore(folder string) (*TextStore, error) {
	f, err := os.CreateTemp(folder, "plumbline-products-*")
	if err != nil {
		return nil, fmt.Errorf("keep the products' requests in a file: %w", err)
	}
	return &TextStore{out: f, path: f.Name(), writer: bufio.NewWriterSize(f, storeBufferBytes)}, nil
}

// AddText appends the text of the next row.
func (s *TextStore) AddText(text []byte) error {
	if _, err := s.writer.Write(text); err != nil {
		return fmt.Errorf("keep the products' requests in %s, %d MiB so far (TMPDIR names a folder with more room): %w",
			s.path, s.size>>20, err)
	}
	s.size += int64(len(text))
	s.ends = append(s.ends, s.size)
	return nil
}

// EndWriting completes the file. Texts can be read afterwards.
func (s *TextStore) EndWriting() error {
	err := errors.Join(s.writer.Flush(), s.out.Close())
	s.writer, s.out = nil, nil
	if err == nil {
		s.file, err = mapped.Open(s.path)
	}
	if err != nil {
		return fmt.Errorf("keep the products' requests in %s, %d MiB (TMPDIR names a folder with more room): %w", s.path,
			s.size>>20, err)
	}
	if os.Remove(s.path) == nil { // otherwise, Close removes it
		s.path = ""
	}
	return nil
}

// Len returns the number of texts.
func (s *TextStore) Len() int { return len(s.ends) }

// Size returns the total size of all texts in bytes.
func (s *TextStore) Size() int64 { return s.size }

// Text returns the text of row i. The caller must not change it, nor use it after Close.
func (s *TextStore) Text(i int) []byte {
	start := int64(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.file.Bytes()[start:s.ends[i]:s.ends[i]]
}

// Close closes and removes the file. It may be called at any time.
func (s *TextStore) Close() error {
	var faults []error
	if s.out != nil {
		faults = append(faults, s.out.Close())
		s.out = nil
	}
	if s.file != nil {
		faults = append(faults, s.file.Close())
		s.file = nil
	}
	if s.path != "" {
		faults = append(faults, os.Remove(s.path))
		s.path = ""
	}
	return errors.Join(faults...)
}
