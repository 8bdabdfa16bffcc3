package mathgrade

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// NormalizeFirst returns the first normal form: without white space, \left and \right, degrees and currency signs, and
// with braces in fractions and roots. A text that it cannot rewrite is only stripped.
func NormalizeFirst(s string) string {
	s = pystr.Trim(s)
	if inside, ok := textInside(s); ok {
		s = pystr.Trim(inside)
	}
	if t, ok := firstForm(s); ok {
		return t
	}
	return s
}

// textInside returns X if s is \text{X}, apart from a newline at its end. X is not empty and contains no newline.
func textInside(s string) (inside string, ok bool) {
	if !strings.HasPrefix(s, `\text{`) {
		return "", false
	}
	s = strings.TrimPrefix(s, `\text{`)
	s = strings.TrimSuffix(s, "\n")
	if inside, ok = strings.CutSuffix(s, "}"); !ok || inside == "" || strings.Contains(inside, "\n") {
		return "", false
	}
	return inside, true
}

var (
	firstDropped = []string{
		"\n", "", `\!`, "", `\\`, `\`, "tfrac", "frac", "dfrac", "frac", `\left`, "", `\right`, "", `^{\circ}`, "",
		`^\circ`, "", `\$`, "",
	}
	firstPoints = []string{`\%`, "", " .", " 0.", "{.", "{0."}
)

// replacePairs makes replacements one after the other; pairs contains old and new texts in turn.
func replacePairs(s string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

func firstForm(s string) (t string, ok bool) {
	s = replacePairs(s, firstDropped)
	const unit = `\text{ `
	switch strings.Count(s, unit) {
	case 0:
	case 1:
		s, _, _ = strings.Cut(s, unit)
	default:
		return "", false
	}
	s = replacePairs(s, firstPoints)
	if s == "" {
		return "", true
	}
	if s[0] == '.' {
		s = "0" + s
	}
	if name, value, one := strings.Cut(s, "="); one && !strings.Contains(value, "=") && utf8.RuneCountInString(name) <= 2 {
		s = value
	}
	if s, ok = bracedRoots(s); !ok {
		return "", false
	}
	if s, ok = bracedFractions(strings.ReplaceAll(s, " ", "")); !ok {
		return "", false
	}
	if s == "0.5" {
		s = `\frac{1}{2}`
	}
	if a, b, one := strings.Cut(s, "/"); one && isCanonical(a) && isCanonical(b) {
		s = `\frac{` + a + "}{" + b + "}"
	}
	return s, true
}

// bracedRoots adds braces around the character after each \sqrt without braces.
func bracedRoots(s string) (t string, ok bool) {
	parts := strings.Split(s, `\sqrt`)
	var b strings.Builder
	b.WriteString(parts[0])
	for _, p := range parts[1:] {
		if p == "" {
			return "", false
		}
		b.WriteString(`\sqrt`)
		p = writeBraced(&b, p)
		b.WriteString(p)
	}
	return b.String(), true
}

// writeBraced writes the first character of s, in braces unless it is a brace, and returns the rest of s.
func writeBraced(b *strings.Builder, s string) (rest string) {
	if s[0] == '{' {
		return s
	}
	_, n := utf8.DecodeRuneInString(s)
	b.WriteByte('{')
	b.WriteString(s[:n])
	b.WriteByte('}')
	return s[n:]
}

// bracedFractions adds braces around the two characters after each \frac without braces. If only one character follows
// one of them, it changes nothing.
func bracedFractions(s string) (t string, ok bool) {
	parts := strings.Split(s, `\frac`)
	var b strings.Builder
	b.WriteString(parts[0])
	for _, p := range parts[1:] {
		if p == "" {
			return "", false
		}
		b.WriteString(`\frac`)
		if p[0] != '{' {
			_, n := utf8.DecodeRuneInString(p)
			if n == len(p) {
				return s, true
			}
			p = writeBraced(&b, p)
			p = writeBraced(&b, p)
		}
		b.WriteString(p)
	}
	return b.String(), true
}

// isCanonical reports whether s is an integer as Python writes it, with no more digits than Python reads.
func isCanonical(s string) bool {
	const maxDigits = 4300
	digits := strings.TrimPrefix(s, "-")
	if s == "0" {
		return true
	}
	if digits == "" || len(digits) > maxDigits || digits[0] == '0' {
		return false
	}
	return isDigits(digits)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
