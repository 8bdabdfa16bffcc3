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

const noListText = "the log is no list"

// isNoList reports whether a script ended because the log is not JSON, or not a list.
func isNoList(err error) bool {
	return errors.Is(err, evidence.ErrDied) &&
		(strings.HasPrefix(err.Error(), "json.") || strings.HasSuffix(err.Error(), noListText))
}

// encodedFields contains the members of a JSON object in their encoded form.
type encodedFields map[string]json.RawMessage

// eachEntry streams a JSON list of objects with the rules of Python's json.load, and calls use for each object.
func eachEntry(path string, use func(encodedFields) error) error {
	f, err := evidence.OpenText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(evidence.NewUTF8Reader(f))
	start, err := d.Token()
	if err != nil {
		return errNotJSON(err)
	}
	switch start {
	case json.Delim('['):
	case json.Delim('{'):
		return checkEmptyObject(d)
	default:
		return evidence.ErrDiedf("TypeError: %s", noListText)
	}
	for d.More() {
		var entry encodedFields
		if err := d.Decode(&entry); err != nil {
			return errNotJSON(err)
		}
		if err := use(entry); err != nil {
			return err
		}
	}
	return checkEnd(d)
}

// checkEmptyObject accepts {} as an empty log, like Python, and rejects other objects.
func checkEmptyObject(d *json.Decoder) error {
	if d.More() {
		return evidence.ErrDiedf("TypeError: %s", noListText)
	}
	return checkEnd(d)
}

// checkEnd checks that the value and the file end here.
func checkEnd(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return errNotJSON(err)
	}
	switch _, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return errNotJSON(err)
	}
	return evidence.ErrDiedf("json.decoder.JSONDecodeError: Extra data")
}

func errNotJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, evidence.ErrDied):
		return err
	case errors.As(err, &wrong):
		return evidence.ErrDiedf("TypeError: an entry is no object but a %s", wrong.Value)
	}
	return evidence.ErrDiedf("json.decoder.JSONDecodeError: %v", err)
}

// comparableKey returns a value in a form that is equal for equal keys of a Python dictionary, such as 1, 1.0 and true.
func (f encodedFields) comparableKey(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", evidence.ErrDiedf("KeyError: '%s'", name)
	}
	switch text := string(raw); text[0] {
	case '"':
		s, err := decodeString(raw)
		return "string " + s, err
	case 't':
		return "1", nil
	case 'f':
		return "0", nil
	case '[', '{':
		return "", evidence.ErrDiedf("TypeError: unhashable type")
	default:
		if v, ok := pyfloat.Parse(text); ok && strings.ContainsAny(text, ".eE") {
			return strings.TrimSuffix(strconv.FormatFloat(v, 'f', -1, 64), ".0"), nil
		}
		return strings.Replace(text, "-0", "0", 1), nil
	}
}

// textField returns the value of a member that must be a string.
func (f encodedFields) textField(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", evidence.ErrDiedf("KeyError: '%s'", name)
	}
	if raw[0] != '"' {
		return "", evidence.ErrDiedf("TypeError: %s is no string", name)
	}
	return decodeString(raw)
}

func decodeString(raw json.RawMessage) (s string, err error) {
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
			if at == len(text) || hexDigit(text[at]) < 0 {
				return n, evidence.ErrDiedf("ValueError: non-hexadecimal number found in fromhex() arg at position %d", at)
			}
		}
		if n < len(first) {
			first[n] = byte(hexDigit(text[i])<<4 | hexDigit(text[i+1]))
		}
		n++
		i += 2
	}
	return n, nil
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
