package mllog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine is the maximum length of a line, in bytes. A list of 2^22 sample indices fits.
const maxLine = 64 << 20

// ErrPointer is wrapped by the errors for a file that is a Git LFS pointer and not the log.
var ErrPointer = errors.New("a pointer of Git LFS, not the log")

var errPointer = fmt.Errorf("%w: fetch the file itself with git lfs pull", ErrPointer)

// pointerPrefix is the beginning of a Git LFS pointer.
var pointerPrefix = []byte("version https://git-lfs.github.com/spec/")

// IsPointer reports whether a text is a Git LFS pointer, which replaces a file that was not fetched.
func IsPointer(text []byte) bool { return bytes.HasPrefix(text, pointerPrefix) }

// lineReader returns lines without their ends and counts them.
type lineReader struct {
	r          *bufio.Reader
	longLine   []byte
	line       int
	crlf       bool // a line ended with \r\n
	endMissing bool // the last line had no end
	// squeeze omits most of a long list of numbers. A line of millions of samples then needs little memory.
	squeeze bool
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

// nextLine returns the next line, valid until the following call, or io.EOF.
func (l *lineReader) nextLine() ([]byte, error) {
	l.longLine = l.longLine[:0]
	squeeze := l.squeeze
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && len(l.longLine) == 0:
			return l.trimLine(part)
		case err == nil || err == io.EOF && len(l.longLine)+len(part) > 0:
			return l.trimLine(append(l.longLine, part...))
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		if l.longLine = append(l.longLine, part...); squeeze && len(l.longLine) > maxSqueezed {
			l.longLine, squeeze = squeezeNumbers(l.longLine)
		}
		if len(l.longLine) > maxLine {
			return nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrFormat, l.line+1, maxLine)
		}
	}
}

// maxSqueezed is the length in bytes from which a line is squeezed.
const maxSqueezed = 512 << 10

// squeezeNumbers shortens a list of numbers that continues at the end of line, and keeps the numbers at its start. ok
// is false if there is no such list.
func squeezeNumbers(line []byte) (rest []byte, ok bool) {
	const start = 64 << 10
	from := start + bytes.IndexByte(line[start:], ',')
	to := bytes.LastIndexByte(line, ',')
	if from < start || from >= to || !isNumberList(line[from+1:to]) {
		return line, false
	}
	return append(line[:from], line[to:]...), true
}

// trimLine removes the line end.
func (l *lineReader) trimLine(line []byte) ([]byte, error) {
	l.line++
	rest, ended := bytes.CutSuffix(line, []byte("\n"))
	l.endMissing = !ended
	rest, carriage := bytes.CutSuffix(rest, []byte("\r"))
	l.crlf = l.crlf || ended && carriage
	if l.line == 1 && bytes.HasPrefix(rest, pointerPrefix) {
		return nil, errPointer
	}
	return rest, nil
}
