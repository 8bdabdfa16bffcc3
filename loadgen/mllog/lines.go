package mllog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// mostLine bounds a line: a list of 2^26 sample indices still fits.
const mostLine = 1 << 30

// lineReader gives lines without their ends and counts them.
type lineReader struct {
	r    *bufio.Reader
	long []byte
	line int
	crlf bool // a line ended with \r\n
	open bool // the last line had no end
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line, valid until the following call, or io.EOF.
func (l *lineReader) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && len(l.long) == 0:
			return l.trim(part), nil
		case err == nil || err == io.EOF && len(l.long)+len(part) > 0:
			return l.trim(append(l.long, part...)), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		if l.long = append(l.long, part...); len(l.long) > mostLine {
			return nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrFormat, l.line+1, mostLine)
		}
	}
}

// trim cuts the end of a whole line.
func (l *lineReader) trim(line []byte) []byte {
	l.line++
	rest, ended := bytes.CutSuffix(line, []byte("\n"))
	l.open = !ended
	rest, carriage := bytes.CutSuffix(rest, []byte("\r"))
	l.crlf = l.crlf || ended && carriage
	return rest
}
