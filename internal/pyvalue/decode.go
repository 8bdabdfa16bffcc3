package pyvalue

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is approximately the depth to which Python reads nested lists and objects.
const maxDepth = 990

// Decode reads one JSON value like json.loads: NaN and Infinity are numbers, integers have any length, and the last of
// equal keys counts. Half a surrogate pair becomes three bytes that are not UTF-8.
func Decode(text string) (any, error) { return decodeText(text, false) }

// DecodeShort is like Decode but keeps only the first item of each list. It is for values whose lists are not needed.
func DecodeShort(text string) (any, error) { return decodeText(text, true) }

func decodeText(text string, short bool) (any, error) {
	if strings.HasPrefix(text, "\ufeff") {
		return nil, errors.New("the text begins with a byte order mark")
	}
	d := jsonDecoder{text: text, firstItems: short}
	d.skipBlanks()
	v, err := d.readValue(0)
	if err != nil {
		return nil, err
	}
	if d.skipBlanks(); d.at < len(text) {
		return nil, d.decodeError("want the end")
	}
	return v, nil
}

type jsonDecoder struct {
	text       string
	at         int
	firstItems bool
}

func (d *jsonDecoder) decodeError(want string) error {
	found := "the end"
	if d.at < len(d.text) {
		r, _ := utf8.DecodeRuneInString(d.text[d.at:])
		found = strconv.QuoteRune(r)
	}
	return fmt.Errorf("%s at byte %d, found %s", want, d.at, found)
}

func (d *jsonDecoder) skipBlanks() { d.at = skipBlanks(d.text, d.at) }

// takeText skips text and returns true if text is next.
func (d *jsonDecoder) takeText(text string) bool {
	if !strings.HasPrefix(d.text[d.at:], text) {
		return false
	}
	d.at += len(text)
	return true
}

// wordValues are the values that are written as words.
var wordValues = []struct {
	text  string
	value any
}{
	{"null", nil}, {"true", true}, {"false", false},
	{"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)},
}

func (d *jsonDecoder) readValue(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("lists or objects lie too deep in one another")
	}
	switch {
	case d.at < len(d.text) && isDigit(d.text[d.at]): // the usual case in long lists
		return d.readNumber()
	case d.takeText(`"`):
		return d.readString()
	case d.takeText("["):
		return d.readList(depth)
	case d.takeText("{"):
		return d.readObject(depth)
	}
	for _, w := range wordValues {
		if d.takeText(w.text) {
			return w.value, nil
		}
	}
	return d.readNumber()
}

func (d *jsonDecoder) readList(depth int) (any, error) {
	list := []any{}
	if d.skipBlanks(); d.takeText("]") {
		return list, nil
	}
	for {
		d.skipBlanks()
		v, err := d.readValue(depth + 1)
		if err != nil {
			return nil, err
		}
		if !d.firstItems || len(list) == 0 {
			list = append(list, v)
		}
		d.skipBlanks()
		switch {
		case d.takeText("]"):
			return list, nil
		case !d.takeText(","):
			return nil, d.decodeError("want , or ]")
		}
		if d.firstItems {
			d.skipWhole()
		}
	}
}

// skipWhole skips plain whole numbers, each with the comma after it. Lists of samples contain millions of them.
func (d *jsonDecoder) skipWhole() {
	for i := d.at; ; d.at = i {
		i = skipBlanks(d.text, i)
		first := i
		for i < len(d.text) && isDigit(d.text[i]) {
			i++
		}
		if n := i - first; n == 0 || n > 1 && d.text[first] == '0' || n > maxPlainDigits {
			return
		}
		if i = skipBlanks(d.text, i); i == len(d.text) || d.text[i] != ',' {
			return
		}
		i++
	}
}

// maxPlainDigits is the largest number of digits that always fits into 64 bits.
const maxPlainDigits = 18

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// skipBlanks returns the index of the first byte from i on that is not a blank.
func skipBlanks(text string, start int) int {
	for start < len(text) && (text[start] == ' ' || text[start] == '\t' || text[start] == '\n' || text[start] == '\r') {
		start++
	}
	return start
}

func (d *jsonDecoder) readObject(depth int) (any, error) {
	o := NewDict()
	if d.skipBlanks(); d.takeText("}") {
		return o, nil
	}
	for {
		d.skipBlanks()
		if !d.takeText(`"`) {
			return nil, d.decodeError("want a key in quotes")
		}
		key, err := d.readString()
		if err != nil {
			return nil, err
		}
		if d.skipBlanks(); !d.takeText(":") {
			return nil, d.decodeError("want :")
		}
		d.skipBlanks()
		v, err := d.readValue(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, again := o.Get(key); again {
			o.repeated = append(o.repeated, key)
		}
		o.Set(key, v)
		d.skipBlanks()
		switch {
		case d.takeText("}"):
			return o, nil
		case !d.takeText(","):
			return nil, d.decodeError("want , or }")
		}
	}
}

// readString reads a string after its first quote.
func (d *jsonDecoder) readString() (string, error) {
	var out []byte
	for start := d.at; d.at < len(d.text); {
		switch c := d.text[d.at]; {
		case c == '"':
			s := d.text[start:d.at]
			d.at++
			if out == nil {
				return s, nil
			}
			return string(append(out, s...)), nil
		case c < 0x20:
			return "", d.decodeError("want no control character in a string")
		case c == '\\':
			out = append(out, d.text[start:d.at]...)
			d.at++
			r, err := d.readEscape()
			if err != nil {
				return "", err
			}
			out = append(out, r...)
			start = d.at
		default:
			d.at++
		}
	}
	return "", d.decodeError("want a quote")
}

// readEscape reads the characters after a backslash.
func (d *jsonDecoder) readEscape() ([]byte, error) {
	for i, c := range `"\/bfnrt` {
		if d.takeText(string(c)) {
			return []byte{"\"\\/\b\f\n\r\t"[i]}, nil
		}
	}
	if !d.takeText("u") {
		return nil, d.decodeError("want an escape")
	}
	r, err := d.readHexUnit()
	if err != nil {
		return nil, err
	}
	before := d.at
	if utf16.IsSurrogate(r) && d.takeText(`\u`) {
		if low, err := d.readHexUnit(); err == nil {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return utf8.AppendRune(nil, pair), nil
			}
		}
		d.at = before
	}
	if utf16.IsSurrogate(r) {
		return []byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f}, nil
	}
	return utf8.AppendRune(nil, r), nil
}

// readHexUnit reads four hexadecimal digits.
func (d *jsonDecoder) readHexUnit() (rune, error) {
	if d.at+4 > len(d.text) {
		return 0, d.decodeError("want four hexadecimal digits")
	}
	v, err := strconv.ParseUint(d.text[d.at:d.at+4], 16, 16)
	if err != nil {
		return 0, d.decodeError("want four hexadecimal digits")
	}
	d.at += 4
	return rune(v), nil
}

func (d *jsonDecoder) readNumber() (any, error) {
	start := d.at
	d.takeText("-")
	if !d.takeText("0") && d.skipDigits() == 0 {
		d.at = start
		return nil, d.decodeError("want a value")
	}
	whole := d.at
	d.skipFraction()
	d.skipExponent()
	text := d.text[start:d.at]
	if d.at > whole {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(v, 0) {
			return nil, err
		}
		return v, nil
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, nil
	}
	if len(text) > maxDigits {
		return nil, d.decodeError("want fewer digits")
	}
	v, _ := new(big.Int).SetString(text, 10)
	return v, nil
}

// skipFraction skips a complete fraction, and nothing else.
func (d *jsonDecoder) skipFraction() {
	before := d.at
	if !d.takeText(".") || d.skipDigits() == 0 {
		d.at = before
	}
}

// skipExponent skips a complete exponent, and nothing else.
func (d *jsonDecoder) skipExponent() {
	before := d.at
	if !d.takeText("e") && !d.takeText("E") {
		return
	}
	if !d.takeText("+") {
		d.takeText("-")
	}
	if d.skipDigits() == 0 {
		d.at = before
	}
}

func (d *jsonDecoder) skipDigits() int {
	start := d.at
	for d.at < len(d.text) && isDigit(d.text[d.at]) {
		d.at++
	}
	return d.at - start
}
