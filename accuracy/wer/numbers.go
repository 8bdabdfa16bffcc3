package wer

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Patterns of the numbers in a transcript, in the order of replacement.
var (
	commaNumber   = regexp.MustCompile(`[0-9][0-9,]+[0-9]`)
	dollarAmount  = regexp.MustCompile(`\$([0-9.,]*[0-9]+)`)
	decimalNumber = regexp.MustCompile(`[0-9]+\.[0-9]+`)
	ordinalNumber = regexp.MustCompile(`([0-9]+)(?:st|nd|rd|th)`)
	wholeNumber   = regexp.MustCompile(`[0-9]+`)
)

// spellNumbers spells out the numbers of an ASCII text. It does not handle pounds and times of day: the official script
// converts the pound sign to letters, and hours and minutes to words, before it looks for them.
func spellNumbers(text string) (string, error) {
	var failed error
	replace := func(pattern *regexp.Regexp, say func(number string) (string, error)) {
		text = pattern.ReplaceAllStringFunc(text, func(number string) string {
			words, err := say(number)
			if err != nil && failed == nil {
				failed = err
			}
			return words
		})
	}
	replace(commaNumber, func(n string) (string, error) { return strings.ReplaceAll(n, ",", ""), nil })
	replace(dollarAmount, func(n string) (string, error) { return spellDollars(n[1:]) })
	replace(decimalNumber, func(n string) (string, error) { return strings.Replace(n, ".", " point ", 1), nil })
	replace(ordinalNumber, func(n string) (string, error) { return spellOrdinal(n[:len(n)-2]) })
	replace(wholeNumber, spellCardinal)
	return text, failed
}

// spellDollars converts an amount to digits and unit names. Later steps spell out the digits.
func spellDollars(amount string) (string, error) {
	parts := strings.Split(amount, ".")
	if len(parts) > 2 {
		return amount + " dollars", nil
	}
	var numbers [2]*big.Int
	for i := range numbers {
		numbers[i] = new(big.Int)
		if i < len(parts) && parts[i] != "" {
			if _, ok := numbers[i].SetString(parts[i], 10); !ok {
				return "", fmt.Errorf("$%s is no amount", amount)
			}
		}
	}
	var said []string
	for i, unit := range []string{"dollar", "cent"} {
		if numbers[i].Sign() == 0 {
			continue
		}
		if numbers[i].Cmp(big.NewInt(1)) != 0 {
			unit += "s"
		}
		said = append(said, numbers[i].String()+" "+unit)
	}
	if len(said) == 0 {
		return "zero dollars", nil
	}
	return strings.Join(said, ", "), nil
}

// spellCardinal spells out an integer. It spells numbers in the range of years in pairs of digits, and long numbers and
// those with a leading 0 digit by digit.
func spellCardinal(digits string) (string, error) {
	if digits[0] == '0' || len(digits) > 9 && digits != "1000000000" && !strings.HasSuffix(digits, "0000") {
		return spellDigits(digits), nil
	}
	if len(digits) != 4 || digits[0] > '2' || digits == "1000" || digits == "2000" {
		return spellGroups(digits, "")
	}
	century, rest := digits[:2], digits[2:]
	switch {
	case digits[:3] == "200":
		return "two thousand " + spellSmall(int(digits[3]-'0')), nil
	case rest == "00":
		return spellSmall(parseTwoDigits(century)) + " hundred", nil
	case rest[0] == '0':
		return spellSmall(parseTwoDigits(century)) + " oh " + spellSmall(parseTwoDigits(rest)), nil
	}
	return spellSmall(parseTwoDigits(century)) + " " + spellSmall(parseTwoDigits(rest)), nil
}

// parseTwoDigits returns the value of two digits.
func parseTwoDigits(digits string) int { return int(digits[0]-'0')*10 + int(digits[1]-'0') }

func spellDigits(digits string) string {
	words := []string{}
	for _, d := range []byte(digits) {
		words = append(words, spellSmall(int(d-'0')))
	}
	return strings.Join(words, " ")
}

// spellOrdinal spells out an ordinal number: the cardinal number, with "and" after its hundreds, and a changed last
// word.
func spellOrdinal(digits string) (string, error) {
	words, err := spellGroups(digits, "and ")
	if err != nil {
		return "", err
	}
	at := strings.LastIndex(words, " ") + 1
	last := words[at:]
	if irregular, ok := ordinalWords[last]; ok {
		return words[:at] + irregular, nil
	}
	if stem, ok := strings.CutSuffix(last, "y"); ok {
		last = stem + "ie"
	}
	return words[:at] + last + "th", nil
}

var ordinalWords = map[string]string{"one": "first", "two": "second", "three": "third", "five": "fifth",
	"eight": "eighth",
	"nine":  "ninth", "twelve": "twelfth"}

var thousandWords = []string{"", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion",
	" sextillion", " septillion", " octillion", " nonillion", " decillion"}

// spellGroups spells out a number in groups of three digits. It inserts and (a text with "and", or "") after hundreds
// and before a last group without hundreds.
func spellGroups(digits, and string) (string, error) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "zero", nil
	}
	if len(digits) > 3*len(thousandWords) {
		return "", fmt.Errorf("%s is too large a number", digits)
	}
	var said []string
	for len(digits) > 0 {
		size := (len(digits)-1)%3 + 1
		rest := (len(digits) - size) / 3
		words := spellHundreds(digits[:size], and)
		if words != "" {
			if rest == 0 && len(said) > 0 && !strings.Contains(words, " hundred") {
				words = and + words
			}
			said = append(said, words+thousandWords[rest])
		}
		digits = digits[size:]
	}
	return strings.Join(said, " "), nil
}

// spellHundreds spells out one to three digits; "" for 0.
func spellHundreds(digits, and string) string {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	switch {
	case n == 0:
		return ""
	case n < 100:
		return spellSmall(n)
	case n%100 == 0:
		return spellSmall(n/100) + " hundred"
	}
	return spellSmall(n/100) + " hundred " + and + spellSmall(n%100)
}

var (
	oneWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen")
	tenWords = strings.Fields("zero ten twenty thirty forty fifty sixty seventy eighty ninety")
)

// spellSmall spells out a number below 100.
func spellSmall(n int) string {
	switch {
	case n < 20:
		return oneWords[n]
	case n%10 == 0:
		return tenWords[n/10]
	}
	return tenWords[n/10] + " " + oneWords[n%10]
}
