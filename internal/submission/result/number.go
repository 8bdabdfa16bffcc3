package result

import (
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// FormatNumber formats a number like the official tools: the shortest text that gives the same float64, with a decimal
// point, or with an exponent below 1e-4 and from 1e16.
func FormatNumber(v float64) string { return pyfloat.Repr(v) }

// significantDigits is the rules' number of significant digits of an accuracy.
const significantDigits = 5

// RoundText rounds a decimal text to the rules' five significant digits, half to even: "76.460" stays "76.460",
// "98.9995" becomes "99.000". A zero stays unchanged. ok is false if text is not a decimal.
func RoundText(text string) (rounded string, ok bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return "", false
	}
	return d.roundTo(significantDigits).String(), true
}

// decimalNumber is a decimal number: digits, without leading zeros, times ten to the exponent.
type decimalNumber struct {
	negative bool
	digits   string
	exponent int
}

func parseDecimal(text string) (decimalNumber, bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(text, "xXpP_") {
		return decimalNumber{}, false
	}
	var d decimalNumber
	mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if found {
		if d.exponent, err = strconv.Atoi(exponent); err != nil {
			return d, false
		}
	}
	d.negative = strings.HasPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	d.digits = strings.TrimLeft(whole+fraction, "0")
	if v == 0 {
		d.digits = "" // also for values too small for a float64
	}
	d.exponent -= len(fraction)
	return d, true
}

// roundTo rounds to n digits. It adds zeros if there are fewer.
func (d decimalNumber) roundTo(n int) decimalNumber {
	if d.digits == "" {
		return d
	}
	if missing := n - len(d.digits); missing >= 0 {
		d.digits += strings.Repeat("0", missing)
		d.exponent -= missing
		return d
	}
	kept, rest := d.digits[:n], d.digits[n:]
	d.exponent += len(rest)
	half := "5" + strings.Repeat("0", len(rest)-1)
	if rest > half || rest == half && (kept[n-1]-'0')%2 == 1 {
		v, _ := strconv.ParseUint(kept, 10, 64) // only digits
		kept = strconv.FormatUint(v+1, 10)
	}
	d.exponent += len(kept) - n // for 99999 rounded to 100000
	d.digits = kept[:n]
	return d
}

func (d decimalNumber) String() string {
	if d.digits == "" {
		return "0"
	}
	text := d.digits
	switch point := len(text) + d.exponent; {
	case d.exponent >= 0:
		text += strings.Repeat("0", d.exponent)
	case point > 0:
		text = text[:point] + "." + text[point:]
	default:
		text = "0." + strings.Repeat("0", -point) + text
	}
	if d.negative {
		text = "-" + text
	}
	return text
}
