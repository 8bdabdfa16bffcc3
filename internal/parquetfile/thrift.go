package parquetfile

import (
	"bufio"
	"encoding/binary"
	"io"
)

// thriftReader reads structures in Thrift's compact protocol, the form of footers and page headers. It skips fields
// that the caller does not read, without allocating memory. After the first error it reads nothing.
type thriftReader struct {
	r    *bufio.Reader
	left int64 // bytes that may still be read
	err  error // the first error
}

// The protocol's type numbers in use.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

func (c *thriftReader) setError(err error) {
	if c.err == nil {
		c.err = noEOF(err)
	}
}

// ReadByte implements io.ByteReader.
func (c *thriftReader) ReadByte() (byte, error) {
	if c.left <= 0 && c.err == nil {
		c.err = io.ErrUnexpectedEOF
	}
	if c.err != nil {
		return 0, c.err
	}
	c.left--
	b, err := c.r.ReadByte()
	if err != nil {
		c.setError(err)
	}
	return b, err
}

func (c *thriftReader) readUvarint() uint64 {
	n, err := binary.ReadUvarint(c)
	if err != nil {
		c.setError(err)
	}
	return n
}

// readInt reads an integer of any width.
func (c *thriftReader) readInt() int64 {
	n := c.readUvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// skipBytes skips n bytes.
func (c *thriftReader) skipBytes(n uint64) {
	if c.err != nil {
		return
	}
	if n > uint64(max(0, c.left)) {
		c.setError(io.ErrUnexpectedEOF)
		return
	}
	c.left -= int64(n)
	for n > 0 && c.err == nil {
		now := min(n, 1<<20)
		if _, err := c.r.Discard(int(now)); err != nil {
			c.setError(err)
		}
		n -= now
	}
}

// readString reads a string of up to maxNameBytes bytes.
func (c *thriftReader) readString() string {
	n := c.readUvarint()
	if n > maxNameBytes || n > uint64(max(0, c.left)) {
		c.setError(damagedErrorf("a name of %d bytes", n))
	}
	if c.err != nil {
		return ""
	}
	b := make([]byte, n)
	c.left -= int64(n)
	if _, err := io.ReadFull(c.r, b); err != nil {
		c.setError(err)
	}
	return string(b)
}

// readFields reads a structure. It calls field for each field; field returns false if it does not read the value.
func (c *thriftReader) readFields(depth int, field func(id int, kind byte) bool) {
	if depth > maxDepth {
		c.setError(damagedErrorf("structures deeper than %d", maxDepth))
	}
	id := 0
	for c.err == nil {
		head, err := c.ReadByte()
		if err != nil || head == 0 {
			return
		}
		if step := int(head >> 4); step > 0 {
			id += step
		} else {
			id = int(int16(c.readInt()))
		}
		if kind := head & 15; !field(id, kind) {
			c.skipValue(kind, depth+1)
		}
	}
}

// readListHeader reads the header of a list and returns the number and the type of its values. A value has at least one
// byte.
func (c *thriftReader) readListHeader() (int, byte) {
	head, err := c.ReadByte()
	if err != nil {
		return 0, 0
	}
	n := uint64(head >> 4)
	if n == 15 {
		n = c.readUvarint()
	}
	if n > uint64(max(0, c.left)) {
		c.setError(damagedErrorf("a list of %d values in %d bytes", n, c.left))
		return 0, 0
	}
	return int(n), head & 15
}

// skipValue skips a value.
func (c *thriftReader) skipValue(kind byte, depth int) {
	switch kind {
	case thriftTrue, thriftFalse:
	case 3:
		c.skipBytes(1)
	case 4, 5, 6:
		c.readUvarint()
	case thriftDouble:
		c.skipBytes(8)
	case thriftUUID:
		c.skipBytes(16)
	case thriftBinary:
		c.skipBytes(c.readUvarint())
	case thriftList, thriftSet:
		n, of := c.readListHeader()
		for range n {
			c.skipItem(of, depth+1)
		}
	case thriftMap:
		c.skipMap(depth)
	case thriftStruct:
		c.readFields(depth, func(int, byte) bool { return false })
	default:
		c.setError(damagedErrorf("a field of kind %d", kind))
	}
}

func (c *thriftReader) skipMap(depth int) {
	n := c.readUvarint()
	if n == 0 || c.err != nil {
		return
	}
	kinds, err := c.ReadByte()
	if err != nil {
		return
	}
	for i := uint64(0); i < n && c.err == nil; i++ {
		c.skipItem(kinds>>4, depth+1)
		c.skipItem(kinds&15, depth+1)
	}
}

// skipItem skips a value of a list, in which a boolean takes a byte.
func (c *thriftReader) skipItem(kind byte, depth int) {
	switch {
	case c.err != nil:
	case depth > maxDepth:
		c.setError(damagedErrorf("structures deeper than %d", maxDepth))
	case kind == thriftTrue || kind == thriftFalse:
		c.skipBytes(1)
	default:
		c.skipValue(kind, depth)
	}
}

// readInto reads an integer into to. It returns false if the field has another type.
func readInto[T ~int8 | ~int32 | ~int64](c *thriftReader, kind byte, to *T) bool {
	if kind < 3 || kind > 6 {
		return false
	}
	if kind == 3 {
		b, _ := c.ReadByte() // the error stays in c.err
		*to = T(int8(b))
		return true
	}
	*to = T(c.readInt())
	return true
}

// readStruct reads a nested structure. It returns false if the field has another type.
func (c *thriftReader) readStruct(kind byte, field func(id int, kind byte) bool) bool {
	if kind == thriftStruct {
		c.readFields(1, field)
	}
	return kind == thriftStruct
}

// readStructs reads a list of structures. It calls one for each of them, and returns false if the field has another
// type.
func (c *thriftReader) readStructs(kind byte, readOne func() error) bool {
	if kind != thriftList {
		return false
	}
	n, of := c.readListHeader()
	if n > 0 && of != thriftStruct {
		c.setError(damagedErrorf("a list of kind %d", of))
	}
	for range n {
		if c.err != nil {
			break
		}
		if err := readOne(); err != nil {
			c.setError(err)
		}
	}
	return true
}
