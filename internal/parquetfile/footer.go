package parquetfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// fileMetadata contains the metadata in a file's footer that readers need.
type fileMetadata struct {
	rows      int64
	schema    []schemaElement
	leaves    int // number of elements without children
	groups    []rowGroup
	encrypted bool // the file is encrypted
}

// schemaElement is a column, or a structure of columns, in the footer's schema. Its children follow it.
type schemaElement struct {
	name       string
	kind       PhysicalType
	leaf       bool // it is a leaf: it has a physical type
	length     int32
	repetition int32
	children   int32
	converted  int32 // -1: none
	scale      int32
	logical    logicalType
}

// logicalType is a LogicalType: the number of the union's field, and the contents of that field.
type logicalType struct {
	field  int
	scale  int32
	unit   int // 1: milliseconds, 2: microseconds, 3: nanoseconds
	signed bool
}

// rowGroup describes a group of rows.
type rowGroup struct {
	rows   int64
	chunks []columnChunk
}

// columnChunk describes a column in a group of rows.
type columnChunk struct {
	external, encrypted          bool // elsewhere: it is in another file; locked: it is encrypted
	codec                        PageCodec
	values                       int64
	compressedBytes              int64 // compressed bytes of all pages
	dataOffset, dictionaryOffset int64 // offsets of the first data page and of the dictionary page
	hasMetadata                  bool  // the chunk has metadata
}

// readFooter reads the footer of a file of size bytes.
func readFooter(f io.ReaderAt, size int64) (*fileMetadata, error) {
	const magic = "PAR1"
	var end [4 + len(magic)]byte
	if _, err := f.ReadAt(end[:], max(0, size-int64(len(end)))); err != nil {
		return nil, errNoParquet
	}
	switch string(end[4:]) {
	case magic:
	case "PARE":
		return nil, fmt.Errorf("%w: it is encrypted", ErrForm)
	default:
		return nil, errNoParquet
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	switch {
	case n > size-int64(len(end)+len(magic)):
		return nil, damagedErrorf("its footer of %d bytes is larger than the file of %d", n, size)
	case n > maxFooter:
		return nil, fmt.Errorf("%w: its footer has %d bytes, want at most %d", ErrForm, n, maxFooter)
	}
	from := io.NewSectionReader(f, size-int64(len(end))-n, n)
	c := &thriftReader{r: bufio.NewReader(from), left: n}
	found := &fileMetadata{}
	c.readFields(0, found.readField(c))
	if c.err != nil {
		return nil, fmt.Errorf("its footer: %w", c.err)
	}
	return found, found.checkMetadata()
}

func (f *fileMetadata) readField(c *thriftReader) func(int, byte) bool {
	return func(id int, kind byte) bool {
		switch id {
		case 2:
			return c.readStructs(kind, func() error { return f.readElement(c) })
		case 3:
			return readInto(c, kind, &f.rows)
		case 4:
			return c.readStructs(kind, func() error { return f.readRowGroup(c) })
		case 8:
			f.encrypted = true
		}
		return false
	}
}

func (f *fileMetadata) checkMetadata() error {
	rows := int64(0)
	for _, g := range f.groups {
		if g.rows < 0 || g.rows > math.MaxInt64-rows {
			return damagedErrorf("a group of %d rows", g.rows)
		}
		rows += g.rows
	}
	if rows != f.rows {
		return damagedErrorf("it has %d rows, and its groups %d", f.rows, rows)
	}
	return nil
}

func (f *fileMetadata) readElement(c *thriftReader) error {
	if len(f.schema) == maxColumns {
		return fmt.Errorf("%w: more than %d columns", ErrForm, maxColumns)
	}
	e := schemaElement{converted: -1}
	c.readFields(1, func(id int, kind byte) bool {
		switch id {
		case 1:
			e.leaf = true
			return readInto(c, kind, &e.kind)
		case 2:
			return readInto(c, kind, &e.length)
		case 3:
			return readInto(c, kind, &e.repetition)
		case 4:
			if kind == thriftBinary {
				e.name = c.readString()
			}
			return kind == thriftBinary
		case 5:
			return readInto(c, kind, &e.children)
		case 6:
			return readInto(c, kind, &e.converted)
		case 7:
			return readInto(c, kind, &e.scale)
		case 10:
			return c.readStruct(kind, e.logical.readField(c))
		}
		return false
	})
	if e.children > 0 {
		e.leaf = false
	}
	if e.leaf {
		f.leaves++
	}
	f.schema = append(f.schema, e)
	return c.err
}

// readField reads the union's only field.
func (l *logicalType) readField(c *thriftReader) func(int, byte) bool {
	return func(id int, kind byte) bool {
		l.field = id
		return c.readStruct(kind, func(id int, kind byte) bool {
			switch {
			case l.field == logicalDecimal && id == 1:
				return readInto(c, kind, &l.scale)
			case id == 2 && (kind == thriftTrue || kind == thriftFalse):
				l.signed = kind == thriftTrue
				return true
			case id == 2 && kind == thriftStruct:
				return c.readStruct(kind, func(id int, _ byte) bool {
					l.unit = id
					return false
				})
			}
			return false
		})
	}
}

// readRowGroup reads a row group. It must have a chunk for each leaf of the schema, which precedes it.
func (f *fileMetadata) readRowGroup(c *thriftReader) error {
	if f.leaves == 0 {
		return damagedErrorf("rows without columns")
	}
	g := rowGroup{chunks: make([]columnChunk, 0, min(f.leaves, 64))}
	c.readFields(1, func(id int, kind byte) bool {
		switch id {
		case 1:
			return c.readStructs(kind, func() error {
				if len(g.chunks) == f.leaves {
					return damagedErrorf("a group of rows has more than the %d columns of the file", f.leaves)
				}
				g.chunks = append(g.chunks, readChunk(c))
				return nil
			})
		case 3:
			return readInto(c, kind, &g.rows)
		}
		return false
	})
	if c.err == nil && len(g.chunks) != f.leaves {
		return damagedErrorf("a group of rows has %d columns, and the file %d", len(g.chunks), f.leaves)
	}
	f.groups = append(f.groups, g)
	return c.err
}

func readChunk(c *thriftReader) (found columnChunk) {
	c.readFields(1, func(id int, kind byte) bool {
		switch id {
		case 1:
			if kind == thriftBinary {
				found.external = c.readString() != ""
			}
			return kind == thriftBinary
		case 3:
			found.hasMetadata = true
			return c.readStruct(kind, func(id int, kind byte) bool {
				switch id {
				case 4:
					return readInto(c, kind, &found.codec)
				case 5:
					return readInto(c, kind, &found.values)
				case 7:
					return readInto(c, kind, &found.compressedBytes)
				case 9:
					return readInto(c, kind, &found.dataOffset)
				case 11:
					return readInto(c, kind, &found.dictionaryOffset)
				}
				return false
			})
		case 8, 9:
			found.encrypted = true
		}
		return false
	})
	return found
}
