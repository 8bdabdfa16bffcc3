package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

var errNoParquet = errors.New("it is no Parquet file, or cut short: one ends in PAR1")

// ParquetFile is an open Parquet file. Several goroutines may read it, each with its own readers.
type ParquetFile struct {
	source io.ReaderAt
	size   int64
	close  func() error
	footer *fileMetadata
	root   *Column
	leaves []*Column
}

// Open opens the file at a path. The caller must close it.
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

// New returns a ParquetFile that reads from f, which has size bytes. The caller keeps the ownership of f.
func New(f io.ReaderAt, size int64) (*ParquetFile, error) {
	footer, err := readFooter(f, size)
	if err != nil {
		return nil, err
	}
	if footer.encrypted {
		return nil, fmt.Errorf("%w: it is encrypted", ErrForm)
	}
	t := schemaTree{schema: footer.schema}
	root, err := t.readRoot()
	if err != nil {
		return nil, err
	}
	return &ParquetFile{source: f, size: size, close: func() error { return nil }, footer: footer, root: root,
		leaves: t.leaves}, nil
}

// Close closes the file.
func (f *ParquetFile) Close() error { return f.close() }

// RowCount returns the number of rows.
func (f *ParquetFile) RowCount() int64 { return f.footer.rows }

// Columns returns the columns in the file's order.
func (f *ParquetFile) Columns() []*Column { return f.root.Columns }

// FindColumn returns the column of this name, or nil.
func (f *ParquetFile) FindColumn(name string) *Column {
	for _, c := range f.root.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// ColumnNames returns the names of the columns in the file's order.
func (f *ParquetFile) ColumnNames() []string {
	names := make([]string, len(f.root.Columns))
	for i, c := range f.root.Columns {
		names[i] = c.Name
	}
	return names
}

// RowGroups returns the number of row groups.
func (f *ParquetFile) RowGroups() int { return len(f.footer.groups) }

// GroupRows returns the number of rows of a row group.
func (f *ParquetFile) GroupRows(group int) int64 { return f.footer.groups[group].rows }

// OpenColumn returns a reader of a leaf in a row group. The caller must close it. The error wraps ErrForm if the column
// has an unsupported form.
func (f *ParquetFile) OpenColumn(group int, leaf *Column) (*ColumnReader, error) {
	of := &f.footer.groups[group].chunks[leaf.Index]
	start := of.dataOffset
	if of.dictionaryOffset > 0 {
		start = min(start, of.dictionaryOffset)
	}
	switch {
	case of.encrypted:
		return nil, fmt.Errorf("%w: the column is encrypted", ErrForm)
	case of.external:
		return nil, fmt.Errorf("%w: the column lies in another file", ErrForm)
	case !of.hasMetadata:
		return nil, damagedErrorf("the footer does not say where the column lies")
	case start < 0 || of.compressedBytes < 0 || of.values < 0 || start > f.size || of.compressedBytes > f.size-start:
		return nil, damagedErrorf("%d values in %d bytes at %d of a file of %d", of.values, of.compressedBytes, start, f.size)
	}
	if err := of.codec.checkSupported(); err != nil {
		return nil, err
	}
	return newColumnReader(io.NewSectionReader(f.source, start, of.compressedBytes), leaf, of), nil
}
