package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// pyError is a Python exception that ends an official script: the last line of what it prints.
type pyError string

func (e pyError) Error() string { return string(e) }

// Is makes all of them errDied, and tells those apart that are no JSON and no list.
func (e pyError) Is(target error) bool {
	switch target {
	case errDied:
		return true
	case errNotJSON:
		return strings.HasPrefix(string(e), "json.")
	case errNoList:
		return strings.HasSuffix(string(e), noList)
	}
	return false
}

var (
	errDied    = errors.New("the official script dies")
	errNotJSON = errors.New("not JSON")
	errNoList  = errors.New(noList)
)

const noList = "the log is no list"

// died is the error of a script that ends with a Python exception.
func died(format string, args ...any) error { return pyError(fmt.Sprintf(format, args...)) }

// traceback is how a script that died ends its text.
func traceback(err error) string { return "Traceback (most recent call last):\n" + err.Error() + "\n" }

// openText opens a file as a script does.
func openText(path string) (*os.File, error) {
	f, err := bounded.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, died("FileNotFoundError: [Errno 2] No such file or directory: '%s'", path)
	case err != nil:
		return nil, died("OSError: %v", err)
	}
	return f, nil
}

// fields are the members of a JSON object as they are written.
type fields map[string]json.RawMessage

// eachEntry reads a JSON list of objects as a stream, as far as Python's json.load takes it, and calls use for each.
func eachEntry(path string, use func(fields) error) error {
	f, err := openText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(utf8Only(f))
	start, err := d.Token()
	if err != nil {
		return notJSON(err)
	}
	switch start {
	case json.Delim('['):
	case json.Delim('{'):
		return emptyObject(d)
	default:
		return died("TypeError: %s", noList)
	}
	for d.More() {
		var entry fields
		if err := d.Decode(&entry); err != nil {
			return notJSON(err)
		}
		if err := use(entry); err != nil {
			return err
		}
	}
	return closed(d)
}

// emptyObject takes {} for an empty log, as Python does, and refuses others.
func emptyObject(d *json.Decoder) error {
	if d.More() {
		return died("TypeError: %s", noList)
	}
	return closed(d)
}

// closed wants the end of the value, and of the file.
func closed(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return notJSON(err)
	}
	switch _, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return notJSON(err)
	}
	return died("json.decoder.JSONDecodeError: Extra data")
}

func notJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, errDied):
		return err
	case errors.As(err, &wrong):
		return died("TypeError: an entry is no object but a %s", wrong.Value)
	}
	return died("json.decoder.JSONDecodeError: %v", err)
}

// key is a value as a Python dictionary tells keys apart: 1, 1.0 and true are one.
func (f fields) key(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", died("KeyError: '%s'", name)
	}
	switch text := string(raw); text[0] {
	case '"':
		s, err := text2string(raw)
		return "string " + s, err
	case 't':
		return "1", nil
	case 'f':
		return "0", nil
	case '[', '{':
		return "", died("TypeError: unhashable type")
	default:
		if v, ok := pyfloat.Parse(text); ok && strings.ContainsAny(text, ".eE") {
			return strings.TrimSuffix(strconv.FormatFloat(v, 'f', -1, 64), ".0"), nil
		}
		return strings.Replace(text, "-0", "0", 1), nil
	}
}

// text is a value that must be a string.
func (f fields) text(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", died("KeyError: '%s'", name)
	}
	if raw[0] != '"' {
		return "", died("TypeError: %s is no string", name)
	}
	return text2string(raw)
}

func text2string(raw json.RawMessage) (s string, err error) {
	if !strings.Contains(string(raw), `\`) {
		return string(raw[1 : len(raw)-1]), nil
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}

// hexBytes reads pairs of hexadecimal digits as Python's bytes.fromhex does, with white space between pairs. Of the
// bytes it gives at most the first len(first), and how many there are.
func hexBytes(text string, first []byte) (n int, err error) {
	for i := 0; i < len(text); {
		if strings.IndexByte(" \t\n\r\v\f", text[i]) >= 0 {
			i++
			continue
		}
		for at := i; at < i+2; at++ {
			if at == len(text) || digit(text[at]) < 0 {
				return n, died("ValueError: non-hexadecimal number found in fromhex() arg at position %d", at)
			}
		}
		if n < len(first) {
			first[n] = byte(digit(text[i])<<4 | digit(text[i+1]))
		}
		n++
		i += 2
	}
	return n, nil
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
