package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Options determine how a Writer shows text.
type Options struct {
	// Columns returns the width at which lines are broken between words. It is called for each line. Lines are not
	// broken if it is nil or returns 0 or less.
	Columns func() int
	// Colour shows styles.
	Colour bool
}

// Writer writes text with escapes (see EscapeText), breaks lines to the width, and shows styles on request. If lines
// are broken, an unfinished line is kept until its end or Flush. A character may be split between two calls of Write.
// The methods are safe for concurrent use.
type Writer struct {
	to io.Writer
	o  Options

	mu      sync.Mutex
	partial []byte // beginning of a character
	line    string // unfinished line, if lines are broken
	written int64  // bytes written
	err     error  // the first error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer, o Options) *Writer { return &Writer{to: w, o: o} }

// WriterTo returns w itself if it is a Writer. Otherwise it returns a Writer that neither breaks lines nor shows
// styles.
func WriterTo(w io.Writer) *Writer {
	if own, ok := w.(*Writer); ok {
		return own
	}
	return NewWriter(w, Options{})
}

// SetColour turns styles on or off.
func (w *Writer) SetColour(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.o.Colour = on
}

// Columns returns the width of lines, or 0 if it is unlimited.
func (w *Writer) Columns() int {
	if w.o.Columns == nil {
		return 0
	}
	return max(0, w.o.Columns())
}

// WithColumns returns a Writer to the same place with another width.
func (w *Writer) WithColumns(columns int) *Writer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return NewWriter(w.to, Options{Columns: func() int { return columns }, Colour: w.o.Colour})
}

// Write implements io.Writer.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := append(w.partial, text...)
	end := len(whole) - unfinishedBytes(whole)
	w.partial = append([]byte(nil), whole[end:]...)
	if end == 0 {
		return len(text), nil
	}
	if err := w.writeText(Text(string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Print writes strings and Spans, one after the other.
func (w *Writer) Print(parts ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, p := range parts {
		s, ok := p.(Span)
		if !ok {
			s = Span{Text: fmt.Sprint(p)}
		}
		b.WriteString(s.styledText(w.o.Colour))
	}
	_ = w.writeText(b.String()) // w.err keeps the error
}

// Printf writes text without style.
func (w *Writer) Printf(format string, args ...any) { w.Print(fmt.Sprintf(format, args...)) }

// Flush writes an unfinished line.
func (w *Writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.line != "" {
		_ = w.writeLine(breakLine(w.line, w.Columns())) // w.err keeps the error
		w.line = ""
	}
}

// Err returns the first error of all writes.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Written returns the number of bytes written so far.
func (w *Writer) Written() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written
}

// writeText writes text that needs no escapes.
func (w *Writer) writeText(text string) error {
	columns := w.Columns()
	if columns == 0 && w.line == "" {
		return w.writeLine(text)
	}
	w.line += text
	end := strings.LastIndexByte(w.line, '\n') + 1
	if end == 0 {
		return nil
	}
	var b strings.Builder
	for line := range strings.Lines(w.line[:end]) {
		b.WriteString(breakLine(strings.TrimSuffix(line, "\n"), columns) + "\n")
	}
	w.line = w.line[end:]
	return w.writeLine(b.String())
}

func (w *Writer) writeLine(text string) error {
	if text == "" {
		return nil
	}
	n, err := io.WriteString(w.to, text)
	w.written += int64(n)
	if w.err == nil {
		w.err = err
	}
	return err
}

// unfinishedBytes returns the number of bytes at the end that begin an incomplete character.
func unfinishedBytes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
