package parquetfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// valueDictionary contains the values to which the indices in a column's pages refer. It stores a small dictionary in
// memory and a large one in a temporary file.
type valueDictionary struct {
	leaf     *Column
	bytes    []byte   // values of a dictionary in memory
	file     *os.File // values of a larger dictionary; nil: they are in bytes
	path     string   // name of the file; empty: it has been removed
	count    int      // number of values
	ends     []uint32 // end of each byte array among the values
	lastRead []byte   // value last read from the file
}

// maxMemoryBytes limits the size of a dictionary in memory.
const maxMemoryBytes = 4 << 20

// indexDecoder decodes indices into the dictionary and returns the values.
type indexDecoder struct {
	dictionary *valueDictionary
	indices    *runDecoder
}

func (r *ColumnReader) newIndexDecoder() (valueDecoder, error) {
	if r.dictionary == nil {
		return nil, damagedErrorf("a page of indices without a dictionary before it")
	}
	width, err := r.page.unpacked.ReadByte()
	if err != nil {
		return nil, err
	}
	if width > 32 {
		return nil, damagedErrorf("indices of %d bits", width)
	}
	return &indexDecoder{r.dictionary, newRunDecoder(r.page.unpacked, uint(width))}, nil
}

func (x *indexDecoder) next(v *LeafValue) error {
	i, err := x.indices.nextNumber()
	if err != nil || v == nil {
		return err
	}
	return x.dictionary.setValue(v, int64(i))
}

// readDictionary reads the page of a dictionary.
func (r *ColumnReader) readDictionary(h *pageHeader) error {
	switch {
	case r.dictionary != nil:
		return damagedErrorf("a second dictionary")
	case h.encoding != encodingPlain && h.encoding != encodingPlainDictionary:
		return fmt.Errorf("%w: a dictionary as %v", ErrForm, h.encoding)
	case r.leaf.Kind == Boolean:
		return fmt.Errorf("%w: a dictionary of %v", ErrForm, r.leaf.Kind)
	case h.values < 0 || h.values > maxDictionaryValues:
		return fmt.Errorf("%w: a dictionary of %d values, want at most %d", ErrForm, h.values, maxDictionaryValues)
	}
	if err := r.startValues(false, int64(h.rawBytes)); err != nil {
		return err
	}
	r.dictionary = &valueDictionary{leaf: r.leaf, count: int(h.values)}
	if h.rawBytes <= maxMemoryBytes {
		return r.dictionary.readValues(r.page.unpacked, func(n int) (err error) {
			r.dictionary.bytes, err = appendFrom(r.dictionary.bytes, r.page.unpacked, n)
			return err
		})
	}
	return r.dictionary.readToFile(r.page.unpacked)
}

// readValues reads the values. It calls keep for the next n bytes of from, which belong to one value.
func (d *valueDictionary) readValues(from *bufio.Reader, keep func(n int) error) error {
	end := 0
	for range d.count {
		size := d.leaf.Length
		if d.leaf.Kind == ByteArray {
			var err error
			if size, err = readLength(from); err != nil {
				return err
			}
		}
		if err := keep(size); err != nil {
			return err
		}
		if d.leaf.Kind == ByteArray {
			end += size
			d.ends = append(d.ends, uint32(end))
		}
	}
	return nil
}

// readToFile reads the values into a temporary file.
func (d *valueDictionary) readToFile(from *bufio.Reader) (err error) {
	if d.file, err = os.CreateTemp("", "plumbline-dictionary-*"); err != nil {
		return fmt.Errorf("keep a dictionary in a file: %w", err)
	}
	d.path = d.file.Name()
	if os.Remove(d.path) == nil { // otherwise close removes it
		d.path = ""
	}
	out := bufio.NewWriterSize(&dictionaryFile{d.file}, 256<<10)
	err = d.readValues(from, func(n int) error {
		_, err := io.CopyN(out, from, int64(n))
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// dictionaryFile writes to the temporary file. Its errors advise to choose another folder.
type dictionaryFile struct{ file *os.File }

func (r *dictionaryFile) Write(p []byte) (int, error) {
	n, err := r.file.Write(p)
	if err != nil {
		err = fmt.Errorf("keep a dictionary in a file (TMPDIR names a folder with more room): %w", err)
	}
	return n, err
}

// setValue sets v to value number i.
func (d *valueDictionary) setValue(v *LeafValue, i int64) (err error) {
	if i < 0 || i >= int64(d.count) {
		return damagedErrorf("index %d into a dictionary of %d values", i, d.count)
	}
	start, end := i*int64(d.leaf.Length), (i+1)*int64(d.leaf.Length)
	if d.leaf.Kind == ByteArray {
		start, end = 0, int64(d.ends[i])
		if i > 0 {
			start = int64(d.ends[i-1])
		}
	}
	if d.file == nil {
		v.setBytes(d.leaf, d.bytes[start:end])
		return nil
	}
	n := int(end - start)
	if d.lastRead, err = appendFrom(d.lastRead[:0], io.NewSectionReader(d.file, start, int64(n)), n); err == nil {
		v.setBytes(d.leaf, d.lastRead)
	}
	return err
}

func (d *valueDictionary) close() error {
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
