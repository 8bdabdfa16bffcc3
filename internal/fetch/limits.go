package fetch

import (
	"cmp"
	"math"
)

// Limits bound what a download and its archive may take. Zero values mean the defaults.
type Limits struct {
	Download int64 // bytes of a download whose size the File does not give; 0: 1 TiB
	Bytes    int64 // bytes that an archive may unpack to; 0: 256 GiB
	Files    int   // files and folders that an archive may hold; 0: 4 million
}

// The defaults are above the largest official data set of the benchmarks, and below what fills a disk unnoticed.
const (
	defaultDownload = 1 << 40
	defaultBytes    = 256 << 30
	defaultFiles    = 4 << 20
)

func (l Limits) withDefaults() Limits {
	l.Download = cmp.Or(max(l.Download, 0), defaultDownload)
	l.Bytes = cmp.Or(max(l.Bytes, 0), defaultBytes)
	l.Files = cmp.Or(max(l.Files, 0), defaultFiles)
	// One byte more than a limit is read to see whether it is passed.
	l.Download, l.Bytes = min(l.Download, math.MaxInt64-1), min(l.Bytes, math.MaxInt64-1)
	return l
}
