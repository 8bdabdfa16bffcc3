package wer

import (
	"math/big"
	"strings"
)

// Words that are parts of numbers.
var (
	zeros       = wordSet("o oh zero")
	units       = countedWords(strings.Join(ones[1:], " "), 1, 1)
	tensOf      = countedWords(strings.Join(tens[2:], " "), 20, 10)
	multipliers = powersOfThousand()

	signs = map[string]string{"minus": "-", "negative": "-", "plus": "+", "positive": "+"}

	currencies = map[string]string{"pound": "£", "pounds": "£", "euro": "€", "euros": "€", "dollar": "$",
		"dollars": "$", "cent": "¢", "cents": "¢"}

	specials = wordSet("and double triple point")

	ended            = buildEndings()
	multipliersEnded = multiplierEndings()
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
func isDecimal(word string) bool { return units[word] > 0 || tensOf[word] > 0 || zeros[word] }

func wordSet(words string) map[string]bool {
	s := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

func countedWords(words string, first, step int64) map[string]int64 {
	m := make(map[string]int64)
	for i, w := range strings.Fields(words) {
		m[w] = first + step*int64(i)
	}
	return m
}

func powersOfThousand() map[string]*big.Int {
	m := map[string]*big.Int{"hundred": big.NewInt(100)}
	value := big.NewInt(1)
	for _, name := range thousands[1:] {
		value = new(big.Int).Mul(value, big.NewInt(1000))
		m[strings.TrimSpace(name)] = value
	}
	return m
}

func buildEndings() map[string]numberEnding {
	m := map[string]numberEnding{"zeroth": {0, 0, "th"}, "first": {1, 0, "st"}, "second": {2, 0, "nd"}, "third": {3, 0,
		"rd"},
		"fifth": {5, 0, "th"}, "twelfth": {12, 0, "th"}}
	for name, n := range units {
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
	for name, n := range tensOf {
		stem := strings.TrimSuffix(name, "y")
		m[stem+"ies"], m[stem+"ieth"] = numberEnding{0, n, "s"}, numberEnding{0, n, "th"}
	}
	return m
}

func multiplierEndings() map[string]multiplierEnding {
	m := make(map[string]multiplierEnding)
	for name, value := range multipliers {
		m[name+"s"], m[name+"th"] = multiplierEnding{value, "s"}, multiplierEnding{value, "th"}
	}
	return m
}

func allNumberWords() map[string]bool {
	all := wordSet("o oh zero per percent and double triple point")
	for _, words := range []map[string]string{signs, currencies} {
		for w := range words {
			all[w] = true
		}
	}
	for _, words := range []map[string]int64{units, tensOf} {
		for w := range words {
			all[w] = true
		}
	}
	for w := range ended {
		all[w] = true
	}
	for w := range multipliers {
		all[w], all[w+"s"], all[w+"th"] = true, true, true
	}
	return all
}
