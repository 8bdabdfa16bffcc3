package bytearrays

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// dictionary keeps the values that a column's pages have indices of in a temporary file.
type dictionary struct {
	file *os.File
	path string // empty: it has no name any more
	ends []int64
}

func newDictionary() (*dictionary, error) {
	f, err := os.CreateTemp("", "plumbline-dictionary-*")
	if err != nil {
		return nil, fmt.Errorf("keep a dictionary in a file: %w", err)
	}
	d := &dictionary{file: f, path: f.Name()}
	if os.Remove(d.path) == nil { // else when it is closed
		d.path = ""
	}
	return d, nil
}

// read takes n plain values.
func (d *dictionary) read(from *bufio.Reader, n int) error {
	out := bufio.NewWriterSize(d.file, step)
	end := int64(0)
	for range n {
		size, err := length(from)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(out, from, int64(size)); err != nil {
			return fmt.Errorf("keep a dictionary of %d values in a file (TMPDIR names a folder with more room): %w", n, err)
		}
		end += int64(size)
		d.ends = append(d.ends, end)
	}
	return out.Flush()
}

// at appends value i.
func (d *dictionary) at(dst []byte, i int) ([]byte, error) {
	if i < 0 || i >= len(d.ends) {
		return dst, fmt.Errorf("%w: index %d into a dictionary of %d values", errDamaged, i, len(d.ends))
	}
	start := int64(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	n := int(d.ends[i] - start)
	return appendFrom(dst, io.NewSectionReader(d.file, start, int64(n)), n)
}

func (d *dictionary) close() error {
	if d == nil || d.file == nil {
		return nil
	}
	err := d.file.Close()
	if d.path != "" {
		err = errors.Join(err, os.Remove(d.path))
	}
	d.file = nil
	return err
}
