package prompts

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// Limits of files.
const (
	maxRow  = 64 << 20 // bytes of a row
	maxKept = 4 << 30  // bytes of all prompts
	maxRead = 64 << 30 // bytes of a file after decompression
	maxRows = 1 << 24
)

// fileLayout is the layout of rows in a file.
type fileLayout int

const (
	linesLayout fileLayout = iota // one JSON value per line
	jsonLayout                    // a JSON array, or consecutive JSON values
	csvLayout
	tsvLayout
	textLayout // one prompt per line
	tableLayout
)

var containers = map[string]fileLayout{"jsonl": linesLayout, "json": jsonLayout, "csv": csvLayout, "tsv": tsvLayout,
	"text":    textLayout,
	"parquet": tableLayout}

var extensions = map[string]fileLayout{".jsonl": linesLayout, ".ndjson": linesLayout, ".json": jsonLayout,
	".csv": csvLayout,
	".tsv": tsvLayout, ".txt": textLayout, ".text": textLayout, ".parquet": tableLayout}

// openFile is an open file with its layout.
type openFile struct {
	in     *bufio.Reader
	layout fileLayout
	io.Closer
}

// openSource opens a file and determines its layout from the requested format, its name and its first bytes.
func openSource(path, format string) (*openFile, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, bounded.ShortenPathError(err))
	}
	s := &openFile{Closer: f}
	if err := s.setLayout(f, path, format); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", ErrData, path, err), f.Close())
	}
	return s, nil
}

func (s *openFile) setLayout(f io.Reader, path, format string) error {
	s.in = bufio.NewReaderSize(&limitedReader{f, maxRead}, 1<<16)
	if head, _ := s.in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(s.in)
		if err != nil {
			return err
		}
		s.in = bufio.NewReaderSize(&limitedReader{z, maxRead}, 1<<16)
	}
	head, err := s.in.Peek(1 << 16)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) {
		_, _ = s.in.Discard(3)
		head = head[3:]
	}
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return errors.New("the text is UTF-16; want UTF-8")
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	s.layout = detectLayout(head, filepath.Ext(name), format)
	return nil
}

func detectLayout(head []byte, ext, format string) fileLayout {
	if c, ok := containers[format]; ok {
		return c
	}
	c, named := extensions[ext]
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return tableLayout
	}
	if named && c != linesLayout && c != jsonLayout {
		return c
	}
	first := bytes.TrimSpace(head)
	switch {
	case bytes.HasPrefix(first, []byte("[")):
		return jsonLayout
	case bytes.HasPrefix(first, []byte("{")) && (!named || c != linesLayout):
		// An object that ends in the first line may be followed by others. If that line is too long, the name determines the
		// layout.
		line, _, whole := bytes.Cut(first, []byte("\n"))
		if whole && !json.Valid(line) || !whole && named {
			return jsonLayout
		}
		return linesLayout
	case named:
		return c
	}
	return textLayout
}

// limitedReader fails after a number of bytes, because a small compressed file may expand without limit.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("it has more than %d GiB, the most that is read", maxRead>>30)
	}
	return n, err
}

// eachLine calls yield with each line, without its end, until yield returns false. A line is valid until the next call.
func eachLine(in *bufio.Reader, yield func(line int, text []byte) bool) error {
	var long []byte
	for n := 1; ; n++ {
		long = long[:0]
		part, err := in.ReadSlice('\n')
		text := part
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(long)+len(part) > maxRow {
				return fmt.Errorf("line %d has more than %d MiB, the most that a row may have", n, maxRow>>20)
			}
			long = append(long, part...)
			part, err = in.ReadSlice('\n')
			text = nil
		}
		if text == nil {
			long = append(long, part...)
			text = long
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(text) > 0 {
			text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
			if !yield(n, text) {
				return nil
			}
		}
		if err != nil {
			return nil
		}
	}
}

// jsonValues iterates over the JSON values in a file, or over the elements of its only array.
type jsonValues struct {
	in       *bufio.Reader
	line     int
	inArray  bool
	hasValue bool // a value came before
	text     []byte
}

// eachValue calls yield with each value and the line of its beginning until yield returns false. A value is valid until
// the next call. An error refers to line v.line.
func (v *jsonValues) eachValue(yield func(line int, text []byte) bool) error {
	v.line = 1
	c, err := v.nextNonBlank()
	if err == nil && c == '[' {
		v.inArray = true
		c, err = v.nextNonBlank()
	}
	for ; err == nil; c, err = v.nextNonBlank() {
		if v.inArray {
			if c == ']' {
				return v.checkEnd()
			}
			if v.hasValue {
				if c != ',' {
					return fmt.Errorf("want , or ] after a value, not %q", c)
				}
				if c, err = v.nextNonBlank(); err != nil {
					break
				}
			}
		}
		v.hasValue = true
		line := v.line
		if err := v.readValue(c); err != nil {
			return err
		}
		if !yield(line, v.text) {
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		if v.inArray {
			return errors.New("the file ends within its array: want ] at the end")
		}
		return nil
	}
	return err
}

// checkEnd checks that nothing follows the array.
func (v *jsonValues) checkEnd() error {
	c, err := v.nextNonBlank()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("want nothing after the array, not %q", c)
	}
	return err
}

// nextNonBlank returns the next byte that is not a blank.
func (v *jsonValues) nextNonBlank() (byte, error) {
	for {
		c, err := v.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			v.line++
		case ' ', '\t', '\r':
		default:
			return c, nil
		}
	}
}

// readValue reads the value that begins with c into v.text.
func (v *jsonValues) readValue(c byte) error {
	v.text = append(v.text[:0], c)
	if c != '"' && c != '{' && c != '[' {
		return v.readWord()
	}
	at := jsonNesting{quoted: c == '"'}
	at.takeByte(c)
	for !at.closed {
		c, err := v.readByte()
		if err != nil {
			return err
		}
		at.takeByte(c)
	}
	return nil
}

// readByte reads the next byte of a value.
func (v *jsonValues) readByte() (byte, error) {
	c, err := v.in.ReadByte()
	if errors.Is(err, io.EOF) {
		err = errors.New("the file ends within a value")
	}
	if err != nil {
		return 0, err
	}
	if c == '\n' {
		v.line++
	}
	if v.text = append(v.text, c); len(v.text) > maxRow {
		err = fmt.Errorf("a value has more than %d MiB, the most that a row may have", maxRow>>20)
	}
	return c, err
}

// readWord reads a number or a name up to the next delimiter.
func (v *jsonValues) readWord() error {
	for {
		next, err := v.in.Peek(1)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if bytes.IndexByte([]byte(",]} \n\r\t"), next[0]) >= 0 {
			return nil
		}
		if _, err := v.readByte(); err != nil {
			return err
		}
	}
}

// jsonNesting finds the end of a string, an object or an array.
type jsonNesting struct {
	depth           int
	quoted, escaped bool
	begun, closed   bool
}

func (n *jsonNesting) takeByte(c byte) {
	switch {
	case !n.begun && n.quoted: // the opening quote
		n.begun = true
		return
	case n.escaped:
		n.escaped = false
	case n.quoted && c == '\\':
		n.escaped = true
	case c == '"':
		n.quoted = !n.quoted
	case n.quoted:
	case c == '{' || c == '[':
		n.depth++
	case c == '}' || c == ']':
		n.depth--
	}
	n.begun = true
	n.closed = !n.quoted && n.depth <= 0
}
