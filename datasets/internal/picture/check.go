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

// checkers is how many pictures are looked at together: a check waits for the disk more than it computes.
const checkers = 16

// ForEach calls do for 0 to n-1, from up to 16 goroutines, and returns when all calls have.
func ForEach(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(checkers, n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// MaxBytes is the size up to which the file of a picture is read: one of 100 million pixels that
// hardly compress has less.
const MaxBytes = 512 << 20

// CheckFile returns the size in pixels of a picture file and what is wrong with it, as far as its header shows it, or
// "". A picture of more than maxPixels is wrong, unless maxPixels is 0.
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
