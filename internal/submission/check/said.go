package check

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// printedNumber is a number in a text with its precision.
type printedNumber struct {
	value    float64
	lastUnit float64 // unit of the last decimal; 0: no decimals
}

// printedForm matches a number in a text: its decimals and its exponent.
var printedForm = regexp.MustCompile(`^[-+]?\d*(?:\.(\d*))?(?:[eE]([-+]?\d+))?$`)

// parsePrinted parses a number in a text. ok is false if the text is not a number.
func parsePrinted(text string) (p printedNumber, ok bool) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return printedNumber{}, false
	}
	p.value = v
	if m := printedForm.FindStringSubmatch(text); m != nil && m[1] != "" {
		exponent, _ := strconv.Atoi(m[2])
		p.lastUnit = math.Pow10(exponent - len(m[1]))
	}
	return p, true
}

// logDigits is the relative precision of LoadGen's logged numbers, which have six digits.
const logDigits = 1e-5

// canShow reports whether the text can be a rounded form of v. Both must agree to a thousandth, or to the text's
// decimals, as 0.81 and 0.81492 do. Official scripts read scores from summaries with two decimals.
func (p printedNumber) canShow(v float64) bool {
	return nearlyEqual(p.value, v) || math.Abs(p.value-v) <= p.lastUnit/2+logDigits*math.Abs(v)
}

// nearlyEqual reports whether two numbers agree to a thousandth. Texts have three digits or more.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Max(math.Abs(a), math.Abs(b)) }
