package wordpiece

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// ErrVocab is wrapped by errors of New about unusable vocabularies.
var ErrVocab = errors.New("wordpiece vocabulary")

// Tokens that a vocabulary must contain. They are also recognized in a text.
const (
	Unknown   = "[UNK]"
	Separator = "[SEP]"
	Class     = "[CLS]"
	Padding   = "[PAD]"
	mask      = "[MASK]"
)

// insidePrefix is the prefix of pieces inside a word.
const insidePrefix = "##"

// Tokenizer splits text into the pieces of a vocabulary. It is read-only and safe for concurrent use.
type Tokenizer struct {
	tokens        []string // by ID
	ids           map[string]int32
	insideIDs     map[string]int32 // IDs of the pieces inside words, without "##"
	maxTokenBytes int              // length of the longest token in bytes
	specials      []string         // special tokens that are recognized in a text
	unknown       int32
}

// New parses the content of a vocab.txt with one token per line. The ID of a token is its line number from 0. Of equal
// tokens, the last one counts, as in the reference. An empty line is an ID without a token. The error lists all faults.
func New(vocab []byte) (*Tokenizer, error) {
	tokens := splitLines(string(vocab))
	t := &Tokenizer{tokens: tokens, ids: make(map[string]int32, len(tokens)), insideIDs: map[string]int32{}}
	faults := t.indexTokens()
	for _, special := range []string{Unknown, Separator, Class, Padding, mask} {
		if _, ok := t.ids[special]; ok {
			t.specials = append(t.specials, special)
		} else if special != mask {
			faults = append(faults, fmt.Sprintf("no line %s", special))
		}
	}
	t.unknown = t.ids[Unknown]
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: %d lines: %s; is this the vocab.txt of the model?", ErrVocab, len(tokens),
			strings.Join(faults, "; "))
	}
	return t, nil
}

// splitLines splits a text at the line ends of all systems.
func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// maxShownFaults is the number of lines that an error lists.
const maxShownFaults = 5

func (t *Tokenizer) indexTokens() (faults []string) {
	if len(t.tokens) > math.MaxInt32 {
		return []string{"more lines than an id can count"}
	}
	invalid := 0
	for i, token := range t.tokens {
		if !utf8.ValidString(token) {
			if invalid++; invalid <= maxShownFaults {
				faults = append(faults, fmt.Sprintf("line %d: %.40q is not UTF-8", i+1, token))
			}
			continue
		}
		if token == "" {
			continue
		}
		t.ids[token] = int32(i)
		if piece, ok := strings.CutPrefix(token, insidePrefix); ok {
			t.insideIDs[piece] = int32(i)
		}
		t.maxTokenBytes = max(t.maxTokenBytes, len(token))
	}
	if more := invalid - maxShownFaults; more > 0 {
		faults = append(faults, fmt.Sprintf("%d more lines are not UTF-8", more))
	}
	return faults
}

// Size returns the number of IDs, which is the largest ID plus one.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// ID returns the ID of a token.
func (t *Tokenizer) ID(token string) (id int32, ok bool) {
	id, ok = t.ids[token]
	return id, ok
}

// Token returns the token of an ID, or "" for an ID outside the vocabulary. A piece inside a word starts with "##".
func (t *Tokenizer) Token(id int32) string {
	if id < 0 || int(id) >= len(t.tokens) {
		return ""
	}
	return t.tokens[id]
}
