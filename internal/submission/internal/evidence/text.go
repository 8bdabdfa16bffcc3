package evidence

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// strictUTF8 reads UTF-8 and returns an error for other bytes, like Python's text files.
type strictUTF8 struct {
	r     io.Reader
	buf   []byte
	ready []byte // checked, but not returned yet
	rest  []byte // incomplete character at the end of the data
	err   error
}

// NewUTF8Reader returns a reader that reads r and fails at bytes that are not UTF-8.
func NewUTF8Reader(r io.Reader) io.Reader { return &strictUTF8{r: r, buf: make([]byte, 256<<10)} }

func (u *strictUTF8) Read(p []byte) (int, error) {
	for len(u.ready) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fillBuffer()
	}
	n := copy(p, u.ready)
	u.ready = u.ready[n:]
	return n, nil
}

func (u *strictUTF8) fillBuffer() {
	kept := copy(u.buf, u.rest)
	n, err := u.r.Read(u.buf[kept:])
	all := u.buf[:kept+n]
	u.ready, u.rest, u.err = all, nil, err
	if err == nil {
		u.ready = wholeRunes(all)
		u.rest = all[len(u.ready):]
	}
	if !utf8.Valid(u.ready) {
		u.ready, u.err = nil, ErrDiedf("UnicodeDecodeError: 'utf-8' codec can't decode the file")
	}
}

// wholeRunes returns p without an incomplete character at the end.
func wholeRunes(p []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if !utf8.RuneStart(p[len(p)-back]) {
			continue
		}
		if !utf8.FullRune(p[len(p)-back:]) {
			return p[:len(p)-back]
		}
		break
	}
	return p
}

// eachLine calls use for each line of a text file without its end. Like Python, it requires UTF-8 and accepts LF, CR LF
// and CR as line ends.
func eachLine(f *os.File, use func(i int, line string) error) error {
	r := bufio.NewReaderSize(NewUTF8Reader(f), 256<<10)
	for i := 0; ; {
		line, err := r.ReadString('\n')
		if line == "" && err != nil {
			return endOfFile(err)
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		for part := range strings.SplitSeq(line, "\r") {
			if err := use(i, part); err != nil {
				return err
			}
			i++
		}
		if err != nil {
			return endOfFile(err)
		}
	}
}

func endOfFile(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// OpenText opens a file. Its errors are those of the scripts.
func OpenText(path string) (*os.File, error) {
	f, err := bounded.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrDiedf("FileNotFoundError: [Errno 2] No such file or directory: '%s'", path)
	case err != nil:
		return nil, ErrDiedf("OSError: %v", err)
	}
	return f, nil
}

// EachFileLine calls use for each line of a file as Python reads it.
func EachFileLine(path string, use func(i int, line string) error) error {
	f, err := OpenText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, use)
}

// JoinPaths joins paths without cleaning them, because texts show them as given.
func JoinPaths(folder string, names ...string) string {
	below := filepath.Join(names...)
	if folder == "" || os.IsPathSeparator(folder[len(folder)-1]) {
		return folder + below
	}
	return folder + string(filepath.Separator) + below
}
