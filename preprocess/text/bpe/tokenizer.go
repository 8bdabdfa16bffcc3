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

// Errors of this package; errors.Is finds them.
var (
	// ErrFile means that a tokenizer's file is damaged or of an unknown kind.
	ErrFile = errors.New("tokenizer")
	// ErrID means that a token ID is outside the vocabulary.
	ErrID = errors.New("token id outside the vocabulary")
)

// maxShownFaults is the number of faults of one kind that an error lists.
const maxShownFaults = 5

// AddedToken is a token that is matched in text before all other processing, and is never split.
type AddedToken = tokentext.Token

// Tokenizer converts text to token IDs and back. It is read-only and safe for concurrent use.
type Tokenizer struct {
	model            *mergeModel
	tokens           []tokenEntry // by ID
	tokenCount       int          // number of IDs that have a token
	normalize        func(string) string
	splitPieces      pieceSplitter
	rawFinder        *tokentext.TokenFinder // finds added tokens in unchanged text
	normalizedFinder *tokentext.TokenFinder // finds added tokens in normalized text
	prefixIDs        []int32                // special tokens before and after a text
	suffixIDs        []int32
	decode           tokenDecoder
	cleanUp          bool
	prefix           string // prepended to each text
	encoders         sync.Pool
}

// tokenEntry is the token of an ID.
type tokenEntry struct {
	text           string // text in the vocabulary
	bytes          string // bytes that it represents in a byte-level model
	exists         bool
	added, special bool
	spaced         bool // decodeSlow surrounds the token with blanks
}

// pieceSplitter calls yield with the pieces of a text. first reports whether the text starts the input.
type pieceSplitter func(text string, first bool, yield func(piece string))

// Size returns the largest ID plus one. Smaller IDs may lack a token.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// Token returns the token of an ID as it is in the vocabulary, or "" if there is none.
func (t *Tokenizer) Token(id int32) string {
	if !t.HasToken(id) {
		return ""
	}
	return t.tokens[id].text
}

// HasToken reports whether an ID has a token.
func (t *Tokenizer) HasToken(id int32) bool {
	return id >= 0 && int(id) < len(t.tokens) && t.tokens[id].exists
}

// Encode appends the IDs of a text to dst, surrounded by the special tokens of the model's inputs. Added tokens in the
// text become their own IDs. Invalid UTF-8 counts as U+FFFD.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	dst = append(dst, t.prefixIDs...)
	dst = t.EncodePlain(dst, text)
	return append(dst, t.suffixIDs...)
}

// EncodePlain is like Encode without special tokens around the text.
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
	t.rawFinder.Split(text, func(part string, first bool) {
		t.normalizedFinder.Split(t.normalize(part), func(part string, leads bool) {
			t.splitPieces(part, first && leads, piece)
		}, add)
	}, add)
	return dst
}

// Decode returns the text of IDs without special tokens. Bytes that are not UTF-8 become U+FFFD. If IDs have no token,
// the error wraps ErrID and lists all of them.
func (t *Tokenizer) Decode(ids []int32) (string, error) {
	return t.decodeAs(ids, true)
}

// DecodeAll is like Decode but includes special tokens.
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
		if t.HasToken(id) {
			continue
		}
		if count++; count <= maxShownFaults {
			wrong = append(wrong, fmt.Sprintf("%d at place %d", id, i))
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d ids: %s; the vocabulary has %d, up to %d; is this the model's tokenizer, and the "+
		"dtype of the ids?",
		ErrID, count, len(ids), strings.Join(wrong, ", "), t.tokenCount, len(t.tokens)-1)
}
