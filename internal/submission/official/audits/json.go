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

// isNoList reports whether a script ended because the log is not JSON, or not a list.
func isNoList(err error) bool {
	return errors.Is(err, evidence.ErrDied) &&
		(strings.HasPrefix(err.Error(), "json.") || strings.HasSuffix(err.Error(), noList))
}

// fields contains the members of a JSON object in their encoded form.
type fields map[string]json.RawMessage

// eachEntry streams a JSON list of objects with the rules of Python's json.load, and calls use for each object.
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

// emptyObject accepts {} as an empty log, like Python, and rejects other objects.
func emptyObject(d *json.Decoder) error {
	if d.More() {
		return evidence.Died("TypeError: %s", noList)
	}
	return closed(d)
}

// closed checks that the value and the file end here.
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

// key returns a value in a form that is equal for equal keys of a Python dictionary, such as 1, 1.0 and true.
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

// text returns the value of a member that must be a string.
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

// hexBytes decodes pairs of hexadecimal digits like Python's bytes.fromhex, with optional white space between pairs. It
// writes the first bytes to first and returns the number of all bytes.
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
