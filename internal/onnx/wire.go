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

// window is the number of bytes per read: more than a value_info entry, and few in comparison with a skipped weight.
const window = 4096

// messageCursor iterates over the fields of one message. Cursors of nested messages share its source and its window.
type messageCursor struct {
	src      *windowedFile
	pos, end int64
}

// windowedFile is a file with a part of it in memory.
type windowedFile struct {
	r    io.ReaderAt
	size int64
	at   int64
	buf  []byte
}

// byteAt returns the byte at pos, which must be inside the file.
func (s *windowedFile) byteAt(pos int64) (byte, error) {
	if pos < s.at || pos >= s.at+int64(len(s.buf)) {
		if err := s.fillWindow(pos); err != nil {
			return 0, err
		}
	}
	return s.buf[pos-s.at], nil
}

func (s *windowedFile) fillWindow(pos int64) error {
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

func (c *messageCursor) readVarint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		if c.pos >= c.end {
			return 0, c.errShort()
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

// errShort returns the error for a field longer than its message: the file is truncated, or the message is malformed.
func (c *messageCursor) errShort() error {
	if c.end == c.src.size {
		return fmt.Errorf("%w: after %d bytes", errTruncated, c.src.size)
	}
	return fmt.Errorf("%w at byte %d", errMalformed, c.pos)
}

// messageField is one field of a message. Numbers are in value; texts and nested messages are in body.
type messageField struct {
	tag   uint64 // field number and wire type
	value uint64
	body  messageCursor
}

// nextField reads the next field and moves c behind it. It does not read the field's body.
func (c *messageCursor) nextField() (f messageField, err error) {
	if f.tag, err = c.readVarint(); err != nil {
		return f, err
	}
	if number := f.tag >> 3; number == 0 || number >= 1<<29 {
		return f, fmt.Errorf("%w at byte %d: field number %d", errMalformed, c.pos, number)
	}
	var n uint64 // bytes of the body
	switch wire := f.tag & 7; wire {
	case wireVarint:
		f.value, err = c.readVarint()
	case wireFixed64:
		n = 8
	case wireFixed32:
		n = 4
	case wireBytes:
		n, err = c.readVarint()
	default:
		err = fmt.Errorf("%w at byte %d: wire type %d", errMalformed, c.pos, wire)
	}
	if err != nil {
		return f, err
	}
	if room := uint64(c.end - c.pos); n > room {
		return f, fmt.Errorf("%w: %d bytes are missing", c.errShort(), n-room)
	}
	f.body = messageCursor{src: c.src, pos: c.pos, end: c.pos + int64(n)}
	c.pos = f.body.end
	return f, nil
}

// maxName limits the length of names of tensors, dimensions and files.
const maxName = 64 << 10

// textValue returns the body as a string.
func (f messageField) textValue() (string, error) {
	m := f.body
	if m.end-m.pos > maxName {
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

// eachField calls visit for every field of the message.
func (c messageCursor) eachField(visit func(messageField) error) error {
	for c.pos < c.end {
		f, err := c.nextField()
		if err == nil {
			err = visit(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
