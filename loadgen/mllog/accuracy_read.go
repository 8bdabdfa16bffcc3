package mllog

import (
	"bytes"
	"fmt"
	"io"
)

// AccuracyReader reads an accuracy log entry by entry, in a buffer as large as the largest entry. White space and the
// order of an entry's fields are free; the payload's digits may be of either case.
type AccuracyReader struct {
	r     io.Reader
	buf   []byte // what was read and not parsed is buf[at:]
	at    int
	base  int64 // offset of buf[0] in the log
	eof   bool
	count int64 // entries returned
	state accuracyState
	err   error // what every further call returns
}

type accuracyState int

const (
	beforeList accuracyState = iota
	beforeFirst
	afterEntry
)

// NewAccuracyReader reads from r, which needs no buffer.
func NewAccuracyReader(r io.Reader) *AccuracyReader {
	return &AccuracyReader{r: r, buf: make([]byte, 0, 256<<10)}
}

// AccuracyError is an accuracy log that cannot be read further.
type AccuracyError struct {
	Offset int64 // in bytes from the start
	Entry  int64 // counted from 0
	Text   string
}

func (e *AccuracyError) Error() string {
	return fmt.Sprintf("accuracy log, entry %d at byte %d: %s", e.Entry, e.Offset, e.Text)
}

// Unwrap makes errors.Is(err, ErrFormat) hold.
func (e *AccuracyError) Unwrap() error { return ErrFormat }

// Next returns the next entry; its bytes are valid until the next call. After the last it returns io.EOF; a log that
// ends before its closing bracket, as one of a run that died does, is an [*AccuracyError].
func (a *AccuracyReader) Next() (AccuracyEntry, error) {
	if a.err != nil {
		return AccuracyEntry{}, a.err
	}
	e, err := a.next()
	if err != nil {
		a.err = err
		return AccuracyEntry{}, err
	}
	a.count++
	return e, nil
}

func (a *AccuracyReader) next() (AccuracyEntry, error) {
	c, err := a.token()
	if err != nil {
		return AccuracyEntry{}, err
	}
	switch {
	case a.state == beforeList && c == '[':
		a.state = beforeFirst
		a.at++
		return a.next()
	case a.state == beforeList:
		return AccuracyEntry{}, a.fault("want [ at the start, found %q: not an accuracy log", c)
	case c == ']':
		a.at++
		return AccuracyEntry{}, a.end()
	case a.state == afterEntry && c == ',':
		a.at++
		if c, err = a.token(); err != nil {
			return AccuracyEntry{}, err
		}
	case a.state == afterEntry:
		return AccuracyEntry{}, a.fault("want , or ] after an entry, found %q", c)
	}
	if c != '{' {
		return AccuracyEntry{}, a.fault("want { at the start of an entry, found %q", c)
	}
	return a.entry()
}

// token skips white space and returns the byte it stops at.
func (a *AccuracyReader) token() (byte, error) {
	for {
		for ; a.at < len(a.buf); a.at++ {
			if c := a.buf[a.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return c, nil
			}
		}
		if err := a.more(); err != nil {
			return 0, err
		}
	}
}

// end checks that nothing follows the list.
func (a *AccuracyReader) end() error {
	switch c, err := a.token(); {
	case a.eof && a.at == len(a.buf):
		return io.EOF
	case err != nil:
		return err
	default:
		return a.fault("want the end of the log after ], found %q", c)
	}
}

// entry parses the entry at a.at, which it first reads to its end: no field holds a brace.
func (a *AccuracyReader) entry() (AccuracyEntry, error) {
	from := a.at + 1
	for {
		if i := bytes.IndexByte(a.buf[from:], '}'); i >= 0 {
			body := a.buf[a.at+1 : from+i]
			e, used, fault := parseAccuracy(body)
			if fault != "" && bytes.Contains(body, []byte("\n...\n")) {
				return e, a.fault("the log was shortened for a submission (it has ... in its middle): only the whole log can be read")
			}
			if fault != "" {
				a.at += 1 + used
				return e, a.fault("%s", fault)
			}
			a.at = from + i + 1
			a.state = afterEntry
			return e, nil
		}
		seen := len(a.buf) - a.at
		if err := a.more(); err != nil {
			return AccuracyEntry{}, err
		}
		from = a.at + seen
	}
}

// more reads further bytes behind those that are not parsed yet. At the end of the log it returns an error.
func (a *AccuracyReader) more() error {
	if a.eof {
		return a.fault("the log ends here, without ]: the run that wrote it did not finish, or the file was cut")
	}
	if a.at > 0 {
		a.base += int64(a.at)
		a.buf = a.buf[:copy(a.buf, a.buf[a.at:])]
		a.at = 0
	}
	if len(a.buf) == cap(a.buf) {
		a.buf = append(a.buf, make([]byte, len(a.buf))...)[:len(a.buf)]
	}
	n, err := a.r.Read(a.buf[len(a.buf):cap(a.buf)])
	a.buf = a.buf[:len(a.buf)+n]
	if err == io.EOF {
		a.eof = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("accuracy log, byte %d: %w", a.base+int64(len(a.buf)), err)
	}
	return nil
}

func (a *AccuracyReader) fault(format string, args ...any) error {
	return &AccuracyError{Offset: a.base + int64(a.at), Entry: a.count, Text: fmt.Sprintf(format, args...)}
}
