package parquetfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// footer is what a file says of itself, as far as readers need it.
type footer struct {
	rows   int64
	schema []element
	leaves int // elements without parts
	groups []group
	locked bool // it is encrypted
}

// element is a column or a structure of columns, as it lies in the footer: before its parts.
type element struct {
	name       string
	kind       Kind
	leaf       bool // it has a kind
	length     int32
	repetition int32
	children   int32
	converted  int32 // -1: none
	scale      int32
	logical    logical
}

// logical is a LogicalType: which field of the union it is, and that field's own.
type logical struct {
	which  int
	scale  int32
	unit   int // 1: milliseconds, 2: microseconds, 3: nanoseconds
	signed bool
}

type group struct {
	rows   int64
	chunks []chunk
}

// chunk is a column of a group of rows.
type chunk struct {
	elsewhere, locked bool
	codec             Codec
	values            int64
	packed            int64 // bytes of all its pages
	data, dictionary  int64 // where pages begin
	known             bool  // it says all this
}

// readFooter reads the footer of a file of so many bytes.
func readFooter(f io.ReaderAt, size int64) (*footer, error) {
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
		return nil, damaged("its footer of %d bytes is larger than the file of %d", n, size)
	case n > maxFooter:
		return nil, fmt.Errorf("%w: its footer has %d bytes, want at most %d", ErrForm, n, maxFooter)
	}
	from := io.NewSectionReader(f, size-int64(len(end))-n, n)
	c := &compact{r: bufio.NewReader(from), left: n}
	found := &footer{}
	c.fields(0, found.field(c))
	if c.err != nil {
		return nil, fmt.Errorf("its footer: %w", c.err)
	}
	return found, found.check()
}

func (f *footer) field(c *compact) func(int, byte) bool {
	return func(id int, kind byte) bool {
		switch id {
		case 2:
			return c.each(kind, func() error { return f.element(c) })
		case 3:
			return into(c, kind, &f.rows)
		case 4:
			return c.each(kind, func() error { return f.group(c) })
		case 8:
			f.locked = true
		}
		return false
	}
}

func (f *footer) check() error {
	rows := int64(0)
	for _, g := range f.groups {
		if g.rows < 0 || g.rows > math.MaxInt64-rows {
			return damaged("a group of %d rows", g.rows)
		}
		rows += g.rows
	}
	if rows != f.rows {
		return damaged("it has %d rows, and its groups %d", f.rows, rows)
	}
	return nil
}

func (f *footer) element(c *compact) error {
	if len(f.schema) == maxColumns {
		return fmt.Errorf("%w: more than %d columns", ErrForm, maxColumns)
	}
	e := element{converted: -1}
	c.fields(1, func(id int, kind byte) bool {
		switch id {
		case 1:
			e.leaf = true
			return into(c, kind, &e.kind)
		case 2:
			return into(c, kind, &e.length)
		case 3:
			return into(c, kind, &e.repetition)
		case 4:
			if kind == thriftBinary {
				e.name = c.text()
			}
			return kind == thriftBinary
		case 5:
			return into(c, kind, &e.children)
		case 6:
			return into(c, kind, &e.converted)
		case 7:
			return into(c, kind, &e.scale)
		case 10:
			return c.structure(kind, e.logical.field(c))
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

// field reads the one field of the union.
func (l *logical) field(c *compact) func(int, byte) bool {
	return func(id int, kind byte) bool {
		l.which = id
		return c.structure(kind, func(id int, kind byte) bool {
			switch {
			case l.which == logicalDecimal && id == 1:
				return into(c, kind, &l.scale)
			case id == 2 && (kind == thriftTrue || kind == thriftFalse):
				l.signed = kind == thriftTrue
				return true
			case id == 2 && kind == thriftStruct:
				return c.structure(kind, func(id int, _ byte) bool {
					l.unit = id
					return false
				})
			}
			return false
		})
	}
}

// group reads a group of rows. It has a chunk for each column: the schema stands before it.
func (f *footer) group(c *compact) error {
	if f.leaves == 0 {
		return damaged("rows without columns")
	}
	g := group{chunks: make([]chunk, 0, min(f.leaves, 64))}
	c.fields(1, func(id int, kind byte) bool {
		switch id {
		case 1:
			return c.each(kind, func() error {
				if len(g.chunks) == f.leaves {
					return damaged("a group of rows has more than the %d columns of the file", f.leaves)
				}
				g.chunks = append(g.chunks, readChunk(c))
				return nil
			})
		case 3:
			return into(c, kind, &g.rows)
		}
		return false
	})
	if c.err == nil && len(g.chunks) != f.leaves {
		return damaged("a group of rows has %d columns, and the file %d", len(g.chunks), f.leaves)
	}
	f.groups = append(f.groups, g)
	return c.err
}

func readChunk(c *compact) (found chunk) {
	c.fields(1, func(id int, kind byte) bool {
		switch id {
		case 1:
			if kind == thriftBinary {
				found.elsewhere = c.text() != ""
			}
			return kind == thriftBinary
		case 3:
			found.known = true
			return c.structure(kind, func(id int, kind byte) bool {
				switch id {
				case 4:
					return into(c, kind, &found.codec)
				case 5:
					return into(c, kind, &found.values)
				case 7:
					return into(c, kind, &found.packed)
				case 9:
					return into(c, kind, &found.data)
				case 11:
					return into(c, kind, &found.dictionary)
				}
				return false
			})
		case 8, 9:
			found.locked = true
		}
		return false
	})
	return found
}
