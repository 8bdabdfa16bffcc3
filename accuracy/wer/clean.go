package wer

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// CleanTranscript turns a transcript of RNN-T's data set into what the official script compares with: ASCII, lower
// case, numbers and abbreviations in words, punctuation removed, and of what is left the 28 characters that payloads
// can say.
//
// A transcript with a number that the official script cannot say is ErrTranscript: it drops such samples, and the
// samples behind them have other numbers.
func CleanTranscript(transcript string) (string, error) {
	text, err := spellNumbers(strings.ToLower(toASCII(transcript)))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTranscript, err)
	}
	for _, a := range abbreviations {
		text = a.pattern.ReplaceAllString(text, a.words)
	}
	text = strings.NewReplacer("&", " and ", "+", " plus ").Replace(strings.Map(withoutPunctuation, text))
	return onlyLabels(rnntLabels, strings.Join(pystr.Fields(text), " ")), nil
}

// withoutPunctuation makes ASCII punctuation a space, but for what is said or a label.
func withoutPunctuation(r rune) rune {
	if strings.ContainsRune("!\"#$%()*,-./:;<=>?@[\\]^_`{|}~", r) {
		return ' '
	}
	return r
}

type abbreviation struct {
	pattern *regexp.Regexp
	words   string
}

// abbreviations are spelled out in this order, each at the end of any letters but those of a word.
var abbreviations = abbreviationsOf("mrs misess", "mr mister", "dr doctor", "st saint", "co company", "jr junior",
	"maj major", "gen general", "drs doctors", "rev reverend", "lt lieutenant", "hon honorable", "sgt sergeant",
	"capt captain", "esq esquire", "ltd limited", "col colonel", "ft fort")

func abbreviationsOf(pairs ...string) []abbreviation {
	list := make([]abbreviation, len(pairs))
	for i, pair := range pairs {
		short, words, _ := strings.Cut(pair, " ")
		list[i] = abbreviation{regexp.MustCompile(`\b` + short + `\.`), words}
	}
	return list
}
