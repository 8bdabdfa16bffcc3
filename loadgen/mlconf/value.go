package mlconf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// confValue is a number of a configuration file in the official LoadGen's representation. Integer keys use the integer
// prefix of the text (12.9 is 12, 1e3 is 1, -1 wraps, 0x and leading 0 are hexadecimal and octal). Other keys use the
// whole text as a double.
type confValue struct {
	integer uint64
	double  float64
	text    string
	line    int
	// otherwise is the value in the round's text if it differs; empty in files of users.
	otherwise string
}

// parseValue parses a text that C's strtoull with base 0 or strtod reads to its end.
func parseValue(text string) (confValue, bool) {
	integer, rest := leadingInteger(text)
	double, ok := parseDouble(text)
	if !ok {
		double = float64(integer)
	}
	return confValue{integer: integer, double: double, text: text}, ok || rest == "" && text != ""
}

// parseDouble parses the whole text like C's strtod. In addition to decimal numbers, it accepts inf and nan (also
// nan(...)), with a sign and in any case, and hexadecimal numbers without an exponent. Numbers that are too large
// become infinite.
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

// isNaN reports whether text is nan, or nan with letters, digits and underscores in parentheses.
func isNaN(text string) bool {
	payload, ok := strings.CutPrefix(text, "nan")
	if !ok || payload == "" {
		return ok
	}
	other := func(r rune) bool { return r != '_' && (r > 'z' || digitValue(byte(r)) > 35) }
	return len(payload) >= 2 && payload[0] == '(' && payload[len(payload)-1] == ')' &&
		strings.IndexFunc(payload[1:len(payload)-1], other) < 0
}

// leadingInteger parses the longest integer prefix like C's strtoull with base 0. Large values saturate, and negative
// values wrap. If there is no prefix, it returns 0 and the whole text.
func leadingInteger(text string) (n uint64, rest string) {
	digits, negative := text, false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative, digits = digits[0] == '-', digits[1:]
	}
	base, digits := numberBase(digits)
	i, over := 0, false
	for ; i < len(digits) && digitValue(digits[i]) < base; i++ {
		d := digitValue(digits[i])
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

// numberBase returns the base that the prefix of a number indicates, and the number without "0x".
func numberBase(digits string) (base uint64, rest string) {
	switch {
	case len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X") && digitValue(digits[2]) < 16:
		return 16, digits[2:]
	case digits != "" && digits[0] == '0':
		return 8, digits
	}
	return 10, digits
}

// digitValue returns the value of a digit in bases up to 36, or 255 for other characters.
func digitValue(c byte) uint64 {
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

// asNumber returns the number that files use for the words of a switch.
func asNumber(text string) string {
	switch text {
	case "false":
		return "0"
	case "true":
		return "1"
	}
	return text
}

// checkValue returns a text on a value that the official LoadGen would silently change when storing it in f, or "".
func checkValue(f loadgen.Field, v confValue) string {
	switch f.Form {
	case loadgen.NumberForm, loadgen.PercentForm, loadgen.FracMillisForm, loadgen.NearMillisForm:
		if math.IsNaN(v.double) || math.IsInf(v.double, 0) || v.double < 0 {
			return fmt.Sprintf("want a number of at least 0%s, found %s", unitText(f), v.text)
		}
		if limit := maxValue(f); v.double > limit {
			return fmt.Sprintf("want at most %.6g%s, found %s", limit, unitText(f), v.text)
		}
		return ""
	case loadgen.BooleanForm, loadgen.ExactlyOneForm:
		if v.text != "0" && v.text != "1" {
			return fmt.Sprintf("want 0 or 1, found %s", v.text)
		}
		return ""
	}
	if _, rest := leadingInteger(v.text); rest != "" || strings.HasPrefix(v.text, "-") {
		return fmt.Sprintf("want a whole number of at least 0%s, found %s", unitText(f), v.text)
	}
	return checkRange(f, v)
}

// maxValue returns the maximum of a form of numbers with fractions.
func maxValue(f loadgen.Field) float64 {
	switch f.Form {
	case loadgen.PercentForm:
		return 100
	case loadgen.FracMillisForm, loadgen.NearMillisForm:
		return float64(maxMillis)
	}
	return math.MaxFloat64
}

func checkRange(f loadgen.Field, v confValue) string {
	limit := uint64(math.MaxUint64)
	switch f.Form {
	case loadgen.ModeForm:
		limit = uint64(loadgen.FindPeakPerformance)
	case loadgen.MillisForm, loadgen.WrapMillisForm, loadgen.TokenMillisForm:
		limit = uint64(maxMillis)
	case loadgen.SmallForm, loadgen.Count32Form:
		limit = math.MaxInt32
	}
	if v.integer > limit {
		return fmt.Sprintf("want at most %d%s, found %s", limit, unitText(f), v.text)
	}
	return ""
}

func unitText(f loadgen.Field) string {
	if f.Unit == "" {
		return ""
	}
	return " in " + f.Unit
}

type confSettings = loadgen.TestSettings

// ignoredWithout returns the name of the missing setting without which the official LoadGen ignores the field's key. It
// returns "" if LoadGen reads the key.
func ignoredWithout(f loadgen.Field, s *confSettings) string {
	switch {
	case f.Form == loadgen.TokenMillisForm && !s.UseTokenLatencies:
		return "use_token_latencies"
	case f.Form == loadgen.TokenCountForm && !s.InferTokenLatencies:
		return "infer_token_latencies"
	}
	return ""
}

// storeValue stores a value like the official LoadGen. If the mode does not exist, it changes nothing and returns
// false.
func storeValue(f loadgen.Field, s *confSettings, v confValue) (changed bool) {
	switch p := f.At(s).(type) {
	case *uint64:
		*p = v.integer
		if f.Form == loadgen.Count32Form {
			*p = uint64(int64(int32(v.integer)))
		}
	case *int:
		*p = int(v.integer)
	case *bool:
		*p = v.integer == 1 || f.Form == loadgen.BooleanForm && v.integer != 0
	case *loadgen.Mode:
		if v.integer > uint64(loadgen.FindPeakPerformance) {
			return false
		}
		*p = loadgen.Mode(v.integer)
	case *float64:
		*p = v.double
		if f.Form == loadgen.PercentForm {
			*p = v.double * 0.01
		}
	case *time.Duration:
		storeDuration(f, s, p, v)
	}
	return true
}

// maxMillis is the longest duration in milliseconds.
const maxMillis = math.MaxInt64 / int64(time.Millisecond)

func storeDuration(f loadgen.Field, s *confSettings, p *time.Duration, v confValue) {
	switch f.Form {
	case loadgen.MillisForm:
		*p = math.MaxInt64 // stands for a duration out of range
		if ms := int64(v.integer); ms <= maxMillis && ms >= -maxMillis {
			*p = time.Duration(ms) * time.Millisecond
		}
		return
	case loadgen.WrapMillisForm, loadgen.TokenMillisForm:
		*p = time.Duration(v.integer * uint64(time.Millisecond))
		return
	case loadgen.NearMillisForm:
		*p = math.MaxInt64
		if ns := math.Round(v.double * 1e6); math.Abs(ns) < math.MaxInt64 {
			*p = time.Duration(ns)
		}
		return
	}
	whole, fraction := math.Modf(v.double * 1e6)
	if !(math.Abs(whole) < math.MaxInt64) { // NaN or too large for a duration
		whole, fraction = 0, v.double*1e6
	}
	*p, *f.FractionAt(s) = time.Duration(whole), fraction
}
