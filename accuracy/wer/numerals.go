package wer

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
)

// spaces is Python's white space in a character class.
const spaces = `\t-\r\x1c-\x20\x{85}\p{Z}`

var (
	half         = regexp.MustCompile(`\band[` + spaces + `]+a[` + spaces + `]+half\b`)
	letterDigit  = regexp.MustCompile(`([a-z])([0-9])`)
	digitLetter  = regexp.MustCompile(`([0-9])([a-z])`)
	suffixApart  = regexp.MustCompile(`([0-9])[` + spaces + `]+(st|nd|rd|th|s)\b`)
	withCents    = regexp.MustCompile(`([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b`)
	onlyCents    = regexp.MustCompile(`[€£$]0.([0-9]{1,2})\b`)
	loneOne      = regexp.MustCompile(`\b1(s?)\b`)
	arabicNumber = regexp.MustCompile(`^\p{Nd}+(\.\p{Nd}+)?$`)
)

// numerals writes the numbers of a text in digits, with the signs of currencies before them.
func numerals(text string) string {
	text = halves(text)
	text = letterDigit.ReplaceAllString(text, "$1 $2")
	text = digitLetter.ReplaceAllString(text, "$1 $2")
	text = suffixApart.ReplaceAllString(text, "$1$2")
	text = strings.Join(readNumbers(pystr.Fields(text)), " ")
	text = withCents.ReplaceAllStringFunc(text, func(s string) string {
		m := withCents.FindStringSubmatch(s)
		if len(m[3]) == 1 {
			m[3] = "0" + m[3]
		}
		return m[1] + m[2] + "." + m[3]
	})
	text = onlyCents.ReplaceAllStringFunc(text, func(s string) string {
		cents, _ := strconv.Atoi(onlyCents.FindStringSubmatch(s)[1])
		return "¢" + strconv.Itoa(cents)
	})
	return loneOne.ReplaceAllString(text, "one$1")
}

// halves writes "and a half" behind a number as a decimal; at the beginning of the text it goes.
func halves(text string) string {
	parts := half.Split(text, -1)
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
		if last := words[len(words)-1]; isDecimal(last) || multipliers[last] != nil {
			kept = append(kept, "point five")
		} else {
			kept = append(kept, "and a half")
		}
	}
	return strings.Join(kept, " ")
}

// quantity is the number that has been read so far: nothing, a whole number, or digits (and points) as they were said.
type quantity struct {
	whole  *big.Int
	digits string
}

func (q quantity) none() bool { return q.whole == nil && q.digits == "" }

// said is whether the number is digits.
func (q quantity) said() bool { return q.digits != "" }

func (q quantity) String() string {
	if q.whole != nil {
		return q.whole.String()
	}
	return q.digits
}

// heard is the number as the beginning of digits: 0 is nothing.
func (q quantity) heard() string {
	if q.whole != nil && q.whole.Sign() == 0 {
		return ""
	}
	return q.String()
}

// endsIn is whether a whole number ends in as many zeros as unit has.
func (q quantity) endsIn(unit int64) bool {
	return new(big.Int).Mod(q.whole, big.NewInt(unit)).Sign() == 0
}

// times is digits, or a whole number, times a multiplier; nil where that is not whole.
func (q quantity) times(multiplier *big.Int) *big.Int {
	text := pyfloat.Digits(q.String())
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

// scaled multiplies what is below a thousand: two thousand three hundred.
func (q quantity) scaled(multiplier *big.Int) *big.Int {
	thousand := big.NewInt(1000)
	rest := new(big.Int).Mod(q.whole, thousand)
	before := new(big.Int).Sub(q.whole, rest)
	return before.Add(before, rest.Mul(rest, multiplier))
}

// numberReader reads a list of words; its methods are the kinds of words.
type numberReader struct {
	out    []string
	prefix string // a sign that the next thing written gets
	value  quantity

	before, word, next string // "" beyond the ends
	skip               bool   // the next word is done
}

func readNumbers(words []string) []string {
	r := numberReader{}
	for i, w := range words {
		if r.skip {
			r.skip = false
			continue
		}
		r.before, r.word, r.next = "", w, ""
		if i > 0 {
			r.before = words[i-1]
		}
		if i+1 < len(words) {
			r.next = words[i+1]
		}
		r.read()
	}
	r.flush()
	return r.out
}

func (r *numberReader) read() {
	sign, bare := r.sign()
	switch w := r.word; {
	case arabicNumber.MatchString(bare):
		r.arabic(sign, bare)
	case zeros[w]:
		r.digits(r.value.heard() + "0")
	case units[w] > 0 || tensOf[w] > 0:
		r.add(w)
	case ended[w].suffix != "":
		r.end(ended[w])
	case multipliers[w] != nil:
		r.multiply(multipliers[w])
	case multipliersEnded[w].suffix != "":
		r.multiplyAndEnd(multipliersEnded[w])
	case signs[w] != "":
		r.signWord(signs[w])
	case currencies[w] != "":
		r.currency(currencies[w])
	case w == "per" || w == "percent":
		r.percent()
	case specials[w]:
		r.special()
	default:
		r.flush()
		r.write(w)
	}
}

// write writes something with the sign that waits, and ends the number.
func (r *numberReader) write(text string) {
	r.out = append(r.out, r.prefix+text)
	r.prefix, r.value = "", quantity{}
}

// flush writes the number if there is one.
func (r *numberReader) flush() {
	if !r.value.none() {
		r.write(r.value.String())
	}
}

func (r *numberReader) digits(text string)   { r.value = quantity{digits: text} }
func (r *numberReader) number(n *big.Int)    { r.value = quantity{whole: n} }
func (r *numberReader) nextIsArabic() bool   { return arabicNumber.MatchString(r.next) }
func (r *numberReader) nextIsNumber() bool   { return numberWords[r.next] || r.nextIsArabic() }
func (r *numberReader) sum(n int64) *big.Int { return new(big.Int).Add(r.value.whole, big.NewInt(n)) }

// sign splits a sign or a currency from the front of the word.
func (r *numberReader) sign() (sign, bare string) {
	first, size := utf8.DecodeRuneInString(r.word)
	if strings.ContainsRune("-+£€$¢", first) {
		return r.word[:size], r.word[size:]
	}
	return "", r.word
}

func (r *numberReader) arabic(sign, bare string) {
	if r.value.said() && strings.HasSuffix(r.value.digits, ".") {
		r.digits(r.value.digits + r.word)
		return
	}
	r.flush()
	if sign != "" {
		r.prefix = sign
	}
	if n := (quantity{digits: bare}).times(big.NewInt(1)); n != nil {
		r.number(n)
		return
	}
	r.digits(bare)
}

// add reads one of the words one to nineteen, or of the tens.
func (r *numberReader) add(word string) {
	if r.value.none() {
		r.number(big.NewInt(units[word] + tensOf[word]))
		return
	}
	whole, text := r.joined(units[word], tensOf[word])
	if whole != nil {
		r.number(whole)
		return
	}
	r.digits(text)
}

// end reads a plural or an ordinal, which ends the number.
func (r *numberReader) end(e ending) {
	if r.value.none() {
		r.write(strconv.FormatInt(e.unit+e.ten, 10) + e.suffix)
		return
	}
	whole, text := r.joined(e.unit, e.ten)
	if whole != nil {
		text = whole.String()
	}
	r.write(text + e.suffix)
}

// joined puts a unit (below 20, 0 too) or a ten behind the number: into its zeros where it has them, else beside it.
func (r *numberReader) joined(unit, ten int64) (whole *big.Int, text string) {
	n, zeros := unit, int64(10)
	if ten > 0 {
		n = ten
	}
	if n >= 10 {
		zeros = 100
	}
	said := r.value.String()
	switch {
	case ten == 0 && n < 10 && tensOf[r.before] > 0 && r.value.said() && strings.HasSuffix(said, "0"):
		return nil, said[:len(said)-1] + strconv.FormatInt(n, 10)
	case r.value.whole != nil && (ten > 0 || units[r.before] == 0) && r.value.endsIn(zeros):
		return r.sum(n), ""
	}
	return nil, said + strconv.FormatInt(n, 10)
}

func (r *numberReader) multiply(multiplier *big.Int) {
	switch {
	case r.value.none():
		r.number(multiplier)
	case r.value.said() || r.value.whole.Sign() == 0:
		if n := r.value.times(multiplier); n != nil {
			r.number(n)
			return
		}
		r.flush()
		r.number(multiplier)
	default:
		r.number(r.value.scaled(multiplier))
	}
}

func (r *numberReader) multiplyAndEnd(e multiplierEnding) {
	switch {
	case r.value.none():
		r.write(e.value.String() + e.suffix)
	case r.value.said():
		if n := r.value.times(e.value); n != nil {
			r.write(n.String() + e.suffix)
			return
		}
		r.flush()
		r.write(e.value.String() + e.suffix)
	default:
		r.write(r.value.scaled(e.value).String() + e.suffix)
	}
}

// signWord is a sign where a number follows.
func (r *numberReader) signWord(sign string) {
	r.flush()
	if r.nextIsNumber() {
		r.prefix = sign
		return
	}
	r.write(r.word)
}

// currency is the sign of the number before it.
func (r *numberReader) currency(sign string) {
	if r.value.none() {
		r.write(r.word)
		return
	}
	r.prefix = sign
	r.flush()
}

func (r *numberReader) percent() {
	switch {
	case r.value.none():
		r.write(r.word)
	case r.word == "percent":
		r.write(r.value.String() + "%")
	case r.next == "cent":
		r.write(r.value.String() + "%")
		r.skip = true
	default:
		r.flush()
		r.write(r.word)
	}
}

// special reads the words that are part of a number only where one follows.
func (r *numberReader) special() {
	times := map[string]int{"double": 2, "triple": 3}[r.word]
	switch {
	case !r.nextIsNumber():
	case r.word == "and" && multipliers[r.before] != nil: // two hundred and one
		return
	case times > 0 && (units[r.next] > 0 || zeros[r.next]):
		r.digits(r.value.heard() + strings.Repeat(strconv.FormatInt(units[r.next], 10), times))
		r.skip = true
		return
	case r.word == "point":
		if isDecimal(r.next) || r.nextIsArabic() {
			r.digits(r.value.heard() + ".")
		}
		return
	}
	r.flush()
	r.write(r.word)
}
