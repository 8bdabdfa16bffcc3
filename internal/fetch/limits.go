package fetch

import (
	"cmp"
	"math"
)

// Limits restricts the size of a download and its archive. Zero values select the defaults.
type Limits struct {
	Download int64 // bytes of a download whose File has no Size; 0: 1 TiB
	Bytes    int64 // bytes after unpacking; 0: 256 GiB
	Files    int   // files and folders in an archive; 0: 4 million
}

// The defaults exceed the largest official data set and limit what can fill a disk unnoticed.
const (
	defaultDownload = 1 << 40
	defaultBytes    = 256 << 30
	defaultFiles    = 4 << 20
)

func (l Limits) withDefaults() Limits {
	l.Download = cmp.Or(max(l.Download, 0), defaultDownload)
	l.Bytes = cmp.Or(max(l.Bytes, 0), defaultBytes)
	l.Files = cmp.Or(max(l.Files, 0), defaultFiles)
	// Reading one byte above a limit shows whether the limit is exceeded.
	l.Download, l.Bytes = min(l.Download, math.MaxInt64-1), min(l.Bytes, math.MaxInt64-1)
	return l
}
