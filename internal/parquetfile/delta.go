package parquetfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// deltaDecoder decodes integers from differences between neighbours (DELTA_BINARY_PACKED). The differences are in
// blocks. A block states its smallest difference, and its miniblocks have individual bit widths.
type deltaDecoder struct {
	deltaHeader
	narrow        bool   // 32-bit integers
	minDelta      int64  // smallest difference of the current block
	widths        []byte // bit widths of the miniblocks of the current block
	miniblock     int    // index of the current miniblock
	miniblockLeft int    // values of the current miniblock that are left
	packed        bitReader
}

// deltaHeader is the header of a sequence of such integers.
type deltaHeader struct {
	block, miniblocks, perMiniblock int   // values of a block, miniblocks of a block, values of a miniblock
	left                            int64 // values that have not been returned
	value                           int64 // the first value, later the last returned value
	begun                           bool  // the first value was returned
}

// readDeltaHeader reads and checks a header.
func readDeltaHeader(from io.ByteReader) (h deltaHeader, err error) {
	var n [3]uint64
	for i := range n {
		if n[i], err = binary.ReadUvarint(from); err != nil {
			return h, err
		}
	}
	if n[0] == 0 || n[0] > 1<<20 || n[1] == 0 || n[1] > n[0] || n[0]%n[1] > 0 || n[0]/n[1]%8 > 0 || n[2] > math.MaxInt32 {
		return h, damagedErrorf("%d differences in blocks of %d with %d parts", n[2], n[0], n[1])
	}
	h = deltaHeader{block: int(n[0]), miniblocks: int(n[1]), perMiniblock: int(n[0] / n[1]), left: int64(n[2])}
	h.value, err = binary.ReadVarint(from)
	return h, err
}

func newDeltaDecoder(from io.ByteReader, narrow bool) (*deltaDecoder, error) {
	head, err := readDeltaHeader(from)
	if err != nil {
		return nil, err
	}
	return &deltaDecoder{deltaHeader: head, narrow: narrow, packed: bitReader{from: from}, miniblock: head.miniblocks}, nil
}

func (d *deltaDecoder) next(v *LeafValue) error {
	n, err := d.nextInt()
	if v != nil {
		v.Number = uint64(n)
	}
	return err
}

// nextInt returns the next integer.
func (d *deltaDecoder) nextInt() (int64, error) {
	if d.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.value, nil
	}
	if d.miniblockLeft == 0 {
		if err := d.nextMiniblock(); err != nil {
			return 0, err
		}
	}
	d.miniblockLeft--
	more, err := d.packed.nextNumber(uint(d.widths[d.miniblock]))
	if err != nil {
		return 0, noEOF(err)
	}
	d.value += d.minDelta + int64(more)
	if d.narrow {
		d.value = int64(int32(d.value))
	}
	return d.value, nil
}

// nextMiniblock begins the next miniblock, in the next block if the current one is complete.
func (d *deltaDecoder) nextMiniblock() (err error) {
	if d.miniblock++; d.miniblock >= d.miniblocks {
		d.miniblock = 0
		if d.minDelta, d.widths, err = readBlockHeader(d.packed.from, d.widths[:0], d.miniblocks); err != nil {
			return err
		}
	}
	d.miniblockLeft = d.perMiniblock
	d.packed.dropBits()
	return nil
}

// readBlockHeader reads the header of a block: its smallest difference and the bit widths of its miniblocks.
func readBlockHeader(from io.ByteReader, widths []byte, parts int) (int64, []byte, error) {
	minDelta, err := binary.ReadVarint(from)
	for i := 0; i < parts && err == nil; i++ {
		var width byte
		if width, err = from.ReadByte(); width > 64 {
			err = damagedErrorf("differences of %d bits", width)
		}
		widths = append(widths, width)
	}
	return minDelta, widths, noEOF(err)
}

// bufferDeltas reads differences to their end into memory. It is necessary for lengths that precede their byte arrays.
func bufferDeltas(from *bufio.Reader) (*deltaDecoder, error) {
	k := &byteRecorder{from: from}
	head, err := readDeltaHeader(k)
	if err != nil {
		return nil, err
	}
	var widths []byte
	for left := head.left - 1; left > 0; left -= int64(head.block) {
		if _, widths, err = readBlockHeader(k, widths[:0], head.miniblocks); err != nil {
			return nil, err
		}
		for part := 0; part < head.miniblocks && int64(part*head.perMiniblock) < left; part++ {
			if err := k.recordBytes(head.perMiniblock / 8 * int(widths[part])); err != nil {
				return nil, err
			}
		}
	}
	return newDeltaDecoder(bytes.NewReader(k.bytes), true)
}

// byteRecorder records the bytes that are read through it.
type byteRecorder struct {
	from  *bufio.Reader
	bytes []byte
}

// ReadByte implements io.ByteReader.
func (k *byteRecorder) ReadByte() (byte, error) {
	b, err := k.from.ReadByte()
	if err == nil && len(k.bytes) >= maxLevelBytes {
		err = fmt.Errorf("%w: lengths of more than %d bytes in a page", ErrForm, maxLevelBytes)
	}
	k.bytes = append(k.bytes, b)
	return b, err
}

// recordBytes records the next n bytes.
func (k *byteRecorder) recordBytes(n int) (err error) {
	if len(k.bytes)+n > maxLevelBytes {
		return fmt.Errorf("%w: lengths of more than %d bytes in a page", ErrForm, maxLevelBytes)
	}
	k.bytes, err = appendFrom(k.bytes, k.from, n)
	return err
}

// deltaLengths decodes byte arrays that follow their lengths (DELTA_LENGTH_BYTE_ARRAY).
type deltaLengths struct {
	lengths *deltaDecoder
	from    *bufio.Reader
}

func newDeltaLengths(from *bufio.Reader) (*deltaLengths, error) {
	lengths, err := bufferDeltas(from)
	return &deltaLengths{lengths, from}, err
}

func (d *deltaLengths) next(v *LeafValue) error {
	n, err := d.lengths.nextSize()
	if err != nil {
		return err
	}
	if v == nil {
		_, err = d.from.Discard(n)
		return err
	}
	v.Bytes, err = appendFrom(v.Bytes[:0], d.from, n)
	return err
}

// nextSize returns the next integer as a number of bytes.
func (d *deltaDecoder) nextSize() (int, error) {
	n, err := d.nextInt()
	if err != nil {
		return 0, err
	}
	return checkLength(n)
}

// deltaBytes decodes byte arrays from the number of bytes that each shares with the beginning of the previous one, and
// the remaining bytes (DELTA_BYTE_ARRAY).
type deltaBytes struct {
	prefixLengths *deltaDecoder
	suffixes      *deltaLengths
	value         []byte // the last returned value
	leaf          *Column
}

func newDeltaBytes(from *bufio.Reader, leaf *Column) (valueDecoder, error) {
	shared, err := bufferDeltas(from)
	if err != nil {
		return nil, err
	}
	rest, err := newDeltaLengths(from)
	return &deltaBytes{prefixLengths: shared, suffixes: rest, leaf: leaf}, err
}

func (d *deltaBytes) next(v *LeafValue) error {
	n, err := d.prefixLengths.nextSize()
	if err != nil {
		return err
	}
	if n > len(d.value) {
		return damagedErrorf("a value shares %d bytes with one of %d", n, len(d.value))
	}
	more, err := d.suffixes.lengths.nextSize()
	if err == nil {
		_, err = checkLength(int64(n + more))
	}
	if err != nil {
		return err
	}
	if d.value, err = appendFrom(d.value[:n], d.suffixes.from, more); err != nil {
		return err
	}
	if d.leaf.Kind == FixedByteArray && n+more != d.leaf.Length {
		return damagedErrorf("a value of %d bytes, where all have %d", n+more, d.leaf.Length)
	}
	if v != nil {
		v.Bytes = append(v.Bytes[:0], d.value...)
	}
	return nil
}
