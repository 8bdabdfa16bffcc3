package mlconf

import (
	"math"
	"strconv"
	"strings"
)

// value is a number of a configuration file as the official LoadGen holds it: integer keys use the integer prefix of
// the text (12.9 is 12, 1e3 is 1, -1 wraps, 0x and leading 0 are hexadecimal and octal), others the whole as a double.
type value struct {
	integer uint64
	double  float64
	text    string
	line    int
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
	tokens := strings.Fields(line)
	for i, token := range tokens {
		switch {
		case token == "#" && i < 2:
			return key, nil, nil
		case i == 0:
			key = token
		case i == 1 && token != "=":
			return key, nil, &badLine{text: "want = after the key", what: "want KEY = VALUE with white space around =, found " + strconv.Quote(token) + " after the key"}
		case i > 1:
			parsed, ok := parseValue(token)
			if !ok {
				return key, nil, &badLine{text: "value needs to be integer or double", what: "want a number, found " + strconv.Quote(token)}
			}
			v = &parsed
		}
	}
	return key, v, nil
}

// parseValue accepts what C's strtoull with base 0 or strtod read to the end.
func parseValue(text string) (value, bool) {
	integer, rest := leadingInteger(text)
	v := value{integer: integer, text: text}
	double, err := strconv.ParseFloat(text, 64)
	switch {
	case strings.Contains(text, "_"):
		return v, false
	case err == nil || errorIsRange(err):
		v.double = double
		return v, true
	case rest == "" && text != "":
		v.double = float64(integer)
		return v, true
	}
	return v, false
}

func errorIsRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
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
	i := 0
	for ; i < len(digits) && digit(digits[i]) < base; i++ {
		d := digit(digits[i])
		if n > (math.MaxUint64-d)/base {
			n = math.MaxUint64
			continue
		}
		n = n*base + d
	}
	if i == 0 {
		return 0, text
	}
	if negative && n != math.MaxUint64 {
		n = -n
	}
	return n, digits[i:]
}

// digit is the value of a digit, 255 for what is none.
func digit(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'f':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'F':
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
// rules is true. note hears of each value that was stored.
func (f file) apply(s *settings, model, scenario string, rules bool, note func(Field, string, value)) {
	for _, field := range fields {
		if field.Key == "" || field.RulesOnly && !rules {
			continue
		}
		under := scenario
		if field.Scenario != "" {
			under = field.Scenario
		}
		if key, v, ok := f.find(model, under, field.Key); ok && field.set(s, v) {
			note(field, key, v)
		}
	}
}
