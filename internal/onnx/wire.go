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

func (c *cursor) varint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		if c.pos >= c.end {
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

// field is one field of a message: a number has a value, a text and a message inside have a body.
type field struct {
	tag   uint64 // its number and its wire type
	value uint64
	body  cursor
}

// field reads the next field: of one with a body where that is, behind which c then stands.
func (c *cursor) field() (f field, err error) {
	if f.tag, err = c.varint(); err != nil {
		return f, err
	}
	if number := f.tag >> 3; number == 0 || number >= 1<<29 {
		return f, fmt.Errorf("%w at byte %d: field number %d", errMalformed, c.pos, number)
	}
	var n uint64 // bytes
	switch wire := f.tag & 7; wire {
	case wireVarint:
		f.value, err = c.varint()
	case wireFixed64:
		n = 8
	case wireFixed32:
		n = 4
	case wireBytes:
		n, err = c.varint()
	default:
		err = fmt.Errorf("%w at byte %d: wire type %d", errMalformed, c.pos, wire)
	}
	if err != nil {
		return f, err
	}
	if room := uint64(c.end - c.pos); n > room {
		return f, fmt.Errorf("%w: %d bytes are missing", c.short(), n-room)
	}
	f.body = cursor{src: c.src, pos: c.pos, end: c.pos + int64(n)}
	c.pos = f.body.end
	return f, nil
}

// longestName bounds the strings that are kept: names of tensors, dimensions and files.
const longestName = 64 << 10

// text reads a string.
func (f field) text() (string, error) {
	m := f.body
	if m.end-m.pos > longestName {
		return "", fmt.Errorf("%w at byte %d: a name of %d bytes", errMalformed, m.pos, m.end-m.pos)
	}
	out := make([]byte, 0, m.end-m.pos)
	for ; m.pos < m.end; m.pos++ {
		b, err := m.src.byteAt(m.pos)
		if err != nil {
			return "", err
		}
		out = append(out, b)
	}
	return string(out), nil
}

// each calls visit for every field of the message.
func (c cursor) each(visit func(field) error) error {
	for c.pos < c.end {
		f, err := c.field()
		if err == nil {
			err = visit(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
