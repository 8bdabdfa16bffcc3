package mlconf

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// value is a number of a configuration file as the official LoadGen holds it: integer keys use the integer prefix of
// the text (12.9 is 12, 1e3 is 1, -1 wraps, 0x and leading 0 are hexadecimal and octal), others the whole as a double.
type value struct {
	integer uint64
	double  float64
	text    string
	line    int
	// otherwise is what the text of the round says; empty: the same, or it is no round's.
	otherwise string
}

// file is a parsed configuration file: values by full key, the last of each.
type file struct {
	source string // path or other name
	values map[string]value
}

// badLine is a line that the official LoadGen rejects.
type badLine struct {
	line int
	text string // the official error text
	what string // ours
}

// parse reads a file with the official rules: tokens are separated by white space; the first is the key, the second
// must be =, each further one a number, of which the last counts; # as a token of its own ends a line unless a number
// is expected; a key alone is silently ignored. One bad line makes the official LoadGen reject the whole file.
func parse(source, text string) (file, []badLine) {
	f := file{source: source, values: map[string]value{}}
	var bad []badLine
	for i, line := range strings.Split(text, "\n") {
		key, v, fault := parseLine(line)
		switch {
		case fault != nil:
			fault.line = i + 1
			bad = append(bad, *fault)
		case v != nil:
			v.line = i + 1
			f.values[key] = *v
		}
	}
	return f, bad
}

// parseLine returns the last value of a line; none (nil) for a comment, an empty line or a lone key.
func parseLine(line string) (key string, v *value, fault *badLine) {
	tokens := words(line)
	for i, token := range tokens {
		switch {
		case token == "#" && i < 2:
			return key, nil, nil
		case i == 0:
			key = token
		case i == 1 && token != "=":
			return key, nil, &badLine{
				text: "want = after the key",
				what: "want KEY = VALUE with white space around =, found " + strconv.Quote(token) + " after the key",
			}
		case i > 1:
			parsed, ok := parseValue(token)
			if !ok {
				return key, nil, &badLine{
					text: "value needs to be integer or double", what: "want a number, found " + strconv.Quote(token),
				}
			}
			v = &parsed
		}
	}
	return key, v, nil
}

// parseValue accepts what C's strtoull with base 0 or strtod read to the end.
func parseValue(text string) (value, bool) {
	integer, rest := leadingInteger(text)
	double, ok := parseDouble(text)
	if !ok {
		double = float64(integer)
	}
	return value{integer: integer, double: double, text: text}, ok || rest == "" && text != ""
}

// parseDouble reads the whole of text as C's strtod does: besides decimal numbers inf, nan (also as nan(...)), both
// signed and in any case, and hexadecimal numbers, whose exponent may be missing. What is too large is infinite.
func parseDouble(text string) (float64, bool) {
	unsigned := strings.ToLower(strings.TrimLeft(text, "+-"))
	switch {
	case len(text)-len(unsigned) > 1 || strings.Contains(text, "_") && !isNaN(unsigned):
		return 0, false
	case isNaN(unsigned):
		return math.NaN(), true
	case strings.HasPrefix(unsigned, "0x") && !strings.Contains(unsigned, "p"):
		text += "p0"
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// isNaN says whether text is nan, or nan with letters, digits and underscores in parentheses.
func isNaN(text string) bool {
	payload, ok := strings.CutPrefix(text, "nan")
	if !ok || payload == "" {
		return ok
	}
	other := func(r rune) bool { return r != '_' && (r > 'z' || digit(byte(r)) > 35) }
	return len(payload) >= 2 && payload[0] == '(' && payload[len(payload)-1] == ')' &&
		strings.IndexFunc(payload[1:len(payload)-1], other) < 0
}

// leadingInteger reads the longest integer prefix as C's strtoull with base 0 does: saturating, negative values
// wrapped. Without one it returns 0 and the whole text.
func leadingInteger(text string) (n uint64, rest string) {
	digits, negative := text, false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative, digits = digits[0] == '-', digits[1:]
	}
	base := uint64(10)
	switch {
	case len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X") && digit(digits[2]) < 16:
		base, digits = 16, digits[2:]
	case digits != "" && digits[0] == '0':
		base = 8
	}
	i, over := 0, false
	for ; i < len(digits) && digit(digits[i]) < base; i++ {
		d := digit(digits[i])
		over = over || n > (math.MaxUint64-d)/base
		n = n*base + d
	}
	switch {
	case i == 0:
		return 0, text
	case over:
		return math.MaxUint64, digits[i:]
	case negative:
		n = -n
	}
	return n, digits[i:]
}

// words splits a line at C's white space, which is ASCII alone.
func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' })
}

// digit is the value of a digit in bases up to 36, 255 for what is none.
func digit(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'z':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return uint64(c-'A') + 10
	}
	return 255
}

// find looks a key up as the official LoadGen does: model.scenario, *.scenario, model.*, *.*.
func (f file) find(model, scenario, key string) (full string, v value, ok bool) {
	for _, prefix := range []string{model + "." + scenario, "*." + scenario, model + ".*", "*.*"} {
		full = prefix + "." + key
		if v, ok = f.values[full]; ok {
			return full, v, true
		}
	}
	return "", value{}, false
}

// apply sets what the file says for a model and a scenario. Fields that come from the rules alone are set only where
// rules is true. note hears of each value that was stored, unread of each that another setting keeps from being read.
func (f file) apply(
	s *settings, model, scenario string, rules bool,
	note func(loadgen.Field, string, value), unread func(key string, line int, without string),
) {
	for _, field := range fields {
		if field.Key == "" || field.RulesOnly && !rules {
			continue
		}
		under := scenario
		if field.Scenario != "" {
			under = field.Scenario
		}
		key, v, ok := f.find(model, under, field.Key)
		switch {
		case !ok:
		case ignored(field, s) != "":
			unread(key, v.line, ignored(field, s))
		case store(field, s, v):
			note(field, key, v)
		}
	}
}
