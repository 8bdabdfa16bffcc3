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

// strictUTF8 reads what is UTF-8, and dies of anything else, as Python's text files do.
type strictUTF8 struct {
	r     io.Reader
	buf   []byte
	ready []byte // checked, and not yet given
	rest  []byte // the beginning of a character, at the end of what was read
	err   error
}

// UTF8Only reads r as far as it is UTF-8.
func UTF8Only(r io.Reader) io.Reader { return &strictUTF8{r: r, buf: make([]byte, 256<<10)} }

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
		u.ready, u.err = nil, Died("UnicodeDecodeError: 'utf-8' codec can't decode the file")
	}
}

// wholeRunes leaves out a character at the end that goes on in what follows.
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

// eachLine calls use for the lines of a text file, without their ends, as Python reads it: UTF-8, lines that end with
// LF, CR LF or CR.
func eachLine(f *os.File, use func(i int, line string) error) error {
	r := bufio.NewReaderSize(UTF8Only(f), 256<<10)
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

// OpenText opens a file as a script does.
func OpenText(path string) (*os.File, error) {
	f, err := bounded.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Died("FileNotFoundError: [Errno 2] No such file or directory: '%s'", path)
	case err != nil:
		return nil, Died("OSError: %v", err)
	}
	return f, nil
}

// WithLines calls use for each line of a file, as Python reads it.
func WithLines(path string, use func(i int, line string) error) error {
	f, err := OpenText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, use)
}

// Join joins paths as they are given: texts show them.
func Join(folder string, names ...string) string {
	below := filepath.Join(names...)
	if folder == "" || os.IsPathSeparator(folder[len(folder)-1]) {
		return folder + below
	}
	return folder + string(filepath.Separator) + below
}
