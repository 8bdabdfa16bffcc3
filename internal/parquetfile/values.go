package parquetfile

import (
	"bufio"
	"encoding/binary"
	"io"
)

// littleEndian returns the value of a kind in b, lowest byte first.
func littleEndian(kind PhysicalType, b []byte) uint64 {
	switch kind {
	case Int32:
		return uint64(int64(int32(binary.LittleEndian.Uint32(b))))
	case Float:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// isNumber reports whether values of a kind are in LeafValue.Number.
func isNumber(kind PhysicalType) bool { return kind <= Double && kind != Int96 }

// setBytes sets v to the value of a leaf in b.
func (v *LeafValue) setBytes(leaf *Column, b []byte) {
	if isNumber(leaf.Kind) {
		v.Number = littleEndian(leaf.Kind, b)
	} else {
		v.Bytes = append(v.Bytes[:0], b...)
	}
}

// plainDecoder decodes values that are stored one after the other (PLAIN).
type plainDecoder struct {
	from *bufio.Reader
	leaf *Column
}

func newPlainDecoder(from *bufio.Reader, leaf *Column) valueDecoder {
	if leaf.Kind == Boolean {
		return &plainBooleans{bitReader{from: from}}
	}
	return &plainDecoder{from, leaf}
}

func (p *plainDecoder) next(v *LeafValue) (err error) {
	n := p.leaf.Length
	if isNumber(p.leaf.Kind) {
		b, err := p.from.Peek(n)
		if err != nil {
			return err
		}
		if v != nil {
			v.Number = littleEndian(p.leaf.Kind, b)
		}
		_, err = p.from.Discard(n)
		return err
	}
	if p.leaf.Kind == ByteArray {
		if n, err = readLength(p.from); err != nil {
			return err
		}
	}
	if v == nil {
		_, err = p.from.Discard(n)
		return err
	}
	v.Bytes, err = appendFrom(v.Bytes[:0], p.from, n)
	return err
}

// plainBooleans decodes booleans from single bits, lowest first.
type plainBooleans struct{ bits bitReader }

func (p *plainBooleans) next(v *LeafValue) error {
	n, err := p.bits.nextNumber(1)
	if v != nil {
		v.Number = n
	}
	return err
}

// booleanRuns decodes booleans from runs (RLE).
type booleanRuns struct{ runs *runDecoder }

func newBooleanRuns(from *bufio.Reader) (valueDecoder, error) {
	if _, err := readLength(from); err != nil { // the length is not needed: the booleans end with the page
		return nil, err
	}
	return booleanRuns{newRunDecoder(from, 1)}, nil
}

func (b booleanRuns) next(v *LeafValue) error {
	n, err := b.runs.nextNumber()
	if v != nil {
		v.Number = uint64(n & 1)
	}
	return err
}

// splitDecoder decodes values of fixed width whose bytes are split into streams: first the first bytes of all values,
// then their second bytes, and so on (BYTE_STREAM_SPLIT).
type splitDecoder struct {
	leaf  *Column
	bytes []byte
	value []byte
	count int
	index int
}

func newSplitDecoder(from *bufio.Reader, leaf *Column) (valueDecoder, error) {
	all, err := io.ReadAll(io.LimitReader(from, maxSplitBytes+1))
	if err != nil {
		return nil, err
	}
	width := max(1, leaf.Length)
	switch {
	case len(all) > maxSplitBytes:
		return nil, damagedErrorf("a page as %v of more than %d bytes, the most that is read", encodingSplit, maxSplitBytes)
	case len(all)%width > 0:
		return nil, damagedErrorf("values of %d bytes in a page of %d", width, len(all))
	}
	return &splitDecoder{leaf: leaf, bytes: all, value: make([]byte, leaf.Length), count: len(all) / width}, nil
}

func (s *splitDecoder) next(v *LeafValue) error {
	if s.index == s.count {
		return io.ErrUnexpectedEOF
	}
	if v != nil {
		for i := range s.value {
			s.value[i] = s.bytes[i*s.count+s.index]
		}
		v.setBytes(s.leaf, s.value)
	}
	s.index++
	return nil
}
