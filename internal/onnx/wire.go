package onnx

import (
	"errors"
	"fmt"
	"io"
)

// Wire types of the protocol-buffer encoding.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

var (
	errTruncated = errors.New("the file ends too early")
	errMalformed = errors.New("malformed protocol buffer")
)

// window is how many bytes one read fetches: larger than a value_info entry, small next to a weight that is skipped.
const window = 4096

// cursor walks the fields of one message. Messages inside it share its source and its window.
type cursor struct {
	src      *source
	pos, end int64
}

// source is a file with a window of it in memory.
type source struct {
	r    io.ReaderAt
	size int64
	at   int64
	buf  []byte
}

func newCursor(r io.ReaderAt, size int64) cursor {
	return cursor{src: &source{r: r, size: size}, end: size}
}

// byteAt returns the byte at pos, which lies inside the file.
func (s *source) byteAt(pos int64) (byte, error) {
	if pos < s.at || pos >= s.at+int64(len(s.buf)) {
		if err := s.fill(pos); err != nil {
			return 0, err
		}
	}
	return s.buf[pos-s.at], nil
}

func (s *source) fill(pos int64) error {
	n := min(window, s.size-pos)
	if int64(cap(s.buf)) < n {
		s.buf = make([]byte, window)
	}
	s.at, s.buf = pos, s.buf[:n]
	read, err := s.r.ReadAt(s.buf, pos)
	s.buf = s.buf[:read]
	if read == 0 {
		if err == nil || err == io.EOF {
			err = errTruncated
		}
		return err
	}
	return nil
}

func (c *cursor) done() bool { return c.pos >= c.end }

func (c *cursor) varint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		if c.done() {
			return 0, c.short()
		}
		b, err := c.src.byteAt(c.pos)
		if err != nil {
			return 0, err
		}
		c.pos++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%w at byte %d: a number of more than 64 bits", errMalformed, c.pos)
}

// short is the error of a field that does not fit: the file is cut off, or an inner message is not one.
func (c *cursor) short() error {
	if c.end == c.src.size {
		return fmt.Errorf("%w: after %d bytes", errTruncated, c.src.size)
	}
	return fmt.Errorf("%w at byte %d", errMalformed, c.pos)
}

// field reads the tag of the next field.
func (c *cursor) field() (number uint64, wire int, err error) {
	tag, err := c.varint()
	if err != nil {
		return 0, 0, err
	}
	if tag>>3 == 0 || tag>>3 >= 1<<29 {
		return 0, 0, fmt.Errorf("%w at byte %d: field number %d", errMalformed, c.pos, tag>>3)
	}
	return tag >> 3, int(tag & 7), nil
}

// skip passes over the value of a field.
func (c *cursor) skip(wire int) error {
	switch wire {
	case wireVarint:
		_, err := c.varint()
		return err
	case wireFixed64:
		return c.advance(8)
	case wireFixed32:
		return c.advance(4)
	case wireBytes:
		_, err := c.message()
		return err
	}
	return fmt.Errorf("%w at byte %d: wire type %d", errMalformed, c.pos, wire)
}

func (c *cursor) advance(n int64) error {
	if n > c.end-c.pos {
		return c.short()
	}
	c.pos += n
	return nil
}

// message reads a length and returns the bytes it covers as a cursor, behind which c then stands.
func (c *cursor) message() (cursor, error) {
	n, err := c.varint()
	if err != nil {
		return cursor{}, err
	}
	start := c.pos
	if n > uint64(c.end-c.pos) {
		return cursor{}, fmt.Errorf("%w: %d bytes are missing", c.short(), n-uint64(c.end-c.pos))
	}
	c.pos += int64(n)
	return cursor{src: c.src, pos: start, end: c.pos}, nil
}

// longestName bounds the strings that are kept: names of tensors, dimensions and files.
const longestName = 64 << 10

// text reads a string field.
func (c *cursor) text() (string, error) {
	m, err := c.message()
	if err != nil {
		return "", err
	}
	if m.end-m.pos > longestName {
		return "", fmt.Errorf("%w at byte %d: a name of %d bytes", errMalformed, m.pos, m.end-m.pos)
	}
	out := make([]byte, 0, m.end-m.pos)
	for ; !m.done(); m.pos++ {
		b, err := m.src.byteAt(m.pos)
		if err != nil {
			return "", err
		}
		out = append(out, b)
	}
	return string(out), nil
}

// each calls visit for every field of the message. A visit that does not read the field's value leaves it to each, by
// returning skipped.
func (c cursor) each(visit func(number uint64, wire int, c *cursor) (read bool, err error)) error {
	for !c.done() {
		number, wire, err := c.field()
		if err != nil {
			return err
		}
		read, err := visit(number, wire, &c)
		if err != nil {
			return err
		}
		if read {
			continue
		}
		if err := c.skip(wire); err != nil {
			return err
		}
	}
	return nil
}
