package wer

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// spaceClass is a character class with the characters that Python treats as white space.
const spaceClass = `\t-\r\x1c-\x20\x{85}\p{Z}`

var (
	halfPattern     = regexp.MustCompile(`\band[` + spaceClass + `]+a[` + spaceClass + `]+half\b`)
	letterDigit     = regexp.MustCompile(`([a-z])([0-9])`)
	digitLetter     = regexp.MustCompile(`([0-9])([a-z])`)
	separateSuffix  = regexp.MustCompile(`([0-9])[` + spaceClass + `]+(st|nd|rd|th|s)\b`)
	amountWithCents = regexp.MustCompile(`([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b`)
	onlyCents       = regexp.MustCompile(`[€£$]0.([0-9]{1,2})\b`)
	singleOne       = regexp.MustCompile(`\b1(s?)\b`)
	arabicNumber    = regexp.MustCompile(`^\p{Nd}+(\.\p{Nd}+)?$`)
)

// writeNumerals replaces the number words of a text by digits and puts currency signs before them.
func writeNumerals(text string) string {
	text = writeHalves(text)
	text = letterDigit.ReplaceAllString(text, "$1 $2")
	text = digitLetter.ReplaceAllString(text, "$1 $2")
	text = separateSuffix.ReplaceAllString(text, "$1$2")
	text = strings.Join(readNumbers(pystr.Fields(text)), " ")
	text = amountWithCents.ReplaceAllStringFunc(text, func(s string) string {
		m := amountWithCents.FindStringSubmatch(s)
		if len(m[3]) == 1 {
			m[3] = "0" + m[3]
		}
		return m[1] + m[2] + "." + m[3]
	})
	text = onlyCents.ReplaceAllStringFunc(text, func(s string) string {
		cents, _ := strconv.Atoi(onlyCents.FindStringSubmatch(s)[1])
		return "¢" + strconv.Itoa(cents)
	})
	return singleOne.ReplaceAllString(text, "one$1")
}

// writeHalves replaces "and a half" after a number by a decimal. At the beginning of the text, it removes the words.
func writeHalves(text string) string {
	parts := halfPattern.Split(text, -1)
	var kept []string
	for i, part := range parts {
		words := pystr.Fields(part)
		if len(words) == 0 {
			continue
		}
		kept = append(kept, part)
		if i == len(parts)-1 {
			break
		}
		if last := words[len(words)-1]; isDecimal(last) || multiplierValues[last] != nil {
			kept = append(kept, "point five")
		} else {
			kept = append(kept, "and a half")
		}
	}
	return strings.Join(kept, " ")
}

// partialNumber is the number read so far: empty, an integer, or a string of digits and points.
type partialNumber struct {
	whole  *big.Int
	digits string
}

func (q partialNumber) isEmpty() bool { return q.whole == nil && q.digits == "" }

// isDigits reports whether the number is a string of digits.
func (q partialNumber) isDigits() bool { return q.digits != "" }

func (q partialNumber) String() string {
	if q.whole != nil {
		return q.whole.String()
	}
	return q.digits
}

// digitsPrefix returns the number as the beginning of a string of digits; "" for 0.
func (q partialNumber) digitsPrefix() string {
	if q.whole != nil && q.whole.Sign() == 0 {
		return ""
	}
	return q.String()
}

// endsIn reports whether an integer ends in as many zeros as unit.
func (q partialNumber) endsIn(unit int64) bool {
	return new(big.Int).Mod(q.whole, big.NewInt(unit)).Sign() == 0
}

// timesMultiplier returns the number multiplied by multiplier, or nil if the product is not an integer.
func (q partialNumber) timesMultiplier(multiplier *big.Int) *big.Int {
	text := pyfloat.ToASCIIDigits(q.String())
	if strings.Count(text, ".") > 1 || strings.Trim(text, "0123456789.") != "" || text == "." {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	if r.Mul(r, new(big.Rat).SetInt(multiplier)); !r.IsInt() {
		return nil
	}
	return r.Num()
}

// scaleBelowThousand multiplies the part below a thousand, as in "two thousand three hundred".
func (q partialNumber) scaleBelowThousand(multiplier *big.Int) *big.Int {
	thousand := big.NewInt(1000)
	rest := new(big.Int).Mod(q.whole, thousand)
	before := new(big.Int).Sub(q.whole, rest)
	return before.Add(before, rest.Mul(rest, multiplier))
}

// numberReader converts a list of words. It has a method for each kind of word.
type numberReader struct {
	out    []string
	prefix string // a sign to write before the next text
	value  partialNumber

	before, word, next string // "" before the first and after the last word
	skipNext           bool   // the next word was already read
}

func readNumbers(words []string) []string {
	r := numberReader{}
	for i, w := range words {
		if r.skipNext {
			r.skipNext = false
			continue
		}
		r.before, r.word, r.next = "", w, ""
		if i > 0 {
			r.before = words[i-1]
		}
		if i+1 < len(words) {
			r.next = words[i+1]
		}
		r.readWord()
	}
	r.flushNumber()
	return r.out
}

func (r *numberReader) readWord() {
	sign, bare := r.splitSign()
	switch w := r.word; {
	case arabicNumber.MatchString(bare):
		r.readArabic(sign, bare)
	case zeroWords[w]:
		r.setDigits(r.value.digitsPrefix() + "0")
	case unitValues[w] > 0 || tenValues[w] > 0:
		r.readUnitWord(w)
	case numberEndings[w].suffix != "":
		r.readEnding(numberEndings[w])
	case multiplierValues[w] != nil:
		r.readMultiplier(multiplierValues[w])
	case endedMultipliers[w].suffix != "":
		r.readMultiplierEnding(endedMultipliers[w])
	case signWords[w] != "":
		r.readSignWord(signWords[w])
	case currencySymbols[w] != "":
		r.readCurrency(currencySymbols[w])
	case w == "per" || w == "percent":
		r.readPercent()
	case specialWords[w]:
		r.readSpecial()
	default:
		r.flushNumber()
		r.writeText(w)
	}
}

// writeText writes something with the sign that waits, and ends the number.
func (r *numberReader) writeText(text string) {
	r.out = append(r.out, r.prefix+text)
	r.prefix, r.value = "", partialNumber{}
}

// flushNumber writes the number if there is one.
func (r *numberReader) flushNumber() {
	if !r.value.isEmpty() {
		r.writeText(r.value.String())
	}
}

func (r *numberReader) setDigits(text string) { r.value = partialNumber{digits: text} }
func (r *numberReader) setWhole(n *big.Int)   { r.value = partialNumber{whole: n} }
func (r *numberReader) nextIsArabic() bool    { return arabicNumber.MatchString(r.next) }
func (r *numberReader) nextIsNumber() bool    { return numberWords[r.next] || r.nextIsArabic() }
func (r *numberReader) wholePlus(n int64) *big.Int {
	return new(big.Int).Add(r.value.whole, big.NewInt(n))
}

// splitSign splits a sign or a currency symbol from the beginning of the word.
func (r *numberReader) splitSign() (sign, bare string) {
	first, size := utf8.DecodeRuneInString(r.word)
	if strings.ContainsRune("-+£€$¢", first) {
		return r.word[:size], r.word[size:]
	}
	return "", r.word
}

func (r *numberReader) readArabic(sign, bare string) {
	if r.value.isDigits() && strings.HasSuffix(r.value.digits, ".") {
		r.setDigits(r.value.digits + r.word)
		return
	}
	r.flushNumber()
	if sign != "" {
		r.prefix = sign
	}
	if n := (partialNumber{digits: bare}).timesMultiplier(big.NewInt(1)); n != nil {
		r.setWhole(n)
		return
	}
	r.setDigits(bare)
}

// readUnitWord reads a word from one to nineteen or a multiple of ten.
func (r *numberReader) readUnitWord(word string) {
	if r.value.isEmpty() {
		r.setWhole(big.NewInt(unitValues[word] + tenValues[word]))
		return
	}
	whole, text := r.appendUnit(unitValues[word], tenValues[word])
	if whole != nil {
		r.setWhole(whole)
		return
	}
	r.setDigits(text)
}

// readEnding reads a plural or an ordinal and ends the number.
func (r *numberReader) readEnding(e numberEnding) {
	if r.value.isEmpty() {
		r.writeText(strconv.FormatInt(e.unit+e.ten, 10) + e.suffix)
		return
	}
	whole, text := r.appendUnit(e.unit, e.ten)
	if whole != nil {
		text = whole.String()
	}
	r.writeText(text + e.suffix)
}

// appendUnit adds a unit (0 to 19) or a multiple of ten to the number if the number ends in enough zeros. Otherwise it
// appends the digits, and text contains the result.
func (r *numberReader) appendUnit(unit, ten int64) (whole *big.Int, text string) {
	n, zeros := unit, int64(10)
	if ten > 0 {
		n = ten
	}
	if n >= 10 {
		zeros = 100
	}
	said := r.value.String()
	switch {
	case ten == 0 && n < 10 && tenValues[r.before] > 0 && r.value.isDigits() && strings.HasSuffix(said, "0"):
		return nil, said[:len(said)-1] + strconv.FormatInt(n, 10)
	case r.value.whole != nil && (ten > 0 || unitValues[r.before] == 0) && r.value.endsIn(zeros):
		return r.wholePlus(n), ""
	}
	return nil, said + strconv.FormatInt(n, 10)
}

func (r *numberReader) readMultiplier(multiplier *big.Int) {
	switch {
	case r.value.isEmpty():
		r.setWhole(multiplier)
	case r.value.isDigits() || r.value.whole.Sign() == 0:
		if n := r.value.timesMultiplier(multiplier); n != nil {
			r.setWhole(n)
			return
		}
		r.flushNumber()
		r.setWhole(multiplier)
	default:
		r.setWhole(r.value.scaleBelowThousand(multiplier))
	}
}

func (r *numberReader) readMultiplierEnding(e multiplierEnding) {
	switch {
	case r.value.isEmpty():
		r.writeText(e.value.String() + e.suffix)
	case r.value.isDigits():
		if n := r.value.timesMultiplier(e.value); n != nil {
			r.writeText(n.String() + e.suffix)
			return
		}
		r.flushNumber()
		r.writeText(e.value.String() + e.suffix)
	default:
		r.writeText(r.value.scaleBelowThousand(e.value).String() + e.suffix)
	}
}

// readSignWord reads a word for a sign. The sign counts only if a number follows.
func (r *numberReader) readSignWord(sign string) {
	r.flushNumber()
	if r.nextIsNumber() {
		r.prefix = sign
		return
	}
	r.writeText(r.word)
}

// readCurrency reads a word for a currency. Its symbol goes before the preceding number.
func (r *numberReader) readCurrency(sign string) {
	if r.value.isEmpty() {
		r.writeText(r.word)
		return
	}
	r.prefix = sign
	r.flushNumber()
}

func (r *numberReader) readPercent() {
	switch {
	case r.value.isEmpty():
		r.writeText(r.word)
	case r.word == "percent":
		r.writeText(r.value.String() + "%")
	case r.next == "cent":
		r.writeText(r.value.String() + "%")
		r.skipNext = true
	default:
		r.flushNumber()
		r.writeText(r.word)
	}
}

// readSpecial reads words that belong to a number only if another number follows.
func (r *numberReader) readSpecial() {
	times := map[string]int{"double": 2, "triple": 3}[r.word]
	switch {
	case !r.nextIsNumber():
	case r.word == "and" && multiplierValues[r.before] != nil: // two hundred and one
		return
	case times > 0 && (unitValues[r.next] > 0 || zeroWords[r.next]):
		r.setDigits(r.value.digitsPrefix() + strings.Repeat(strconv.FormatInt(unitValues[r.next], 10), times))
		r.skipNext = true
		return
	case r.word == "point":
		if isDecimal(r.next) || r.nextIsArabic() {
			r.setDigits(r.value.digitsPrefix() + ".")
		}
		return
	}
	r.flushNumber()
	r.writeText(r.word)
}
