package sentencepiece

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/internal/tokentext"
)

// Marian is the tokenizer of a translation model of the Marian family. It splits text with the source language's model.
// The IDs come from a vocabulary that both languages share. It is read-only and may be used from many goroutines.
type Marian struct {
	source, target *Model
	ids            map[string]int32
	pieces         []string // by ID
	unknown, end   int32
	special        *tokentext.TokenFinder
}

// Special tokens of Marian's vocabularies.
const (
	marianEnd     = "</s>"
	marianUnknown = "<unk>"
	marianPad     = "<pad>"
)

// NewMarian joins the models of two languages (source.spm, target.spm) and their vocabulary (vocab.json: IDs by piece).
// Pieces that the vocabulary lacks become the unknown token. If it lacks most of the source's pieces, it belongs to
// another model, which is an error. Errors wrap ErrFile.
func NewMarian(source, target *Model, vocab []byte) (*Marian, error) {
	m := &Marian{source: source, target: target}
	if err := json.Unmarshal(vocab, &m.ids); err != nil {
		return nil, fmt.Errorf("%w: vocab.json: %w", ErrFile, err)
	}
	m.pieces = make([]string, len(m.ids))
	for piece, id := range m.ids {
		if id < 0 || int(id) >= len(m.pieces) || m.pieces[id] != "" {
			return nil, fmt.Errorf("%w: vocab.json: %.40q has the id %d, want each of 0 to %d once", ErrFile, piece,
				id, len(m.pieces)-1)
		}
		m.pieces[id] = piece
	}
	for token, id := range map[string]*int32{marianEnd: &m.end, marianUnknown: &m.unknown} {
		var ok bool
		if *id, ok = m.ids[token]; !ok {
			return nil, fmt.Errorf("%w: vocab.json has no %s", ErrFile, token)
		}
	}
	if known, all := m.countKnown(source), source.Size(); 2*known < all {
		return nil, fmt.Errorf("%w: vocab.json has %d of the %d pieces of the source's model: do they belong together?",
			ErrFile, known, all)
	}
	var special []tokentext.Pattern
	for _, token := range []string{marianEnd, marianUnknown, marianPad} {
		if id, ok := m.ids[token]; ok {
			special = append(special, tokentext.Pattern{Text: token, Token: tokentext.Token{ID: id}})
		}
	}
	m.special = tokentext.NewTokenFinder(special)
	return m, nil
}

// countKnown returns the number of pieces of a model that have an ID.
func (m *Marian) countKnown(model *Model) (n int) {
	for _, p := range model.file.pieces {
		if _, ok := m.ids[p.text]; ok {
			n++
		}
	}
	return n
}

// Size returns the number of IDs.
func (m *Marian) Size() int { return len(m.pieces) }

// Encode appends the IDs of a text of the source language and of the end token to dst, like transformers since 4.53.
// Special tokens in the text become their own IDs. A language code at its start, ">>de<<", is one token, which is
// unknown if the vocabulary lacks it. It extends to the first "<<" (in older versions, to the last one in the line).
// Each invalid byte counts as U+FFFD.
func (m *Marian) Encode(dst []int32, text string) []int32 {
	m.special.Split(text, func(part string, _ bool) {
		if end := strings.Index(part, "<<"); end >= 0 && strings.HasPrefix(part, ">>") {
			dst, part = append(dst, m.vocabularyID(part[:end+2])), part[end+2:]
		}
		for _, id := range m.source.Encode(nil, part) {
			dst = append(dst, m.vocabularyID(m.source.Piece(id)))
		}
	}, func(id int32) { dst = append(dst, id) })
	return append(dst, m.end)
}

// vocabularyID returns the vocabulary's ID of a piece, or that of the unknown token.
func (m *Marian) vocabularyID(piece string) int32 {
	if id, ok := m.ids[piece]; ok {
		return id
	}
	return m.unknown
}

// Decode returns the text of IDs of the target language, without special tokens and surrounding white space. If IDs are
// outside the vocabulary, the error wraps ErrID and lists all of them.
func (m *Marian) Decode(ids []int32) (string, error) {
	if err := checkIDs(ids, func(id int32) bool { return id >= 0 && int(id) < len(m.pieces) }, len(m.pieces)); err != nil {
		return "", err
	}
	pieces := make([]string, 0, len(ids))
	for _, id := range ids {
		if id != m.end && id != m.unknown && m.pieces[id] != marianPad {
			pieces = append(pieces, m.pieces[id])
		}
	}
	text := m.target.joinPieces(pieces, m.target.file.dummyPrefix)
	// pieces that only the source has still contain the blank character
	return pystr.Trim(strings.ReplaceAll(text, blank, " ")), nil
}
