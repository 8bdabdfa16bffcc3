// Package parquetfile reads Parquet files value by value. All readers of such files in the project use it.
//
// In scope: the physical types, encodings, compressions and both versions of data pages that pyarrow, DuckDB, Polars
// and others write; untrusted files. A page is decompressed while it is read, so a page of hundreds of megabytes of
// pictures needs some hundred kilobytes of memory. Sizes that a file states are not trusted: a page must have exactly
// the size in its header, and memory is limited ([MaxValue] and others).
//
// Out of scope, and refused by name: encrypted files, columns in other files, LZO, LZ4 in Hadoop's frames (deprecated
// in favour of LZ4_RAW), levels in the deprecated BIT_PACKED form, encodings that the format got later.
//
// Sources: the format's description (apache/parquet-format: README, Encodings, Compression, LogicalTypes,
// parquet.thrift), and Melnik et al. 2010 for levels.
package parquetfile

import (
	"errors"
	"fmt"
	"io"
)

// ErrForm says that a file is of a form that is not read: an encoding, a packing, an encrypted file.
var ErrForm = errors.New("not a form of Parquet that is read")

// errDamaged is a file that contradicts itself.
var errDamaged = errors.New("it is damaged")

func damagedErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errDamaged, fmt.Errorf(format, args...))
}

// Limits of what is in memory at a time, beside which a reader of a column takes some hundred kilobytes.
const (
	MaxValue      = 256 << 20 // bytes of one value
	maxFooter     = 16 << 20  // bytes of a file's footer
	maxColumns    = 100_000   // columns, structures included
	maxDepth      = 64        // structures within each other
	maxName       = 64 << 10  // bytes of a column's name
	maxLevels     = 64 << 20  // bytes of the levels of a page, and of the lengths of its values
	maxSplit      = 64 << 20  // bytes of a page whose values are split by their bytes
	maxDictionary = 16 << 20  // values of a dictionary
	maxDecimal    = 512       // bytes of a decimal, and its digits behind the point
	maxWindow     = 64 << 20  // bytes that a page packed by Zstandard refers back
)

// noEOF makes the end of a file within something an error.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
