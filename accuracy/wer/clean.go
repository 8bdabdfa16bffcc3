package wer

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// CleanTranscript converts a transcript of RNN-T's data set to the form that the official script compares with. It
// converts to ASCII and lower case, spells out numbers and abbreviations, removes punctuation and keeps only the 28
// characters that payloads can contain.
//
// If a transcript contains a number that the official script cannot spell, the error is ErrTranscript. The script drops
// such samples, which changes the numbers of the later samples.
func CleanTranscript(transcript string) (string, error) {
	text, err := spellNumbers(strings.ToLower(toASCII(transcript)))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTranscript, err)
	}
	for _, a := range abbreviations {
		text = a.pattern.ReplaceAllString(text, a.words)
	}
	text = strings.NewReplacer("&", " and ", "+", " plus ").Replace(strings.Map(replacePunctuation, text))
	return keepLabels(rnntLabels, strings.Join(pystr.Fields(text), " ")), nil
}

// replacePunctuation replaces ASCII punctuation by a space, except labels and characters that are spelled out.
func replacePunctuation(r rune) rune {
	if strings.ContainsRune("!\"#$%()*,-./:;<=>?@[\\]^_`{|}~", r) {
		return ' '
	}
	return r
}

type abbreviation struct {
	pattern *regexp.Regexp
	words   string
}

// abbreviations are spelled out in this order. An abbreviation must begin at a word boundary.
var abbreviations = parseAbbreviations("mrs misess", "mr mister", "dr doctor", "st saint", "co company", "jr junior",
	"maj major", "gen general", "drs doctors", "rev reverend", "lt lieutenant", "hon honorable", "sgt sergeant",
	"capt captain", "esq esquire", "ltd limited", "col colonel", "ft fort")

func parseAbbreviations(pairs ...string) []abbreviation {
	list := make([]abbreviation, len(pairs))
	for i, pair := range pairs {
		short, words, _ := strings.Cut(pair, " ")
		list[i] = abbreviation{regexp.MustCompile(`\b` + short + `\.`), words}
	}
	return list
}
