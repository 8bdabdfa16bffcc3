package bytearrays

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// packings are those that can be unpacked as they are read.
var packings = map[format.CompressionCodec]bool{
	format.Uncompressed: true, format.Snappy: true, format.Gzip: true, format.Zstd: true,
}

// unpacker unpacks one page after the other, in the same memory.
type unpacker struct {
	snappy *snappy
	gzip   *gzip.Reader
	zstd   *zstd.Decoder
}

// mostWindow is how far back a page packed by Zstandard may refer.
const mostWindow = 64 << 20

// open returns what is packed in a page.
func (u *unpacker) open(codec format.CompressionCodec, from io.Reader) (_ io.Reader, err error) {
	switch codec {
	case format.Uncompressed:
		return from, nil
	case format.Snappy:
		if u.snappy == nil {
			u.snappy = &snappy{in: bufio.NewReaderSize(from, 32<<10)}
		}
		return u.snappy, u.snappy.reset(from)
	case format.Gzip:
		if u.gzip == nil {
			u.gzip, err = gzip.NewReader(from)
			return u.gzip, err
		}
		return u.gzip, u.gzip.Reset(from)
	case format.Zstd:
		if u.zstd == nil {
			u.zstd, err = zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(mostWindow))
			return u.zstd, err
		}
		return u.zstd, u.zstd.Reset(from)
	}
	return nil, fmt.Errorf("%w: packed by %v", ErrForm, codec)
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
