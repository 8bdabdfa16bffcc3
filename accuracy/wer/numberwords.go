package wer

import (
	"math/big"
	"strings"
)

// Words that are parts of numbers.
var (
	zeroWords        = wordSet("o oh zero")
	unitValues       = parseNumberWords(strings.Join(oneWords[1:], " "), 1, 1)
	tenValues        = parseNumberWords(strings.Join(tenWords[2:], " "), 20, 10)
	multiplierValues = powersOfThousand()

	signWords = map[string]string{"minus": "-", "negative": "-", "plus": "+", "positive": "+"}

	currencySymbols = map[string]string{"pound": "£", "pounds": "£", "euro": "€", "euros": "€", "dollar": "$",
		"dollars": "$", "cent": "¢", "cents": "¢"}

	specialWords = wordSet("and double triple point")

	numberEndings    = buildEndings()
	endedMultipliers = multiplierEndings()
	numberWords      = allNumberWords()
)

// numberEnding is a plural or an ordinal of a number below 100: either a unit or a multiple of ten.
type numberEnding struct {
	unit, ten int64
	suffix    string
}

type multiplierEnding struct {
	value  *big.Int
	suffix string
}

// isDecimal reports whether a word may follow a decimal point.
func isDecimal(word string) bool {
	return unitValues[word] > 0 || tenValues[word] > 0 || zeroWords[word]
}

func wordSet(words string) map[string]bool {
	s := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

func parseNumberWords(words string, first, step int64) map[string]int64 {
	m := make(map[string]int64)
	for i, w := range strings.Fields(words) {
		m[w] = first + step*int64(i)
	}
	return m
}

func powersOfThousand() map[string]*big.Int {
	m := map[string]*big.Int{"hundred": big.NewInt(100)}
	value := big.NewInt(1)
	for _, name := range thousandWords[1:] {
		value = new(big.Int).Mul(value, big.NewInt(1000))
		m[strings.TrimSpace(name)] = value
	}
	return m
}

func buildEndings() map[string]numberEnding {
	m := map[string]numberEnding{"zeroth": {0, 0, "th"}, "first": {1, 0, "st"}, "second": {2, 0, "nd"}, "third": {3, 0,
		"rd"},
		"fifth": {5, 0, "th"}, "twelfth": {12, 0, "th"}}
	for name, n := range unitValues {
		plural, ordinal := name+"s", name+"th"
		if name == "six" {
			plural = "sixes"
		}
		if strings.HasSuffix(name, "t") {
			ordinal = name + "h"
		}
		m[plural] = numberEnding{n, 0, "s"}
		if n > 3 && n != 5 && n != 12 {
			m[ordinal] = numberEnding{n, 0, "th"} // also "nineth"
		}
	}
	for name, n := range tenValues {
		stem := strings.TrimSuffix(name, "y")
		m[stem+"ies"], m[stem+"ieth"] = numberEnding{0, n, "s"}, numberEnding{0, n, "th"}
	}
	return m
}

func multiplierEndings() map[string]multiplierEnding {
	m := make(map[string]multiplierEnding)
	for name, value := range multiplierValues {
		m[name+"s"], m[name+"th"] = multiplierEnding{value, "s"}, multiplierEnding{value, "th"}
	}
	return m
}

func allNumberWords() map[string]bool {
	all := wordSet("o oh zero per percent and double triple point")
	for _, words := range []map[string]string{signWords, currencySymbols} {
		for w := range words {
			all[w] = true
		}
	}
	for _, words := range []map[string]int64{unitValues, tenValues} {
		for w := range words {
			all[w] = true
		}
	}
	for w := range numberEndings {
		all[w] = true
	}
	for w := range multiplierValues {
		all[w], all[w+"s"], all[w+"th"] = true, true, true
	}
	return all
}
