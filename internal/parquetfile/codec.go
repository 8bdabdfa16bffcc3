package parquetfile

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// PageCodec is the compression method of a page.
type PageCodec int32

// The compression methods, with the format's numbers.
const (
	Uncompressed PageCodec = iota
	Snappy
	Gzip
	LZO
	Brotli
	LZ4
	Zstd
	LZ4Raw
)

var codecNames = []string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// String returns the name of the codec in the format's description.
func (c PageCodec) String() string {
	if c < 0 || int(c) >= len(codecNames) {
		return "codec " + strconv.Itoa(int(c))
	}
	return codecNames[c]
}

// checkSupported returns an error if the package cannot decompress the codec.
func (c PageCodec) checkSupported() error {
	switch c {
	case Uncompressed, Snappy, Gzip, Brotli, Zstd, LZ4Raw:
		return nil
	case LZ4:
		return fmt.Errorf("%w: it is packed by LZ4 in Hadoop's frames; write it with LZ4_RAW, ZSTD or SNAPPY", ErrForm)
	}
	return fmt.Errorf("%w: it is packed by %v; write it with ZSTD or SNAPPY", ErrForm, c)
}

// decompressor decompresses the pages of a column one after the other. It reuses its decoders.
type decompressor struct {
	codec  PageCodec
	snappy *snappyBlock
	lz4    *lz4Block
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

// openPage prepares to for the decompressed contents of a page. It reads from from the data as stored; plain means
// that these are not compressed.
func (u *decompressor) openPage(to *sizedReader, from io.Reader, plain bool) (err error) {
	if to.size == 0 { // some writers write nothing for an empty page, not even a frame
		return nil
	}
	to.codec = u.codec
	switch {
	case plain, u.codec == Uncompressed:
		to.codec, to.from = Uncompressed, from
	case u.codec == Snappy:
		if u.snappy == nil {
			u.snappy = &snappyBlock{in: bufio.NewReaderSize(from, 32<<10)}
		}
		to.from, err = u.snappy, u.snappy.reset(from, to.size)
	case u.codec == LZ4Raw:
		if u.lz4 == nil {
			u.lz4 = &lz4Block{in: bufio.NewReaderSize(from, 32<<10)}
		}
		u.lz4.reset(from)
		to.from = u.lz4
	case u.codec == Gzip:
		if u.gzip == nil {
			u.gzip = new(gzip.Reader)
		}
		to.from, err = u.gzip, u.gzip.Reset(from)
	case u.codec == Brotli:
		if u.brotli == nil {
			u.brotli = new(brotli.Reader)
		}
		to.from, err = u.brotli, u.brotli.Reset(from)
	case u.codec == Zstd:
		if u.zstd == nil {
			u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow))
		}
		if err == nil {
			to.from, err = u.zstd, u.zstd.Reset(from)
		}
	}
	return to.wrapError(err)
}

// close releases the resources of the Zstandard decoder.
func (u *decompressor) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// sizedReader reads the decompressed contents of a page. Their size must equal the size in the page's header; a read
// past that size returns an error.
type sizedReader struct {
	from       io.Reader // decompressed contents; nil after their end
	codec      PageCodec
	size, left int64   // bytes; left is what has not been read
	oneByte    [1]byte // buffer of requireEnd
}

// Read implements io.Reader.
func (e *sizedReader) Read(p []byte) (int, error) {
	switch {
	case e.from == nil:
		return 0, io.EOF
	case e.left == 0:
		return 0, e.requireEnd()
	}
	n, err := e.from.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return n, e.wrapError(err)
	}
	if e.left > 0 {
		return n, damagedErrorf("a page of %d bytes unpacks to %d", e.size, e.size-e.left)
	}
	return n, nil
}

// requireEnd checks that the decompressed contents end here. It returns io.EOF if they do.
func (e *sizedReader) requireEnd() error {
	for range 100 {
		n, err := e.from.Read(e.oneByte[:])
		switch {
		case n > 0:
			return damagedErrorf("a page of %d bytes unpacks to more", e.size)
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			e.from = nil
			return io.EOF
		case err != nil:
			return e.wrapError(err)
		}
	}
	return io.ErrNoProgress
}

// wrapError adds the codec to an error of a decoder. Errors of this package stay unchanged.
func (e *sizedReader) wrapError(err error) error {
	if err == nil || errors.Is(err, errDamaged) || errors.Is(err, ErrForm) {
		return err
	}
	return fmt.Errorf("unpack a page packed by %v: %w", e.codec, noEOF(err))
}
