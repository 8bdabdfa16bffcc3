package audits

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
)

const noList = "the log is no list"

// isNoList says of a script's end that the log is no JSON, or JSON that is no list.
func isNoList(err error) bool {
	return errors.Is(err, evidence.ErrDied) &&
		(strings.HasPrefix(err.Error(), "json.") || strings.HasSuffix(err.Error(), noList))
}

// fields are the members of a JSON object as they are written.
type fields map[string]json.RawMessage

// eachEntry reads a JSON list of objects as a stream, as far as Python's json.load takes it, and calls use for each.
func eachEntry(path string, use func(fields) error) error {
	f, err := evidence.OpenText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(evidence.UTF8Only(f))
	start, err := d.Token()
	if err != nil {
		return notJSON(err)
	}
	switch start {
	case json.Delim('['):
	case json.Delim('{'):
		return emptyObject(d)
	default:
		return evidence.Died("TypeError: %s", noList)
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
		return evidence.Died("TypeError: %s", noList)
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
	return evidence.Died("json.decoder.JSONDecodeError: Extra data")
}

func notJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, evidence.ErrDied):
		return err
	case errors.As(err, &wrong):
		return evidence.Died("TypeError: an entry is no object but a %s", wrong.Value)
	}
	return evidence.Died("json.decoder.JSONDecodeError: %v", err)
}

// key is a value as a Python dictionary tells keys apart: 1, 1.0 and true are one.
func (f fields) key(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", evidence.Died("KeyError: '%s'", name)
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
		return "", evidence.Died("TypeError: unhashable type")
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
		return "", evidence.Died("KeyError: '%s'", name)
	}
	if raw[0] != '"' {
		return "", evidence.Died("TypeError: %s is no string", name)
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
				return n, evidence.Died("ValueError: non-hexadecimal number found in fromhex() arg at position %d", at)
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
