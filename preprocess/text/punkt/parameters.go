package punkt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrFile means that a parameter file is damaged.
var ErrFile = errors.New("punkt parameters")

// maxShownFaults is the number of faults that an error lists.
const maxShownFaults = 5

// Parameters contains the Punkt parameters of a language. Words are in lower case; "##number##" stands for any number.
type Parameters struct {
	Abbreviations map[string]bool        // without their final period
	Collocations  map[[2]string]bool     // pairs that a period does not separate
	Starters      map[string]bool        // words that often start a sentence
	Orthography   map[string]Orthography // contexts in which words have occurred
}

// Orthography is a set of contexts in which a word has occurred.
type Orthography uint8

// Contexts: case of the first letter and position in the sentence.
const (
	UpperAtStart Orthography = 1 << (iota + 1)
	UpperInside
	UpperSomewhere // at an unknown position
	LowerAtStart
	LowerInside
	LowerSomewhere

	upper = UpperAtStart | UpperInside | UpperSomewhere
	lower = LowerAtStart | LowerInside | LowerSomewhere
)

// ParameterFiles contains the content of the files in a punkt_tab folder: abbrev_types.txt, collocations.tab,
// sent_starters.txt and ortho_context.tab.
type ParameterFiles struct {
	Abbreviations, Collocations, Starters, Orthography []byte
}

// Parse parses parameters like nltk. The error lists the faults of all files.
func Parse(f ParameterFiles) (Parameters, error) {
	var faults []string
	p := Parameters{
		Abbreviations: readWords(f.Abbreviations),
		Collocations:  map[[2]string]bool{},
		Starters:      readWords(f.Starters),
		Orthography:   map[string]Orthography{},
	}
	readPairs("collocations.tab", f.Collocations, &faults, func(first, second string) string {
		p.Collocations[[2]string{first, second}] = true
		return ""
	})
	readPairs("ortho_context.tab", f.Orthography, &faults, func(word, number string) string {
		n, err := strconv.ParseUint(number, 10, 7)
		if err != nil || n&1 != 0 {
			return fmt.Sprintf("%.20q, want an even number of 0 to 126", number)
		}
		p.Orthography[word] = Orthography(n)
		return ""
	})
	if n := len(faults); n > maxShownFaults {
		faults = append(faults[:maxShownFaults], fmt.Sprintf("and %d more", n-maxShownFaults))
	}
	if len(faults) > 0 {
		return Parameters{}, fmt.Errorf("%w: %s", ErrFile, strings.Join(faults, "; "))
	}
	return p, nil
}

// readWords parses a file with one word per line.
func readWords(text []byte) map[string]bool {
	set := map[string]bool{}
	for line := range splitLines(text) {
		set[line] = true
	}
	return set
}

// readPairs calls add with the two fields of each line. add returns a fault, or "".
func readPairs(file string, text []byte, faults *[]string, add func(first, second string) string) {
	number := 0
	for line := range splitLines(text) {
		number++
		first, second, ok := strings.Cut(line, "\t")
		wrong := ""
		switch {
		case !ok || strings.Contains(second, "\t"):
			wrong = fmt.Sprintf("%.40q, want two fields with a tab between them", line)
		default:
			wrong = add(first, second)
		}
		if wrong != "" {
			*faults = append(*faults, fmt.Sprintf("%s line %d: %s", file, number, wrong))
		}
	}
}

// splitLines yields the lines of a text without their line ends.
func splitLines(text []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(text)) {
			if !yield(strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}
