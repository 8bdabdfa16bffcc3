package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

var errNoParquet = errors.New("it is no Parquet file, or cut short: one ends in PAR1")

// ParquetFile is an open Parquet file. It may be read by several goroutines, each with readers of its own.
type ParquetFile struct {
	disk   io.ReaderAt
	size   int64
	close  func() error
	footer *fileMetadata
	root   *Column
	leaves []*Column
}

// Open opens the file at a path; the caller closes it.
func Open(path string) (*ParquetFile, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := openFile(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	file.close = f.Close
	return file, nil
}

func openFile(f *os.File) (*ParquetFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return New(f, info.Size())
}

// New reads a file of so many bytes, which stays the caller's.
func New(f io.ReaderAt, size int64) (*ParquetFile, error) {
	footer, err := readFooter(f, size)
	if err != nil {
		return nil, err
	}
	if footer.locked {
		return nil, fmt.Errorf("%w: it is encrypted", ErrForm)
	}
	t := schemaTree{schema: footer.schema}
	root, err := t.readRoot()
	if err != nil {
		return nil, err
	}
	return &ParquetFile{disk: f, size: size, close: func() error { return nil }, footer: footer, root: root,
		leaves: t.leaves}, nil
}

// Close closes the file.
func (f *ParquetFile) Close() error { return f.close() }

// RowCount is how many rows the file has.
func (f *ParquetFile) RowCount() int64 { return f.footer.rows }

// Columns are those of the file, in its order.
func (f *ParquetFile) Columns() []*Column { return f.root.Columns }

// FindColumn is the one of this name; nil: there is none.
func (f *ParquetFile) FindColumn(name string) *Column {
	for _, c := range f.root.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// ColumnNames are those of the columns, in the file's order.
func (f *ParquetFile) ColumnNames() []string {
	names := make([]string, len(f.root.Columns))
	for i, c := range f.root.Columns {
		names[i] = c.Name
	}
	return names
}

// RowGroups is how many groups of rows the file has, one after the other.
func (f *ParquetFile) RowGroups() int { return len(f.footer.groups) }

// GroupRows is how many rows a group has.
func (f *ParquetFile) GroupRows(group int) int64 { return f.footer.groups[group].rows }

// OpenColumn begins to read a leaf of a group of rows; the caller closes the reader. The error wraps ErrForm where the
// column is of a form that is not read.
func (f *ParquetFile) OpenColumn(group int, leaf *Column) (*ColumnReader, error) {
	of := &f.footer.groups[group].chunks[leaf.Index]
	start := of.data
	if of.dictionary > 0 {
		start = min(start, of.dictionary)
	}
	switch {
	case of.locked:
		return nil, fmt.Errorf("%w: the column is encrypted", ErrForm)
	case of.elsewhere:
		return nil, fmt.Errorf("%w: the column lies in another file", ErrForm)
	case !of.known:
		return nil, damagedErrorf("the footer does not say where the column lies")
	case start < 0 || of.packed < 0 || of.values < 0 || start > f.size || of.packed > f.size-start:
		return nil, damagedErrorf("%d values in %d bytes at %d of a file of %d", of.values, of.packed, start, f.size)
	}
	if err := of.codec.checkSupported(); err != nil {
		return nil, err
	}
	return newReader(io.NewSectionReader(f.disk, start, of.packed), leaf, of), nil
}
