package pyvalue

import (
	"bufio"
	"bytes"
	"io"
)

// NullReader reads JSON as Python's json.dump writes it: NaN, Infinity and -Infinity, which JSON does not have, come as
// null, and a byte order mark at the beginning does not come. Texts in quotes stay as they are.
type NullReader struct {
	in              *bufio.Reader
	quoted, escaped bool
	begun           bool
	pending         string
}

// NewNullReader reads from a reader.
func NewNullReader(from io.Reader) *NullReader {
	const size = 64 << 10
	return &NullReader{in: bufio.NewReaderSize(from, size)}
}

// NullNaN is JSON without NaN, Infinity and -Infinity, as NullReader reads it.
func NullNaN(text []byte) []byte {
	out, _ := io.ReadAll(NewNullReader(bytes.NewReader(text))) // reading from memory does not fail
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
			_, _ = r.in.Discard(3) // they are there
		}
	}
	if _, err := r.in.Peek(1); err != nil {
		return 0, err
	}
	text, _ := r.in.Peek(min(r.in.Buffered(), len(p))) // what is there
	n := r.plainBytes(text)
	copy(p, text[:n])
	_, _ = r.in.Discard(n)
	if n > 0 {
		return n, nil
	}
	return r.readWord(p)
}

// plainBytes is how many bytes come before one that may begin a word that JSON does not have.
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

// readWord reads a word that JSON does not have, or the byte that could have begun one.
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
