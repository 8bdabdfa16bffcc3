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

// mostDepth is how deep Python reads lists and objects in one another, about.
const mostDepth = 990

// Decode reads one JSON value as json.loads does: NaN and Infinity are numbers, integers have any length, the last of
// equal keys counts. Half a surrogate pair becomes three bytes that are not UTF-8.
func Decode(text string) (any, error) { return decode(text, false) }

// DecodeShort is Decode for values whose lists nobody reads: it keeps the first item alone.
func DecodeShort(text string) (any, error) { return decode(text, true) }

func decode(text string, short bool) (any, error) {
	if strings.HasPrefix(text, "\ufeff") {
		return nil, errors.New("the text begins with a byte order mark")
	}
	d := decoder{text: text, short: short}
	d.blanks()
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if d.blanks(); d.at < len(text) {
		return nil, d.fault("want the end")
	}
	return v, nil
}

type decoder struct {
	text  string
	at    int
	short bool
}

func (d *decoder) fault(want string) error {
	found := "the end"
	if d.at < len(d.text) {
		r, _ := utf8.DecodeRuneInString(d.text[d.at:])
		found = strconv.QuoteRune(r)
	}
	return fmt.Errorf("%s at byte %d, found %s", want, d.at, found)
}

func (d *decoder) blanks() { d.at = skipBlanks(d.text, d.at) }

// take steps over a text that stands next.
func (d *decoder) take(text string) bool {
	if !strings.HasPrefix(d.text[d.at:], text) {
		return false
	}
	d.at += len(text)
	return true
}

// words are the values that are words.
var words = []struct {
	text  string
	value any
}{
	{"null", nil}, {"true", true}, {"false", false},
	{"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)},
}

func (d *decoder) value(depth int) (any, error) {
	if depth > mostDepth {
		return nil, errors.New("lists or objects lie too deep in one another")
	}
	switch {
	case d.at < len(d.text) && isDigit(d.text[d.at]): // the usual case in long lists
		return d.number()
	case d.take(`"`):
		return d.quoted()
	case d.take("["):
		return d.list(depth)
	case d.take("{"):
		return d.object(depth)
	}
	for _, w := range words {
		if d.take(w.text) {
			return w.value, nil
		}
	}
	return d.number()
}

func (d *decoder) list(depth int) (any, error) {
	list := []any{}
	if d.blanks(); d.take("]") {
		return list, nil
	}
	for {
		d.blanks()
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if !d.short || len(list) == 0 {
			list = append(list, v)
		}
		d.blanks()
		switch {
		case d.take("]"):
			return list, nil
		case !d.take(","):
			return nil, d.fault("want , or ]")
		}
		if d.short {
			d.skipWhole()
		}
	}
}

// skipWhole steps over whole numbers, each with the comma behind it, as far as they are plain: lists of samples have
// millions of them.
func (d *decoder) skipWhole() {
	for i := d.at; ; d.at = i {
		i = skipBlanks(d.text, i)
		first := i
		for i < len(d.text) && isDigit(d.text[i]) {
			i++
		}
		if n := i - first; n == 0 || n > 1 && d.text[first] == '0' || n > mostPlainDigits {
			return
		}
		if i = skipBlanks(d.text, i); i == len(d.text) || d.text[i] != ',' {
			return
		}
		i++
	}
}

// mostPlainDigits is how many digits fit into 64 bits, whatever they are.
const mostPlainDigits = 18

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// skipBlanks is the index of the first byte from i on that is no blank.
func skipBlanks(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

func (d *decoder) object(depth int) (any, error) {
	o := NewDict()
	if d.blanks(); d.take("}") {
		return o, nil
	}
	for {
		d.blanks()
		if !d.take(`"`) {
			return nil, d.fault("want a key in quotes")
		}
		key, err := d.quoted()
		if err != nil {
			return nil, err
		}
		if d.blanks(); !d.take(":") {
			return nil, d.fault("want :")
		}
		d.blanks()
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, again := o.Get(key); again {
			o.twice = append(o.twice, key)
		}
		o.Set(key, v)
		d.blanks()
		switch {
		case d.take("}"):
			return o, nil
		case !d.take(","):
			return nil, d.fault("want , or }")
		}
	}
}

// quoted reads a string after its first quote.
func (d *decoder) quoted() (string, error) {
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
			return "", d.fault("want no control character in a string")
		case c == '\\':
			out = append(out, d.text[start:d.at]...)
			d.at++
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			out = append(out, r...)
			start = d.at
		default:
			d.at++
		}
	}
	return "", d.fault("want a quote")
}

// escape reads what stands behind a backslash.
func (d *decoder) escape() ([]byte, error) {
	for i, c := range `"\/bfnrt` {
		if d.take(string(c)) {
			return []byte{"\"\\/\b\f\n\r\t"[i]}, nil
		}
	}
	if !d.take("u") {
		return nil, d.fault("want an escape")
	}
	r, err := d.unit()
	if err != nil {
		return nil, err
	}
	before := d.at
	if utf16.IsSurrogate(r) && d.take(`\u`) {
		if low, err := d.unit(); err == nil {
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

// unit reads four hexadecimal digits.
func (d *decoder) unit() (rune, error) {
	if d.at+4 > len(d.text) {
		return 0, d.fault("want four hexadecimal digits")
	}
	v, err := strconv.ParseUint(d.text[d.at:d.at+4], 16, 16)
	if err != nil {
		return 0, d.fault("want four hexadecimal digits")
	}
	d.at += 4
	return rune(v), nil
}

func (d *decoder) number() (any, error) {
	start := d.at
	d.take("-")
	if !d.take("0") && d.digits() == 0 {
		d.at = start
		return nil, d.fault("want a value")
	}
	whole := d.at
	d.fraction()
	d.exponent()
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
	if len(text) > mostDigits {
		return nil, d.fault("want fewer digits")
	}
	v, _ := new(big.Int).SetString(text, 10)
	return v, nil
}

// fraction and exponent step over theirs, and over nothing where they are not whole.
func (d *decoder) fraction() {
	before := d.at
	if !d.take(".") || d.digits() == 0 {
		d.at = before
	}
}

func (d *decoder) exponent() {
	before := d.at
	if !d.take("e") && !d.take("E") {
		return
	}
	if !d.take("+") {
		d.take("-")
	}
	if d.digits() == 0 {
		d.at = before
	}
}

func (d *decoder) digits() int {
	start := d.at
	for d.at < len(d.text) && isDigit(d.text[d.at]) {
		d.at++
	}
	return d.at - start
}
