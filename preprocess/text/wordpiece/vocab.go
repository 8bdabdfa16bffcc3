package wordpiece

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// ErrVocab is what New returns, wrapped, for a vocabulary that cannot be used.
var ErrVocab = errors.New("wordpiece vocabulary")

// The tokens that a vocabulary must hold. They may also stand in a text, as themselves.
const (
	Unknown   = "[UNK]"
	Separator = "[SEP]"
	Class     = "[CLS]"
	Padding   = "[PAD]"
	mask      = "[MASK]"
)

// continued marks pieces that stand within a word.
const continued = "##"

// Tokenizer splits text into the pieces of a vocabulary. It is read-only and safe for concurrent use.
type Tokenizer struct {
	tokens        []string // by id
	ids           map[string]int32
	within        map[string]int32 // ids of the pieces within words, without "##"
	maxTokenBytes int              // bytes of the longest token
	specials      []string         // those that may stand in a text
	unknown       int32
}

// New reads the content of a vocab.txt: one token per line, whose id is the number of its line from 0. Of equal tokens
// the last counts, as in the reference; an empty line is an id without a token. The error lists all faults.
func New(vocab []byte) (*Tokenizer, error) {
	tokens := splitLines(string(vocab))
	t := &Tokenizer{tokens: tokens, ids: make(map[string]int32, len(tokens)), within: map[string]int32{}}
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

// splitLines splits at line ends of all systems.
func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// faultsShown is how many lines an error names.
const faultsShown = 5

func (t *Tokenizer) indexTokens() (faults []string) {
	if len(t.tokens) > math.MaxInt32 {
		return []string{"more lines than an id can count"}
	}
	invalid := 0
	for i, token := range t.tokens {
		if !utf8.ValidString(token) {
			if invalid++; invalid <= faultsShown {
				faults = append(faults, fmt.Sprintf("line %d: %.40q is not UTF-8", i+1, token))
			}
			continue
		}
		if token == "" {
			continue
		}
		t.ids[token] = int32(i)
		if piece, ok := strings.CutPrefix(token, continued); ok {
			t.within[piece] = int32(i)
		}
		t.maxTokenBytes = max(t.maxTokenBytes, len(token))
	}
	if more := invalid - faultsShown; more > 0 {
		faults = append(faults, fmt.Sprintf("%d more lines are not UTF-8", more))
	}
	return faults
}

// Size is the number of ids: one more than the largest.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// ID returns the id of a token.
func (t *Tokenizer) ID(token string) (id int32, ok bool) {
	id, ok = t.ids[token]
	return id, ok
}

// Token returns the token of an id, "" for one beyond the vocabulary. A piece within a word starts with "##".
func (t *Tokenizer) Token(id int32) string {
	if id < 0 || int(id) >= len(t.tokens) {
		return ""
	}
	return t.tokens[id]
}
