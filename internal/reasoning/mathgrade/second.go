package mathgrade

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// units are removed anywhere in a text, in this order, with a plural ending and an exponent.
var units = []string{
	"degree", "cm", "centimeter", "meter", "mile", "second", "minute", "hour", "day", "week", "month", "year", "foot",
	"feet", "inch", "yard",
}

var (
	secondWords = []string{
		`\%`, "%", `\$`, "$", "$", "", "%", "", " or ", " , ", " and ", " , ",
		"million", "*10^6", "billion", "*10^9", "trillion", "*10^12",
	}
	braces = []string{" ", "", "{", "", "}", ""}
)

// NormalizeSecond returns the second normal form: the plain text of LaTeX without units, blanks, braces, and commas
// between thousands.
func NormalizeSecond(s string) string {
	if inside, ok := textInside(s); ok {
		s = inside
	}
	s = replacePairs(s, secondWords)
	for _, u := range units {
		s = withoutUnit(s, u)
	}
	s = withoutCircle(s)
	if len(s) > 0 && s[0] == '{' && s[len(s)-1] == '}' {
		s = s[1 : len(s)-1]
	}
	s = replaceWithBlanks(s, `,\!`, "")
	if v, ok := pyfloat.Parse(s); ok && nearInteger(v) {
		s = formatInteger(math.RoundToEven(v))
	}
	if strings.Contains(s, `\`) {
		if t, ok := LatexText(s); ok {
			s = t
		}
	}
	s = pystr.Lower(replacePairs(addMissingPlus(replaceWithBlanks(s, "-", "-")), braces))
	if v, ok := parseIntegral(s); ok {
		s = formatInteger(math.Trunc(v))
	}
	return s
}

// withoutUnit removes a unit with the ending es or s, blanks, and ^ with digits.
func withoutUnit(s, unit string) string {
	rest := s
	var b strings.Builder
	for {
		before, behind, found := strings.Cut(rest, unit)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		behind = strings.TrimPrefix(behind, "es")
		behind = strings.TrimLeft(strings.TrimPrefix(behind, "s"), " ")
		if len(behind) > 1 && behind[0] == '^' && isDigits(behind[1:2]) {
			behind = strings.TrimLeft(behind[1:], "0123456789")
		}
		rest = behind
	}
}

// withoutCircle removes ^\circ, also with blanks in between.
func withoutCircle(s string) string {
	const circle = `\circ`
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '^')
		if i < 0 {
			break
		}
		behind := strings.TrimLeft(s[i+1:], " ")
		if !strings.HasPrefix(behind, circle) {
			b.WriteString(s[:i+1])
			s = s[i+1:]
			continue
		}
		b.WriteString(s[:i])
		s = behind[len(circle):]
	}
	b.WriteString(s)
	return b.String()
}

// replaceWithBlanks replaces old and the blanks after it by text.
func replaceWithBlanks(s, old, text string) string {
	var b strings.Builder
	for {
		before, behind, found := strings.Cut(s, old)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(text)
		s = strings.TrimLeft(behind, " ")
	}
}

// addMissingPlus adds a plus between digits that are separated by blanks. The digit after one plus does not count as
// the digit before another.
func addMissingPlus(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		b.WriteByte(c)
		i++
		if c < '0' || c > '9' {
			continue
		}
		end := i
		for end < len(s) && s[end] == ' ' {
			end++
		}
		if end > i && end < len(s) && isDigits(s[end:end+1]) {
			b.WriteByte('+')
			b.WriteByte(s[end])
			i = end + 1
		}
	}
	return b.String()
}

// nearInteger reports whether a number is within 1e-7 of an integer.
func nearInteger(v float64) bool {
	return !math.IsInf(v, 0) && math.Abs(math.RoundToEven(v)-v) <= 1e-7
}

// formatInteger writes a whole number with all its digits.
func formatInteger(v float64) string {
	n, _ := new(big.Float).SetFloat64(v).Int(nil)
	return n.String()
}

// parseIntegral parses an integer with commas between thousands, with a tolerance of 1e-7.
func parseIntegral(s string) (v float64, ok bool) {
	v, ok = pyfloat.Parse(withoutThousands(s))
	return v, ok && nearInteger(v)
}

// withoutThousands removes commas between a digit and three digits without a digit after them, until there are none.
func withoutThousands(s string) string {
	for {
		t, changed := dropThousandsOnce(s)
		if !changed {
			return t
		}
		s = t
	}
}

// dropThousandsOnce makes one pass of withoutThousands. The digits after a comma do not count as the start of another
// group.
func dropThousandsOnce(s string) (t string, changed bool) {
	if !strings.Contains(s, ",") {
		return s, false
	}
	var b strings.Builder
	kept := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		comma := i + n
		i = comma
		if !pyfloat.IsDigit(r) || comma >= len(s) || s[comma] != ',' {
			continue
		}
		end, ok := threeDigits(s, comma+1)
		if !ok {
			continue
		}
		b.WriteString(s[kept:comma])
		kept, changed = comma+1, true
		i = end
	}
	if !changed {
		return s, false
	}
	b.WriteString(s[kept:])
	return b.String(), true
}

// threeDigits returns the end of three digits at i, if no digit follows them.
func threeDigits(s string, i int) (end int, ok bool) {
	for range 3 {
		r, n := utf8.DecodeRuneInString(s[i:])
		if n == 0 || !pyfloat.IsDigit(r) {
			return 0, false
		}
		i += n
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return i, i == len(s) || !pyfloat.IsDigit(r)
}
