package sentencepiece

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
)

// Marian is the tokenizer of a translation model of the Marian family: pieces of the source's model, whose ids are
// those of a vocabulary that both languages share. It is read-only and may be used from many goroutines.
type Marian struct {
	source, target *Model
	ids            map[string]int32
	pieces         []string // by id
	unknown, end   int32
}

// The special tokens of Marian's vocabularies.
const (
	marianEnd     = "</s>"
	marianUnknown = "<unk>"
	marianPad     = "<pad>"
)

// NewMarian joins the models of two languages (source.spm, target.spm) and their vocabulary (vocab.json: ids by piece).
// A piece that the vocabulary lacks is unknown; where it lacks most of the source's, it is that of another model. The
// error is an ErrFile.
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
	if known, all := m.known(source), source.Size(); 2*known < all {
		return nil, fmt.Errorf("%w: vocab.json has %d of the %d pieces of the source's model: do they belong together?",
			ErrFile, known, all)
	}
	return m, nil
}

// known is how many pieces of a model have an id.
func (m *Marian) known(of *Model) (n int) {
	for _, p := range of.file.pieces {
		if _, ok := m.ids[p.text]; ok {
			n++
		}
	}
	return n
}

// Size is the number of ids.
func (m *Marian) Size() int { return len(m.pieces) }

// Encode appends the ids of a text of the source language and of the end token to dst. A code of a language at its
// start, such as ">>de<<", is one token, where the vocabulary has it. Invalid bytes count as U+FFFD each.
func (m *Marian) Encode(dst []int32, text string) []int32 {
	if end := strings.Index(text, "<<"); end >= 0 && strings.HasPrefix(text, ">>") {
		if id, ok := m.ids[text[:end+2]]; ok {
			dst, text = append(dst, id), text[end+2:]
		}
	}
	for _, id := range m.source.Encode(nil, text) {
		shared, ok := m.ids[m.source.Piece(id)]
		if !ok {
			shared = m.unknown
		}
		dst = append(dst, shared)
	}
	return append(dst, m.end)
}

// Decode returns the text of ids of the target language, without special tokens and without white space around it. The
// error is ErrID, and names all ids beyond the vocabulary.
func (m *Marian) Decode(ids []int32) (string, error) {
	if err := check(ids, func(id int32) bool { return id >= 0 && int(id) < len(m.pieces) }, len(m.pieces)); err != nil {
		return "", err
	}
	pieces := make([]string, 0, len(ids))
	for _, id := range ids {
		if id != m.end && id != m.unknown && m.pieces[id] != marianPad {
			pieces = append(pieces, m.pieces[id])
		}
	}
	text := m.target.join(pieces, m.target.file.dummyPrefix)
	return pystr.Trim(strings.ReplaceAll(text, blank, " ")), nil // pieces of the source alone still have theirs
}
