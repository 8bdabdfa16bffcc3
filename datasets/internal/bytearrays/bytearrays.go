// Package bytearrays reads a column of a Parquet file whose values are large, such as pictures: one value after the
// other. A page of such a column may have hundreds of megabytes; of it is in memory what a value needs, and some
// hundred kilobytes.
//
// In: pages of both versions, plain or by a dictionary, which is kept in a temporary file; as they are, or packed by
// Snappy, gzip or Zstandard. Out: other encodings (ErrForm), for which a library that holds whole pages is there;
// repeated values.
package bytearrays

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// ErrForm says that pages are encoded or packed in a way that is not read here.
var ErrForm = errors.New("pages of another form")

// errDamaged is a page that contradicts itself.
var errDamaged = errors.New("it is damaged")

// Reader reads the values of one column of one row group. It belongs to one goroutine.
type Reader struct {
	level int // the definition level of a value that is not null
	codec format.CompressionCodec

	chunk  *bufio.Reader // of all pages, as they lie in the file
	left   int64         // values of pages that have not begun
	page   page
	packed unpacker
	words  *dictionary
}

// page is the one that values come from.
type page struct {
	file   *io.LimitedReader // what is left of it in the file
	sum    uint32            // of what was read of it
	want   uint32            // 0: its sum is not known
	values *bufio.Reader     // unpacked
	levels *runs             // nil: no value is null
	index  *runs             // nil: the values are plain
	left   int               // values
}

// readAhead is how much of a file is read at a time.
const readAhead = 256 << 10

// Open begins to read column column of row group group. The error is ErrForm where the library has to.
func Open(f io.ReaderAt, file *parquet.File, group int, column *parquet.Column) (*Reader, error) {
	if column.MaxRepetitionLevel() > 0 || column.Type().Kind() != parquet.ByteArray {
		return nil, fmt.Errorf("%w: column %v", ErrForm, column)
	}
	of := &file.Metadata().RowGroups[group].Columns[column.Index()]
	meta := &of.MetaData
	if !packings[meta.Codec] || of.FilePath != "" {
		return nil, fmt.Errorf("%w: packed by %v", ErrForm, meta.Codec)
	}
	for _, encoding := range meta.Encoding {
		if !encodings[encoding] {
			return nil, fmt.Errorf("%w: %v", ErrForm, encoding)
		}
	}
	start := meta.DataPageOffset
	if at := meta.DictionaryPageOffset; at > 0 {
		start = min(start, at)
	}
	chunk := io.NewSectionReader(f, start, meta.TotalCompressedSize)
	return &Reader{
		level: column.MaxDefinitionLevel(), codec: meta.Codec, left: meta.NumValues,
		chunk: bufio.NewReaderSize(chunk, readAhead),
	}, nil
}

// encodings are those of levels and of values that are read.
var encodings = map[format.Encoding]bool{
	format.Plain: true, format.PlainDictionary: true, format.RLEDictionary: true, format.RLE: true,
	format.BitPacked: true, // old files name it for levels that they do not have
}

// Close gives back the file of a dictionary.
func (r *Reader) Close() error {
	r.packed.close()
	return r.words.close()
}

// Next appends the next value; a null appends nothing. At the end the error is io.EOF.
func (r *Reader) Next(dst []byte) ([]byte, error) { return r.next(dst, true) }

// Skip passes over values. The error is io.ErrUnexpectedEOF where there are fewer.
func (r *Reader) Skip(n int) error {
	for range n {
		if _, err := r.next(nil, false); err != nil {
			return noEOF(err)
		}
	}
	return nil
}

func (r *Reader) next(dst []byte, wanted bool) ([]byte, error) {
	for r.page.left == 0 {
		if err := r.nextPage(); err != nil {
			return dst, err
		}
	}
	r.page.left--
	if levels := r.page.levels; levels != nil {
		level, err := levels.next()
		if err != nil || int(level) != r.level {
			return dst, noEOF(err)
		}
	}
	dst, err := r.value(dst, wanted)
	return dst, noEOF(err)
}

// value appends a value that is there, or passes over it.
func (r *Reader) value(dst []byte, wanted bool) ([]byte, error) {
	if r.page.index != nil {
		i, err := r.page.index.next()
		if err != nil || !wanted {
			return dst, err
		}
		return r.words.at(dst, int(i))
	}
	n, err := length(r.page.values)
	if err != nil {
		return dst, err
	}
	if !wanted {
		_, err := r.page.values.Discard(n)
		return dst, err
	}
	return appendFrom(dst, r.page.values, n)
}

// length reads that of a plain value.
func length(r io.Reader) (int, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > 1<<31-1 {
		return 0, fmt.Errorf("%w: a value of %d bytes", errDamaged, n)
	}
	return int(n), nil
}

// step is how much memory is taken for bytes that a file promises, before some of them are there.
const step = 1 << 20

// appendFrom appends the next n bytes.
func appendFrom(dst []byte, r io.Reader, n int) ([]byte, error) {
	for n > 0 {
		now := min(n, step)
		start := len(dst)
		dst = slices.Grow(dst, now)[:len(dst)+now]
		if _, err := io.ReadFull(r, dst[start:]); err != nil {
			return dst[:start], err
		}
		n -= now
	}
	return dst, nil
}

// noEOF makes the end of a file within something an error.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// nextPage ends the present page and begins the next one; a dictionary is read.
func (r *Reader) nextPage() error {
	if err := r.page.end(); err != nil {
		return err
	}
	if r.left == 0 {
		return io.EOF
	}
	h, err := r.header()
	if err != nil {
		return err
	}
	r.page = page{file: &io.LimitedReader{R: r.chunk, N: int64(h.CompressedPageSize)}, want: uint32(h.CRC),
		values: r.page.values}
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		err = r.beginV1(&h.DataPageHeader.V)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		err = r.beginV2(&h.DataPageHeaderV2.V)
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		err = r.readDictionary(int(h.DictionaryPageHeader.V.NumValues))
	}
	return noEOF(err)
}

// header reads that of a page. One that is larger than what is read ahead, by statistics, is ErrForm.
func (r *Reader) header() (h format.PageHeader, err error) {
	ahead, err := r.chunk.Peek(readAhead)
	if err != nil && (!errors.Is(err, io.EOF) || len(ahead) == 0) {
		return h, noEOF(err)
	}
	from := (&thrift.CompactProtocol{}).NewReaderFromBytes(ahead)
	switch err = thrift.NewDecoder(from).Decode(&h); {
	case err != nil && len(ahead) == readAhead:
		return h, fmt.Errorf("%w: a header of more than %d bytes, or damaged: %w", ErrForm, readAhead, err)
	case err != nil:
		return h, noEOF(fmt.Errorf("the header of a page: %w", err))
	case h.CompressedPageSize < 0:
		return h, fmt.Errorf("%w: a page of %d bytes", errDamaged, h.CompressedPageSize)
	}
	_, err = r.chunk.Discard(from.BytesRead())
	return h, err
}

// Read reads the page as it lies in the file, and sums it up where that is wanted.
func (p *page) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	if p.want != 0 {
		p.sum = crc32.Update(p.sum, crc32.IEEETable, b[:n])
	}
	return n, err
}

// end passes over what is left of a page, and compares its sum.
func (p *page) end() error {
	if p.file == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, p); err != nil {
		return err
	}
	switch {
	case p.file.N > 0:
		return io.ErrUnexpectedEOF
	case p.sum != p.want && p.want != 0:
		return fmt.Errorf("%w: a page has the CRC %#08x, and its header %#08x", errDamaged, p.sum, p.want)
	}
	p.file = nil
	return nil
}

// unpack begins the packed part of the page.
func (r *Reader) unpack(codec format.CompressionCodec) error {
	from, err := r.packed.open(codec, &r.page)
	if err != nil {
		return err
	}
	if r.page.values == nil {
		r.page.values = bufio.NewReaderSize(from, 64<<10)
	} else {
		r.page.values.Reset(from)
	}
	return nil
}

// beginV1 begins a page whose levels are packed with its values.
func (r *Reader) beginV1(h *format.DataPageHeader) error {
	if err := r.unpack(r.codec); err != nil {
		return err
	}
	if r.level > 0 {
		if h.DefinitionLevelEncoding != format.RLE {
			return fmt.Errorf("%w: levels as %v", ErrForm, h.DefinitionLevelEncoding)
		}
		n, err := length(r.page.values)
		if err != nil {
			return err
		}
		if err := r.readLevels(r.page.values, n); err != nil {
			return err
		}
	}
	return r.begin(int(h.NumValues), h.Encoding)
}

// beginV2 begins a page whose levels lie before what is packed.
func (r *Reader) beginV2(h *format.DataPageHeaderV2) error {
	if h.RepetitionLevelsByteLength < 0 || h.DefinitionLevelsByteLength < 0 {
		return fmt.Errorf("%w: levels of %d and %d bytes", errDamaged, h.RepetitionLevelsByteLength,
			h.DefinitionLevelsByteLength)
	}
	if _, err := io.CopyN(io.Discard, &r.page, int64(h.RepetitionLevelsByteLength)); err != nil {
		return err
	}
	if err := r.readLevels(&r.page, int(h.DefinitionLevelsByteLength)); err != nil {
		return err
	}
	if r.level == 0 || h.DefinitionLevelsByteLength == 0 {
		r.page.levels = nil
	}
	codec := r.codec
	if h.IsCompressed.Valid && !h.IsCompressed.V {
		codec = format.Uncompressed
	}
	if err := r.unpack(codec); err != nil {
		return err
	}
	return r.begin(int(h.NumValues), h.Encoding)
}

func (r *Reader) readLevels(from io.Reader, n int) error {
	levels, err := appendFrom(nil, from, n)
	r.page.levels = newRuns(bytes.NewReader(levels), widthOf(r.level))
	return err
}

// begin makes the page one of n values.
func (r *Reader) begin(n int, encoding format.Encoding) error {
	if n < 0 || int64(n) > r.left {
		return fmt.Errorf("%w: a page of %d values, where %d are left", errDamaged, n, r.left)
	}
	r.left -= int64(n)
	r.page.left = n
	switch encoding {
	case format.Plain:
		return nil
	case format.PlainDictionary, format.RLEDictionary:
		if r.words == nil {
			return fmt.Errorf("%w: a page of indices without a dictionary before it", errDamaged)
		}
		width, err := r.page.values.ReadByte()
		if errors.Is(err, io.EOF) { // all values are null
			return nil
		}
		if width > 32 {
			return fmt.Errorf("%w: indices of %d bits", errDamaged, width)
		}
		r.page.index = newRuns(r.page.values, uint(width))
		return err
	}
	return fmt.Errorf("%w: values as %v", ErrForm, encoding)
}

func (r *Reader) readDictionary(n int) (err error) {
	if r.words != nil {
		return fmt.Errorf("%w: a second dictionary", errDamaged)
	}
	if err := r.unpack(r.codec); err != nil {
		return err
	}
	if r.words, err = newDictionary(); err != nil {
		return err
	}
	return r.words.read(r.page.values, n)
}
