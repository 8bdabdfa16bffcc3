package bpe

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/internal/tokentext"
)

// Errors of this package, found with errors.Is.
var (
	// ErrFile is a tokenizer's file that is damaged or of an unknown kind.
	ErrFile = errors.New("tokenizer")
	// ErrID is a token id beyond the vocabulary.
	ErrID = errors.New("token id outside the vocabulary")
)

// faultsShown is how many faults of one kind an error names.
const faultsShown = 5

// AddedToken is a token that is matched in text before all other processing, and is never split.
type AddedToken = tokentext.Token

// Tokenizer turns text into token ids and back. It is read-only and safe for concurrent use.
type Tokenizer struct {
	model     *mergeModel
	tokens    []tokenEntry // by id
	size      int          // ids that have a token
	normalize func(string) string
	split     pieceSplitter
	asIs      *tokentext.TokenFinder // added tokens that are found in text as it is
	normal    *tokentext.TokenFinder // those that are found in normalized text
	before    []int32                // special tokens around a text
	after     []int32
	decode    tokenDecoder
	cleanUp   bool
	prefix    string // before each text
	encoders  sync.Pool
}

// tokenEntry is the token of an id.
type tokenEntry struct {
	text           string // as the vocabulary has it
	bytes          string // what it stands for, if the model is byte-level
	exists         bool
	added, special bool
	apart          bool // a Python tokenizer's text has blanks around it
}

// pieceSplitter calls yield with the pieces of a text, for which first tells whether it starts the input.
type pieceSplitter func(text string, first bool, yield func(piece string))

// Size is one more than the largest id; ids below may have no token.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// Token returns the token of an id as the vocabulary has it, "" for an id without one.
func (t *Tokenizer) Token(id int32) string {
	if !t.Has(id) {
		return ""
	}
	return t.tokens[id].text
}

// Has tells whether an id has a token.
func (t *Tokenizer) Has(id int32) bool {
	return id >= 0 && int(id) < len(t.tokens) && t.tokens[id].exists
}

// Encode appends the ids of a text to dst, with the special tokens that the model's inputs have around them. Added
// tokens in the text stand for themselves. Invalid UTF-8 counts as U+FFFD.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	dst = append(dst, t.before...)
	dst = t.EncodePlain(dst, text)
	return append(dst, t.after...)
}

// EncodePlain is Encode without special tokens around the text.
func (t *Tokenizer) EncodePlain(dst []int32, text string) []int32 {
	if !utf8.ValidString(text) {
		text = pystr.Decode([]byte(text))
	}
	text = t.prefix + text
	e, ok := t.encoders.Get().(*encodeScratch)
	if !ok {
		e = &encodeScratch{}
	}
	defer t.encoders.Put(e)
	add := func(id int32) { dst = append(dst, id) }
	piece := func(piece string) { dst = e.appendPiece(dst, t.model, piece) }
	t.asIs.Split(text, func(part string, first bool) {
		t.normal.Split(t.normalize(part), func(part string, leads bool) {
			t.split(part, first && leads, piece)
		}, add)
	}, add)
	return dst
}

// Decode returns the text of ids, without special tokens. Bytes that are not UTF-8 give U+FFFD. The error is ErrID, and
// names all ids that have no token.
func (t *Tokenizer) Decode(ids []int32) (string, error) {
	return t.decodeAs(ids, true)
}

// DecodeAll is Decode with special tokens.
func (t *Tokenizer) DecodeAll(ids []int32) (string, error) {
	return t.decodeAs(ids, false)
}

func (t *Tokenizer) decodeAs(ids []int32, skipSpecial bool) (string, error) {
	if err := t.checkIDs(ids); err != nil {
		return "", err
	}
	kept := make([]int32, 0, len(ids))
	for _, id := range ids {
		if !skipSpecial || !t.tokens[id].special {
			kept = append(kept, id)
		}
	}
	text := t.decode(t, kept)
	if t.cleanUp {
		text = tokentext.CleanEnglish(text)
	}
	return text, nil
}

func (t *Tokenizer) checkIDs(ids []int32) error {
	var wrong []string
	count := 0
	for i, id := range ids {
		if t.Has(id) {
			continue
		}
		if count++; count <= faultsShown {
			wrong = append(wrong, fmt.Sprintf("%d at place %d", id, i))
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d ids: %s; the vocabulary has %d, up to %d; is this the model's tokenizer, and the "+
		"dtype of the ids?",
		ErrID, count, len(ids), strings.Join(wrong, ", "), t.size, len(t.tokens)-1)
}
