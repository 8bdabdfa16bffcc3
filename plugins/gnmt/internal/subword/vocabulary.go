package subword

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// IDs of the special tokens, which every vocabulary contains.
const (
	Unknown int32 = iota // ID of tokens outside the vocabulary
	Start                // first input of the decoder
	End                  // end of a sentence
)

// specialTokens contains the tokens of Unknown, Start and End.
var specialTokens = [...]string{"<unk>", "<s>", "</s>"}

// Vocabulary contains the tokens of a language. It is immutable.
type Vocabulary struct {
	tokens []string
	ids    map[string]int32
}

// ParseVocabulary parses a vocabulary file with one token per line; a token's ID is its line number from 0. If the
// first three lines are not "<unk>", "<s>" and "</s>", these are inserted before all lines, as in the reference. Lines
// may end in \r\n. The error lists every line that is empty, not UTF-8, or a duplicate.
func ParseVocabulary(data []byte) (*Vocabulary, error) {
	text := string(bytes.TrimPrefix(data, []byte("\ufeff")))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	v := &Vocabulary{ids: make(map[string]int32, len(lines))}
	if !slices.Equal(lines[:min(len(lines), len(specialTokens))], specialTokens[:]) {
		for _, token := range specialTokens {
			v.addToken(token)
		}
	}
	var faults []error
	for i, line := range lines {
		if err := v.checkToken(line); err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", i+1, err))
		}
		v.addToken(line)
	}
	if err := joinFaults(faults); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVocabulary, err)
	}
	return v, nil
}

func (v *Vocabulary) checkToken(token string) error {
	_, twice := v.ids[token]
	switch {
	case token == "":
		return errors.New("it is empty, want one token a line")
	case !utf8.ValidString(token):
		return errors.New("it is not UTF-8")
	case twice:
		return fmt.Errorf("%q is there before, as token %d: want each once", token, v.ids[token])
	}
	return nil
}

func (v *Vocabulary) addToken(token string) {
	v.ids[token] = int32(len(v.tokens))
	v.tokens = append(v.tokens, token)
}

// Len returns the number of tokens, including the special ones.
func (v *Vocabulary) Len() int { return len(v.tokens) }

// IDs returns the IDs of a line's tokens. Only spaces separate tokens.
func (v *Vocabulary) IDs(line string) []int32 {
	var ids []int32
	for token := range strings.SplitSeq(line, " ") {
		if token != "" {
			ids = append(ids, v.ids[token]) // 0, which is Unknown, for unknown tokens
		}
	}
	return ids
}

// Text returns the words of the IDs up to the first End. Pieces of a word are joined, and spaces separate words. An
// incomplete last word is dropped. IDs outside the vocabulary become "<unk>".
func (v *Vocabulary) Text(ids []int32) string {
	var words []string
	var word strings.Builder
	for _, id := range ids {
		if id == End {
			break
		}
		piece, goesOn := strings.CutSuffix(v.tokenText(id), continuationMark)
		word.WriteString(piece)
		if !goesOn {
			words = append(words, word.String())
			word.Reset()
		}
	}
	return strings.Join(words, " ")
}

func (v *Vocabulary) tokenText(id int32) string {
	if id < 0 || int(id) >= len(v.tokens) {
		return specialTokens[Unknown]
	}
	return v.tokens[id]
}
