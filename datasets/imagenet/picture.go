package imagenet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// checkers is how many pictures are looked at together: the check waits for the disk more than it computes.
const checkers = 16

// checkPictures looks at the header of each picture and returns the faults, in no order.
func checkPictures(dir string, entries []entry, o Options) []Fault {
	problems := make([]string, len(entries))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(checkers, len(entries)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries); i = int(next.Add(1)) - 1 {
				problems[i] = checkPicture(filepath.Join(dir, filepath.FromSlash(entries[i].name)), o.MaxPixels)
			}
		})
	}
	workers.Wait()
	var faults []Fault
	for i, problem := range problems {
		if problem != "" {
			faults = append(faults, Fault{entries[i].line, entries[i].name, problem})
		}
	}
	return faults
}

// checkPicture returns what is wrong with a picture file, as far as its header shows it, or "".
func checkPicture(path string, maxPixels int) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file in the data set's folder"
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular():
		return "this is no file"
	case info.Size() == 0:
		return "the file is empty"
	}
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	width, height, err := pictureSize(bufio.NewReader(f))
	return sizeProblem(width, height, err, maxPixels)
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
