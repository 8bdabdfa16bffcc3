package pyvalue

import (
	"bufio"
	"bytes"
	"io"
)

// NullReader reads JSON as Python's json.dump writes it. It replaces NaN, Infinity and -Infinity, which JSON does not
// have, by null, and drops a byte order mark at the beginning. It does not change quoted strings.
type NullReader struct {
	in              *bufio.Reader
	quoted, escaped bool
	begun           bool
	pending         string
}

// NewNullReader returns a NullReader that reads from from.
func NewNullReader(from io.Reader) *NullReader {
	const size = 64 << 10
	return &NullReader{in: bufio.NewReaderSize(from, size)}
}

// NullNaN returns JSON without NaN, Infinity and -Infinity, as NullReader reads it.
func NullNaN(text []byte) []byte {
	out, _ := io.ReadAll(NewNullReader(bytes.NewReader(text))) // reading from memory cannot fail
	return out
}

// Read implements io.Reader.
func (r *NullReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.pending != "" {
		n := copy(p, r.pending)
		r.pending = r.pending[n:]
		return n, nil
	}
	if !r.begun {
		r.begun = true
		if mark, _ := r.in.Peek(3); string(mark) == "\xef\xbb\xbf" {
			_, _ = r.in.Discard(3) // Peek has read them
		}
	}
	if _, err := r.in.Peek(1); err != nil {
		return 0, err
	}
	text, _ := r.in.Peek(min(r.in.Buffered(), len(p))) // the buffered bytes
	n := r.plainBytes(text)
	copy(p, text[:n])
	_, _ = r.in.Discard(n)
	if n > 0 {
		return n, nil
	}
	return r.readWord(p)
}

// plainBytes returns the number of bytes before the next byte that may begin one of these words.
func (r *NullReader) plainBytes(text []byte) int {
	for i, c := range text {
		switch {
		case r.escaped:
			r.escaped = false
		case c == '"':
			r.quoted = !r.quoted
		case r.quoted:
			r.escaped = c == '\\'
		case c == 'N' || c == 'I' || c == '-':
			return i
		}
	}
	return len(text)
}

// readWord replaces one of these words, or copies the byte that could have begun one.
func (r *NullReader) readWord(p []byte) (int, error) {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if next, _ := r.in.Peek(len(word)); string(next) == word {
			_, err := r.in.Discard(len(word))
			r.pending = "null"
			n := copy(p, r.pending)
			r.pending = r.pending[n:]
			return n, err
		}
	}
	var err error
	p[0], err = r.in.ReadByte()
	return 1, err
}
