package picture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// maxParallelChecks is the number of pictures checked in parallel. It exceeds the number of processors, because a check
// mostly waits for the disk.
const maxParallelChecks = 16

// ForEach calls do for 0 to n-1 from up to 16 goroutines, and returns after all calls have returned.
func ForEach(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(maxParallelChecks, n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// MaxBytes limits the size of a picture file. A picture of 100 million pixels that hardly compress is smaller.
const MaxBytes = 512 << 20

// CheckFile reads the header of a picture file and returns the size in pixels. problem describes what is wrong, or is
// "". More than maxPixels pixels are a problem, unless maxPixels is 0.
func CheckFile(path string, maxPixels int) (width, height int, problem string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, 0, "there is no such file in the data set's folder"
	case err != nil:
		return 0, 0, err.Error()
	case !info.Mode().IsRegular():
		return 0, 0, "this is not a file"
	case info.Size() == 0:
		return 0, 0, "the file is empty"
	case info.Size() > MaxBytes:
		return 0, 0, fmt.Sprintf("the file has %d bytes, want at most %d", info.Size(), MaxBytes)
	}
	f, err := bounded.Open(path)
	if err != nil {
		return 0, 0, err.Error()
	}
	defer func() { _ = f.Close() }()
	width, height, err = HeaderSize(bufio.NewReader(f))
	return width, height, sizeProblem(width, height, err, maxPixels)
}

func sizeProblem(width, height int, err error, maxPixels int) string {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the file ends within its header: it is truncated"
	case err != nil:
		return err.Error()
	case width <= 0 || height <= 0:
		return fmt.Sprintf("a picture of %d x %d pixels", width, height)
	case maxPixels > 0 && width > maxPixels/height:
		return fmt.Sprintf("a picture of %d x %d pixels, want at most %d pixels", width, height, maxPixels)
	}
	return ""
}
