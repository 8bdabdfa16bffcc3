package mllog

import (
	"bytes"
	"fmt"
	"io"
)

// AccuracyEntry is one response of the accuracy log.
type AccuracyEntry struct {
	SeqID      uint64
	QSLIndex   uint64
	Data       []byte // the payload; valid until the next entry is read
	TokenData  []byte // bytes of the first token; nil if the log has none
	TokenCount int64  // -1 if the log has none
}

// AccuracyReader reads an accuracy log entry by entry. It holds a short part of the log and the payload of one entry,
// whose limit is 256 MiB. Reading a payload takes up to three times its size. The reader accepts any white space, any
// order of an entry's fields and digits in either case.
type AccuracyReader struct {
	r          io.Reader
	buf        []byte // buf[at:] is read but not parsed
	at         int
	base       int64 // offset of buf[0] in the log
	eof        bool
	entryStart int64 // offset of the opening brace of the current entry, or noEntry
	count      int64 // entries returned
	state      accuracyState
	err        error // error that every further call returns

	data, tokenData []byte // of the last entry
}

// noEntry is the value of entryStart if no entry is being parsed.
const noEntry = -1

type accuracyState int

const (
	beforeList accuracyState = iota
	beforeFirst
	afterEntry
)

// NewAccuracyReader returns a reader of r. r need not be buffered.
func NewAccuracyReader(r io.Reader) *AccuracyReader {
	return &AccuracyReader{r: r, buf: make([]byte, 0, 256<<10), entryStart: noEntry}
}

// AccuracyError reports the position at which an accuracy log becomes unreadable.
type AccuracyError struct {
	Offset int64 // in bytes from the start
	Entry  int64 // counted from 0
	Text   string
}

func (e *AccuracyError) Error() string {
	return fmt.Sprintf("accuracy log, entry %d at byte %d: %s", e.Entry, e.Offset, e.Text)
}

// Unwrap returns ErrFormat.
func (e *AccuracyError) Unwrap() error { return ErrFormat }

// Next returns the next entry. Its bytes are valid until the next call. After the last entry it returns io.EOF. If the
// log ends before its closing bracket, like that of a crashed run, it returns an [*AccuracyError].
func (a *AccuracyReader) Next() (AccuracyEntry, error) {
	if a.err != nil {
		return AccuracyEntry{}, a.err
	}
	e, err := a.nextEntry()
	if err != nil {
		a.err = err
		return AccuracyEntry{}, err
	}
	a.count++
	return e, nil
}

func (a *AccuracyReader) nextEntry() (AccuracyEntry, error) {
	c, err := a.skipToToken()
	if err != nil {
		return AccuracyEntry{}, err
	}
	switch {
	case a.state == beforeList && c == '[':
		a.state = beforeFirst
		a.at++
		return a.nextEntry()
	case a.state == beforeList && a.count == 0 && bytes.HasPrefix(a.buf[a.at:], pointerPrefix):
		return AccuracyEntry{}, errPointer
	case a.state == beforeList:
		return AccuracyEntry{}, a.formatError("want [ at the start, found %q: not an accuracy log", c)
	case c == ']':
		a.at++
		return AccuracyEntry{}, a.checkEnd()
	case a.state == afterEntry && c == ',':
		a.at++
		if c, err = a.skipToToken(); err != nil {
			return AccuracyEntry{}, err
		}
	case a.state == afterEntry:
		return AccuracyEntry{}, a.formatError("want , or ] after an entry, found %q", c)
	}
	if c != '{' {
		return AccuracyEntry{}, a.formatError("want { at the start of an entry, found %q", c)
	}
	return a.parseEntry()
}

// skipToToken skips white space and returns the next byte, which stays at a.at.
func (a *AccuracyReader) skipToToken() (byte, error) {
	for {
		for ; a.at < len(a.buf); a.at++ {
			if c := a.buf[a.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return c, nil
			}
		}
		if err := a.readMore(); err != nil {
			return 0, err
		}
	}
}

// peekByte returns the next byte, which stays at a.at.
func (a *AccuracyReader) peekByte() (byte, error) {
	for a.at == len(a.buf) {
		if err := a.readMore(); err != nil {
			return 0, err
		}
	}
	return a.buf[a.at], nil
}

// checkEnd checks that nothing follows the list.
func (a *AccuracyReader) checkEnd() error {
	switch c, err := a.skipToToken(); {
	case a.eof && a.at == len(a.buf):
		return io.EOF
	case err != nil:
		return err
	default:
		return a.formatError("want the end of the log after ], found %q", c)
	}
}

// readMore appends further bytes to those that are not parsed yet. At the end of the log it returns an error.
func (a *AccuracyReader) readMore() error {
	if a.eof {
		at := a.logOffset()
		if a.entryStart != noEntry {
			at = a.entryStart
		}
		return a.faultAt(at, "the log ends here, without ]: the run that wrote it did not finish, or the file was cut")
	}
	if parsed := a.at - maxShown; parsed > 0 { // keep the bytes that an error may quote
		a.base += int64(parsed)
		a.buf = a.buf[:copy(a.buf, a.buf[parsed:])]
		a.at = maxShown
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

// logOffset returns the offset of a.at in the log.
func (a *AccuracyReader) logOffset() int64 { return a.base + int64(a.at) }

func (a *AccuracyReader) formatError(format string, args ...any) error {
	return a.faultAt(a.logOffset(), format, args...)
}

func (a *AccuracyReader) faultAt(offset int64, format string, args ...any) error {
	return &AccuracyError{Offset: offset, Entry: a.count, Text: fmt.Sprintf(format, args...)}
}

// shortenedMark is the text with which the submission tools replace the middle of a log.
var shortenedMark = []byte("\n...\n")

// entryError returns the error for a fault in an entry. If the log was shortened for a submission, the error says so.
func (a *AccuracyReader) entryError(format string, args ...any) error {
	a.readAhead()
	if near := a.buf[max(0, a.at-maxShown):min(len(a.buf), a.at+maxShown)]; bytes.Contains(near, shortenedMark) {
		return a.errShortened()
	}
	return a.formatError(format, args...)
}

func (a *AccuracyReader) errShortened() error {
	return a.faultAt(a.entryStart,
		"the log was shortened for a submission (it has ... in its middle): only the whole log can be read")
}

// restOfEntry returns the rest of the entry for an error message.
func (a *AccuracyReader) restOfEntry() string {
	a.readAhead()
	text, _, _ := bytes.Cut(a.buf[a.at:], []byte("}"))
	return quoteText(text)
}

// readAhead reads as much of the entry as an error message can quote.
func (a *AccuracyReader) readAhead() {
	for len(a.buf)-a.at <= maxShown && !a.eof && bytes.IndexByte(a.buf[a.at:], '}') < 0 {
		if a.readMore() != nil {
			return
		}
	}
}
