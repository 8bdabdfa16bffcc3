package parquetfile

import (
	"bufio"
	"errors"
	"hash/crc32"
	"io"
)

// LeafValue is a value of a leaf, or a null, with its levels.
type LeafValue struct {
	Repetition int // 0: the value begins a row
	Definition int // if it is below the column's, the level at which the value is missing
	Null       bool
	Number     uint64 // Boolean: 0 or 1; integers, sign-extended; the bits of Float and Double
	Bytes      []byte // value of the other types; valid until the reader's next value
}

// ColumnReader reads the values of one leaf in one row group. Only one goroutine may use it.
type ColumnReader struct {
	leaf         *Column
	decompressor decompressor

	stored     *bufio.Reader // all pages as stored in the file
	chunkLeft  int64         // bytes of the chunk that have not been read
	valuesLeft int64         // values of pages that have not begun
	page       currentPage
	dictionary *valueDictionary

	value  LeafValue
	peeked bool // value was read but not taken
}

// currentPage is the page from which values are read.
type currentPage struct {
	file         io.LimitedReader // unread bytes of the page as stored
	begun        bool
	crc, wantCRC uint32        // CRC of the bytes read, and CRC in the header
	hasCRC       bool          // the header contains a CRC
	unpacked     *bufio.Reader // decompressed contents
	source       sizedReader   // source of unpacked
	repetitions  *runDecoder   // nil: all are 0
	definitions  *runDecoder   // nil: all values are defined
	values       valueDecoder
	valuesLeft   int // values that have not been read
}

// valueDecoder decodes the values of a page, without nulls.
type valueDecoder interface {
	// next reads the next value. If v is nil, it skips the value.
	next(v *LeafValue) error
}

// readAhead is the size of a read from the file, in bytes.
const readAhead = 128 << 10

func newColumnReader(from *io.SectionReader, leaf *Column, chunk *columnChunk) *ColumnReader {
	return &ColumnReader{leaf: leaf, decompressor: decompressor{codec: chunk.codec}, stored: bufio.NewReaderSize(from,
		readAhead),
		chunkLeft: chunk.compressedBytes, valuesLeft: chunk.values}
}

// Close releases the reader's resources.
func (r *ColumnReader) Close() error {
	r.decompressor.close()
	return r.dictionary.close()
}

// Peek returns the next value without taking it. At the end it returns io.EOF.
func (r *ColumnReader) Peek() (*LeafValue, error) {
	if !r.peeked {
		if err := r.next(&r.value); err != nil {
			return nil, err
		}
		r.peeked = true
	}
	return &r.value, nil
}

// Next takes the next value, which is valid until the following value is read. At the end it returns io.EOF.
func (r *ColumnReader) Next() (*LeafValue, error) {
	v, err := r.Peek()
	r.peeked = false
	return v, err
}

// SkipRows skips rows. It returns io.ErrUnexpectedEOF if there are fewer.
func (r *ColumnReader) SkipRows(rows int) error {
	for rows > 0 {
		if err := r.skipValue(); err != nil {
			return noEOF(err)
		}
		if r.leaf.Repetition == 0 {
			rows--
			continue
		}
		switch v, err := r.Peek(); {
		case err != nil && (rows > 1 || !errors.Is(err, io.EOF)):
			return noEOF(err)
		case err != nil || v.Repetition == 0:
			rows--
		}
	}
	return nil
}

// skipValue skips a value.
func (r *ColumnReader) skipValue() error {
	if r.peeked {
		r.peeked = false
		return nil
	}
	return r.next(nil)
}

func (r *ColumnReader) next(v *LeafValue) error {
	for r.page.valuesLeft == 0 {
		if err := r.nextPage(); err != nil {
			return err
		}
	}
	r.page.valuesLeft--
	repetition, definition, err := r.nextLevels()
	if err != nil {
		return noEOF(err)
	}
	null := definition < r.leaf.Definition
	if v != nil {
		v.Repetition, v.Definition, v.Null, v.Number = repetition, definition, null, 0
	}
	if null {
		if v != nil {
			v.Bytes = v.Bytes[:0]
		}
		return nil
	}
	return noEOF(r.page.values.next(v))
}

func (r *ColumnReader) nextLevels() (repetition, definition int, err error) {
	definition = r.leaf.Definition
	if of := r.page.repetitions; of != nil {
		if repetition, err = nextLevel(of, r.leaf.Repetition); err != nil {
			return 0, 0, err
		}
	}
	if of := r.page.definitions; of != nil {
		definition, err = nextLevel(of, r.leaf.Definition)
	}
	return repetition, definition, err
}

func nextLevel(levels *runDecoder, maxLevel int) (int, error) {
	n, err := levels.nextNumber()
	if err == nil && int64(n) > int64(maxLevel) {
		err = damagedErrorf("a level of %d, where %d is the most", n, maxLevel)
	}
	return int(n), err
}

// nextPage ends the current page and begins the next one. If that is a dictionary page, it reads the dictionary.
func (r *ColumnReader) nextPage() error {
	if err := r.endPage(); err != nil {
		return err
	}
	if r.valuesLeft == 0 {
		return io.EOF
	}
	h, err := r.readPageHeader()
	if err != nil {
		return noEOF(err)
	}
	r.chunkLeft -= int64(h.storedBytes)
	r.page = currentPage{begun: true, file: io.LimitedReader{R: r.stored, N: int64(h.storedBytes)}, wantCRC: uint32(h.crc),
		hasCRC: h.hasCRC, unpacked: r.page.unpacked}
	switch h.kind {
	case pageV1:
		err = r.beginV1(h)
	case pageV2:
		err = r.beginV2(h)
	case pageDictionary:
		err = r.readDictionary(h)
	}
	return noEOF(err)
}

// Read reads the page as stored in the file, and updates its CRC if the header contains one.
func (p *currentPage) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	if p.hasCRC {
		p.crc = crc32.Update(p.crc, crc32.IEEETable, b[:n])
	}
	return n, err
}

// endPage skips the rest of a page and checks its size and its CRC.
func (r *ColumnReader) endPage() error {
	p := &r.page
	if !p.begun {
		return nil
	}
	if p.source.from != nil {
		if _, err := io.Copy(io.Discard, &p.source); err != nil {
			return noEOF(err)
		}
	}
	if _, err := io.Copy(io.Discard, p); err != nil {
		return noEOF(err)
	}
	switch {
	case p.file.N > 0:
		return io.ErrUnexpectedEOF
	case p.crc != p.wantCRC && p.hasCRC:
		return damagedErrorf("a page has the CRC %#08x, and its header %#08x", p.crc, p.wantCRC)
	}
	p.begun = false
	return nil
}
