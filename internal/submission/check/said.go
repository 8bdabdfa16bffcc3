package check

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// saidNumber is a number as a text shows it, with as many decimals as it has there.
type saidNumber struct {
	v    float64
	unit float64 // of the last decimal; 0 where there are none
}

// saidForm is a number in a text: its decimals and its exponent.
var saidForm = regexp.MustCompile(`^[-+]?\d*(?:\.(\d*))?(?:[eE]([-+]?\d+))?$`)

// parseSaid reads a number of a text; ok is false where it is none.
func parseSaid(text string) (p saidNumber, ok bool) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return saidNumber{}, false
	}
	p.v = v
	if m := saidForm.FindStringSubmatch(text); m != nil && m[1] != "" {
		exponent, _ := strconv.Atoi(m[2])
		p.unit = math.Pow10(exponent - len(m[1]))
	}
	return p, true
}

// logDigits is how near to a number the six digits are that LoadGen logs of it, relative.
const logDigits = 1e-5

// canShow says whether the text can show a number: both agree to a thousandth, or as far as the decimals of the text
// go, as 0.81 is 0.81492. Official scripts take scores from summaries, which have two decimals.
func (p saidNumber) canShow(v float64) bool {
	return nearlyEqual(p.v, v) || math.Abs(p.v-v) <= p.unit/2+logDigits*math.Abs(v)
}

// nearlyEqual says whether two numbers agree to a thousandth: texts have three digits or more.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Max(math.Abs(a), math.Abs(b)) }
