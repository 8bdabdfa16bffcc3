// Package npy reads and writes the headers of NumPy's files: .npy, and the members of .npz.
//
// In scope: position, type and shape of an array's elements. Out of scope: elements; arrays of records.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// ErrFormat is in the chain of all errors about a file's contents.
var ErrFormat = errors.New("NumPy file")

// Header describes the array that follows it in the file.
type Header struct {
	DType   string // as numpy.dtype.str: "<f4", "|u1"
	Fortran bool   // true: the first axis is the fastest; false: the last
	Shape   []int
	Length  int64 // of the header in bytes, which is the offset of the elements
}

// maxText limits the text of a header in bytes. A usual header has about 100.
const maxText = 1 << 16

// AppendHeader appends to dst the header of an array in C order, in format 1. It pads the header so that the elements
// after it begin at a multiple of 64 bytes. shape must have at least one axis.
func AppendHeader(dst []byte, dtype string, shape ...int) []byte {
	axes := fmt.Sprintf("%d,", shape[0])
	for _, n := range shape[1:] {
		axes += fmt.Sprintf(" %d,", n)
	}
	if len(shape) > 1 {
		axes = strings.TrimSuffix(axes, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, axes)
	const start = len("\x93NUMPY") + 4 // bytes of magic and version; the length follows
	text += strings.Repeat(" ", 63-(start+len(text))%64) + "\n"
	dst = append(dst, "\x93NUMPY\x01\x00"...)
	return append(binary.LittleEndian.AppendUint16(dst, uint16(len(text))), text...)
}

// ReadHeader reads a header of format 1, 2 or 3.
func ReadHeader(r io.Reader) (*Header, error) {
	start := make([]byte, 8)
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, errTruncated(err)
	}
	if string(start[:6]) != "\x93NUMPY" || start[6] < 1 || start[6] > 3 {
		return nil, fmt.Errorf("%w: it starts with %q, want \"\\x93NUMPY\" and version 1 to 3", ErrFormat, start)
	}
	size := 2 // bytes of the length field
	if start[6] > 1 {
		size = 4
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:size]); err != nil {
		return nil, errTruncated(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxText {
		return nil, fmt.Errorf("%w: a header of %d bytes, want at most %d", ErrFormat, n, maxText)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, errTruncated(err)
	}
	h, err := parseHeader(string(text))
	if err != nil {
		return nil, fmt.Errorf("%w: header %.200q: %w", ErrFormat, text, err)
	}
	h.Length = int64(len(start)+size) + int64(n)
	return h, nil
}

func errTruncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends within its header: it is truncated: %w", ErrFormat, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%w: header: %w", ErrFormat, err)
}

// DataSize returns the size of all elements in bytes, each of size bytes, or -1 if it exceeds int64.
func (h *Header) DataSize(size int) int64 {
	n := int64(size)
	for _, s := range h.Shape {
		if s != 0 && n > math.MaxInt64/int64(s) {
			return -1
		}
		n *= int64(s)
	}
	return n
}

// String returns dtype, shape and, if not C, the order.
func (h *Header) String() string {
	order := ""
	if h.Fortran {
		order = " in Fortran order"
	}
	return fmt.Sprintf("%s %v%s", h.DType, h.Shape, order)
}

// parseHeader parses the text of a header: a Python dict with the keys descr, fortran_order and shape.
func parseHeader(text string) (*Header, error) {
	p := headerParser{rest: text}
	h := new(Header)
	seen := map[string]bool{}
	if err := p.expectToken("{"); err != nil {
		return nil, err
	}
	for !p.acceptToken("}") {
		key, err := p.parseQuoted()
		if err != nil {
			return nil, err
		}
		if err := p.parseField(h, key); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if seen[key] = true; !p.acceptToken(",") {
			if err := p.expectToken("}"); err != nil {
				return nil, err
			}
			break
		}
	}
	if len(seen) != 3 || strings.TrimSpace(p.rest) != "" {
		return nil, fmt.Errorf("%d keys, then %.20q, want descr, fortran_order and shape alone", len(seen), p.rest)
	}
	return h, nil
}
