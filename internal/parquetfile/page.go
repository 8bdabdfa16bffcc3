package parquetfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// pageEncoding is the encoding of the values of a page.
type pageEncoding int32

const (
	encodingPlain           pageEncoding = 0
	encodingPlainDictionary pageEncoding = 2
	encodingRLE             pageEncoding = 3
	encodingDelta           pageEncoding = 5
	encodingDeltaLength     pageEncoding = 6
	encodingDeltaBytes      pageEncoding = 7
	encodingDictionary      pageEncoding = 8
	encodingSplit           pageEncoding = 9
)

var encodingNames = map[pageEncoding]string{
	encodingPlain: "PLAIN", 1: "GROUP_VAR_INT", encodingPlainDictionary: "PLAIN_DICTIONARY", encodingRLE: "RLE",
	4: "BIT_PACKED", encodingDelta: "DELTA_BINARY_PACKED", encodingDeltaLength: "DELTA_LENGTH_BYTE_ARRAY",
	encodingDeltaBytes: "DELTA_BYTE_ARRAY", encodingDictionary: "RLE_DICTIONARY", encodingSplit: "BYTE_STREAM_SPLIT",
}

func (e pageEncoding) String() string {
	if name := encodingNames[e]; name != "" {
		return name
	}
	return "encoding " + strconv.Itoa(int(e))
}

// The types of pages.
const (
	pageV1         = 0
	pageDictionary = 2
	pageV2         = 3
)

// pageHeader is the header of a page.
type pageHeader struct {
	kind                  int32
	rawBytes, storedBytes int32 // bytes of the page, decompressed and as stored
	crc                   int32
	hasCRC                bool // the header contains crc
	values                int32
	encoding              pageEncoding
	levelEncoding         [2]pageEncoding // of definitions and repetitions, in version 1
	levelBytes            [2]int32        // of definitions and repetitions, in version 2
	uncompressed          bool            // a page of version 2 whose values are not compressed
	hasTypeFields         bool            // the header contains the part for its kind
}

// readPageHeader reads the header of the next page.
func (r *ColumnReader) readPageHeader() (*pageHeader, error) {
	c := &thriftReader{r: r.stored, left: r.chunkLeft}
	h := &pageHeader{}
	c.readFields(0, h.readField(c))
	r.chunkLeft = c.left
	switch {
	case c.err != nil:
		return nil, fmt.Errorf("the header of a page: %w", c.err)
	case h.storedBytes < 0 || h.rawBytes < 0 || int64(h.storedBytes) > r.chunkLeft:
		return nil, damagedErrorf("a page of %d bytes, %d unpacked, where %d bytes are left", h.storedBytes, h.rawBytes,
			r.chunkLeft)
	case !h.hasTypeFields && (h.kind == pageV1 || h.kind == pageV2 || h.kind == pageDictionary):
		return nil, damagedErrorf("a page of type %d without a header for it", h.kind)
	}
	return h, nil
}

// pageTypeFields maps the fields of a page header with the parts for each type of page to these types.
var pageTypeFields = map[int]int32{5: pageV1, 7: pageDictionary, 8: pageV2}

func (h *pageHeader) readField(c *thriftReader) func(int, byte) bool {
	return func(id int, kind byte) bool {
		switch id {
		case 1:
			return readInto(c, kind, &h.kind)
		case 2:
			return readInto(c, kind, &h.rawBytes)
		case 3:
			return readInto(c, kind, &h.storedBytes)
		case 4:
			h.hasCRC = true
			return readInto(c, kind, &h.crc)
		}
		if of, ok := pageTypeFields[id]; ok && of == h.kind {
			h.hasTypeFields = true
			return c.readStruct(kind, h.readTypeFields(c))
		}
		return false
	}
}

// readTypeFields reads the part of a header for one type of page.
func (h *pageHeader) readTypeFields(c *thriftReader) func(int, byte) bool {
	return func(id int, kind byte) bool {
		switch {
		case id == 1:
			return readInto(c, kind, &h.values)
		case h.kind == pageV2 && id == 4, h.kind != pageV2 && id == 2:
			return readInto(c, kind, &h.encoding)
		case h.kind == pageV1 && (id == 3 || id == 4):
			return readInto(c, kind, &h.levelEncoding[id-3])
		case h.kind == pageV2 && (id == 5 || id == 6):
			return readInto(c, kind, &h.levelBytes[id-5])
		case h.kind == pageV2 && id == 7:
			h.uncompressed = kind == thriftFalse
			return kind == thriftTrue || kind == thriftFalse
		}
		return false
	}
}

// startValues begins the compressed part of the page. It has size bytes after decompression.
func (r *ColumnReader) startValues(plain bool, size int64) error {
	p := &r.page
	p.source = sizedReader{left: size, size: size}
	if err := r.decompressor.openPage(&p.source, p, plain); err != nil {
		return err
	}
	if p.unpacked == nil {
		p.unpacked = bufio.NewReaderSize(&p.source, 32<<10)
	} else {
		p.unpacked.Reset(&p.source)
	}
	return nil
}

// beginV1 begins a page of version 1, whose levels are compressed with its values.
func (r *ColumnReader) beginV1(h *pageHeader) (err error) {
	if err := r.startValues(false, int64(h.rawBytes)); err != nil {
		return err
	}
	if r.page.repetitions, err = r.readLevelsV1(r.leaf.Repetition, h.levelEncoding[1]); err != nil {
		return err
	}
	if r.page.definitions, err = r.readLevelsV1(r.leaf.Definition, h.levelEncoding[0]); err != nil {
		return err
	}
	return r.startPage(h)
}

// readLevelsV1 reads the levels, up to most, of a page of version 1.
func (r *ColumnReader) readLevelsV1(maxLevel int, encoding pageEncoding) (*runDecoder, error) {
	if maxLevel == 0 {
		return nil, nil
	}
	if encoding != encodingRLE {
		return nil, fmt.Errorf("%w: levels as %v", ErrForm, encoding)
	}
	n, err := readLength(r.page.unpacked)
	if err != nil {
		return nil, err
	}
	return readLevels(r.page.unpacked, n, maxLevel)
}

// beginV2 begins a page of version 2, whose levels precede the compressed values.
func (r *ColumnReader) beginV2(h *pageHeader) (err error) {
	definitions, repetitions := h.levelBytes[0], h.levelBytes[1]
	packed := int64(h.rawBytes) - int64(definitions) - int64(repetitions)
	if definitions < 0 || repetitions < 0 || packed < 0 {
		return damagedErrorf("levels of %d and %d bytes in a page of %d", repetitions, definitions, h.rawBytes)
	}
	if r.page.repetitions, err = readLevels(&r.page, int(repetitions), r.leaf.Repetition); err != nil {
		return err
	}
	if r.page.definitions, err = readLevels(&r.page, int(definitions), r.leaf.Definition); err != nil {
		return err
	}
	if err := r.startValues(h.uncompressed, packed); err != nil {
		return err
	}
	return r.startPage(h)
}

// readLevels reads levels of n bytes. It returns nil if there are none.
func readLevels(from io.Reader, n, maxLevel int) (*runDecoder, error) {
	if n > maxLevelBytes {
		return nil, fmt.Errorf("%w: levels of %d bytes in a page, want at most %d", ErrForm, n, maxLevelBytes)
	}
	levels, err := appendFrom(nil, from, n)
	if err != nil || n == 0 || maxLevel == 0 {
		return nil, err
	}
	return newRunDecoder(bytes.NewReader(levels), bitWidth(maxLevel)), nil
}

// openPage prepares the decoder for the values of a page.
func (r *ColumnReader) startPage(h *pageHeader) (err error) {
	if h.values < 0 || int64(h.values) > r.valuesLeft {
		return damagedErrorf("a page of %d values, where %d are left", h.values, r.valuesLeft)
	}
	r.valuesLeft -= int64(h.values)
	r.page.valuesLeft = int(h.values)
	r.page.values, err = r.newDecoder(h)
	if errors.Is(err, io.EOF) { // all values are null
		r.page.values, err = emptyPage{}, nil
	}
	return err
}

// emptyPage decodes a page without values.
type emptyPage struct{}

func (emptyPage) next(*LeafValue) error { return io.ErrUnexpectedEOF }

// newDecoder returns the decoder for the encoding of a page.
func (r *ColumnReader) newDecoder(h *pageHeader) (valueDecoder, error) {
	from, kind := r.page.unpacked, r.leaf.Kind
	if !h.encoding.supportsKind(kind) {
		return nil, fmt.Errorf("%w: %v as %v", ErrForm, kind, h.encoding)
	}
	switch h.encoding {
	case encodingPlain:
		return newPlainDecoder(from, r.leaf), nil
	case encodingPlainDictionary, encodingDictionary:
		return r.newIndexDecoder()
	case encodingRLE:
		return newBooleanRuns(from)
	case encodingDelta:
		return newDeltaDecoder(from, kind == Int32)
	case encodingDeltaLength:
		return newDeltaLengths(from)
	case encodingDeltaBytes:
		return newDeltaBytes(from, r.leaf)
	default: // encodingSplit
		return newSplitDecoder(from, r.leaf)
	}
}

// supportsKind reports whether the encoding can contain values of a kind.
func (e pageEncoding) supportsKind(kind PhysicalType) bool {
	switch e {
	case encodingPlain, encodingPlainDictionary, encodingDictionary:
		return true
	case encodingRLE:
		return kind == Boolean
	case encodingDelta:
		return kind == Int32 || kind == Int64
	case encodingDeltaLength:
		return kind == ByteArray
	case encodingDeltaBytes:
		return kind == ByteArray || kind == FixedByteArray
	case encodingSplit:
		return kind != Boolean && kind != ByteArray && kind != Int96
	}
	return false
}

// readLength reads the length of a plain value or of levels.
func readLength(r *bufio.Reader) (int, error) {
	b, err := r.Peek(4)
	if err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(b)
	_, _ = r.Discard(4) // Peek has read them
	return checkLength(int64(n))
}

func checkLength(n int64) (int, error) {
	if n < 0 || n > MaxValue {
		return 0, damagedErrorf("a value of %d bytes, and at most %d are read", n, MaxValue)
	}
	return int(n), nil
}

// maxGrow limits the memory that is allocated at a time for bytes that a file announces.
const maxGrow = 1 << 20

// appendFrom appends the next n bytes of r to dst.
func appendFrom(dst []byte, r io.Reader, n int) ([]byte, error) {
	for n > 0 {
		now := min(n, maxGrow)
		start := len(dst)
		dst = slices.Grow(dst, now)[:len(dst)+now]
		if _, err := io.ReadFull(r, dst[start:]); err != nil {
			return dst[:start], noEOF(err)
		}
		n -= now
	}
	return dst, nil
}
