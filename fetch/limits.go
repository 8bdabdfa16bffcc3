package fetch

import "math"

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
	if l.Download <= 0 {
		l.Download = defaultDownload
	}
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Files <= 0 {
		l.Files = defaultFiles
	}
	// One byte more than a limit is read to see whether it is passed.
	l.Download, l.Bytes = min(l.Download, math.MaxInt64-1), min(l.Bytes, math.MaxInt64-1)
	return l
}
