// Package parquetfile reads Parquet files value by value. All readers of such files in the project use it.
//
// In scope: the physical types, encodings, compression methods and both versions of data pages that pyarrow, DuckDB,
// Polars and others write; untrusted files. A page is decompressed while it is read, so a page of hundreds of megabytes
// of pictures needs some hundred kilobytes of memory. The package does not trust the sizes that a file states: a page
// must have exactly the size in its header, and memory is limited ([MaxValue] and others).
//
// Out of scope, and refused with the feature's name: encrypted files, columns in other files, LZO, LZ4 in Hadoop's
// frames (deprecated in favour of LZ4_RAW), levels in the deprecated BIT_PACKED form, encodings that were added to the
// format later.
//
// Sources: the format's description (apache/parquet-format: README, Encodings, Compression, LogicalTypes,
// parquet.thrift), and Melnik et al. 2010 for levels.
package parquetfile

import (
	"errors"
	"fmt"
	"io"
)

// ErrForm is wrapped by errors about features that the package does not support: an encoding, a compression method,
// encryption.
var ErrForm = errors.New("not a form of Parquet that is read")

// errDamaged is wrapped by errors about files that contradict themselves.
var errDamaged = errors.New("it is damaged")

func damagedErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errDamaged, fmt.Errorf(format, args...))
}

// Limits of the memory for one file. A reader of a column needs some hundred kilobytes in addition.
const (
	MaxValue            = 256 << 20 // bytes of one value
	maxFooter           = 16 << 20  // bytes of the footer
	maxColumns          = 100_000   // columns, including structures
	maxDepth            = 64        // nested structures
	maxNameBytes        = 64 << 10  // bytes of a column's name
	maxLevelBytes       = 64 << 20  // bytes of the levels of a page, or of the lengths of its values
	maxSplitBytes       = 64 << 20  // bytes of a page in BYTE_STREAM_SPLIT
	maxDictionaryValues = 16 << 20  // values of a dictionary
	maxDecimal          = 512       // bytes of a decimal, and digits after its point
	maxWindow           = 64 << 20  // bytes of the window of a page compressed with Zstandard
)

// noEOF replaces io.EOF by io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
