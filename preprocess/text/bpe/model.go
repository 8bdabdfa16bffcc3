package bpe

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"
)

// mergeModel converts pieces of text to IDs. The symbols of a piece are its bytes or its characters. They are merged by
// rank.
type mergeModel struct {
	ids        map[string]int32 // by text of the token; for a byte-level token, its bytes
	mergeTable *merge.Table
	byteLevel  bool
	// IDs of the bytes of a byte-level model, or of the tokens <0x00> to <0xFF> of another model; noID: none
	bytes        [256]int32
	runes        map[rune]int32 // IDs of the characters if the model is not byte-level
	byteFallback bool
	unknown      int32 // noID: unknown characters are dropped
	fuseUnknown  bool
	ignoreMerges bool // a piece that is a token is not split
	cutsAtBlanks bool // pieces can be cut before blanks; see chunkLength
}

const noID = -1

// metaspace is the character that represents a blank in tokens.
const metaspace = '▁'

// modelDefinition describes a model, as defined by a tokenizer's files.
type modelDefinition struct {
	vocab                                          map[string]int32
	merges                                         [][2]string
	byteLevel, byteFallback                        bool
	unknown                                        string // "": none
	fuseUnknown, ignoreMerges, allowMissingUnknown bool
}

// newMergeModel returns a model and the faults of its definition.
func newMergeModel(d modelDefinition) (*mergeModel, []string) {
	m := &mergeModel{
		ids: d.vocab, byteLevel: d.byteLevel, byteFallback: d.byteFallback, fuseUnknown: d.fuseUnknown,
		ignoreMerges: d.ignoreMerges,
		unknown:      noID,
	}
	var faults []string
	if d.unknown != "" {
		id, ok := d.vocab[d.unknown]
		if ok {
			m.unknown = id
		} else if !d.allowMissingUnknown {
			faults = append(faults, fmt.Sprintf("the unknown token %q is not in the vocabulary", d.unknown))
		}
	}
	pairs, wrong := makeMergeRules(d)
	faults = append(faults, wrong...)
	table, err := merge.NewTable(pairs)
	if err != nil {
		faults = append(faults, err.Error())
	}
	m.mergeTable = table
	m.cutsAtBlanks = !d.byteLevel && blanksLead(d.merges)
	m.indexVocab(d.vocab)
	return m, faults
}

// makeMergeRules returns the merge rules with the IDs of their symbols.
func makeMergeRules(d modelDefinition) (pairs []merge.MergeRule, faults []string) {
	missing := 0
	for rank, m := range d.merges {
		left, okLeft := d.vocab[m[0]]
		right, okRight := d.vocab[m[1]]
		joined, okJoined := d.vocab[m[0]+m[1]]
		if !okLeft || !okRight || !okJoined {
			if missing++; missing <= maxShownFaults {
				faults = append(faults, fmt.Sprintf("merge %d, %.40q and %.40q, has tokens that are not in the vocabulary",
					rank+1, m[0], m[1]))
			}
			continue
		}
		pairs = append(pairs, merge.MergeRule{Left: left, Right: right, Symbol: joined, Rank: int32(rank)})
	}
	if more := missing - maxShownFaults; more > 0 {
		faults = append(faults, fmt.Sprintf("so have %d more merges", more))
	}
	return pairs, faults
}

// blanksLead reports whether no merge puts a blank after anything except blanks, so that text can be cut before blanks.
func blanksLead(merges [][2]string) bool {
	for _, m := range merges {
		token := strings.TrimLeft(m[0]+m[1], string(metaspace))
		if strings.ContainsRune(token, metaspace) {
			return false
		}
	}
	return true
}

func (m *mergeModel) indexVocab(vocab map[string]int32) {
	for i := range m.bytes {
		m.bytes[i] = noID
	}
	if m.byteLevel {
		m.indexBytes(vocab)
		return
	}
	for b := range m.bytes {
		if id, ok := vocab[fmt.Sprintf("<0x%02X>", b)]; ok {
			m.bytes[b] = id
		}
	}
	m.runes = map[rune]int32{}
	for token, id := range vocab {
		if r, size := utf8.DecodeRuneInString(token); size > 0 && size == len(token) {
			m.runes[r] = id
		}
	}
}

func (m *mergeModel) indexBytes(vocab map[string]int32) {
	for b, r := range byteRunes() {
		if id, ok := vocab[string(r)]; ok {
			m.bytes[b] = id
		}
	}
	alphabet := byteAlphabet()
	m.ids = make(map[string]int32, len(vocab))
	for token, id := range vocab {
		if b, ok := rawBytes(alphabet, token); ok { // other tokens cannot result from text
			m.ids[b] = id
		}
	}
}

// chunkLength returns the length of the first part at which a text can be cut without changing its tokens. The cut is
// before a blank that follows another character. It requires that no token contains such a blank inside.
func (m *mergeModel) chunkLength(piece string) int {
	if !m.cutsAtBlanks {
		return len(piece)
	}
	lead := len(piece) - len(strings.TrimLeft(piece, string(metaspace)))
	if end := strings.IndexRune(piece[lead:], metaspace); end > 0 {
		return lead + end
	}
	return len(piece)
}

// appendSymbols appends the IDs of the initial symbols of a piece.
func (m *mergeModel) appendSymbols(dst []int32, piece string) []int32 {
	if m.byteLevel {
		return m.appendByteSymbols(dst, piece)
	}
	pending := false // an unknown symbol that may be joined with the next one
	for i, r := range piece {
		id, known := m.runes[r]
		size := utf8.RuneLen(r)
		if !known {
			var done bool
			if dst, done = m.appendFallback(dst, piece[i:i+size]); done {
				continue // as in the reference, it precedes the pending unknown symbol
			}
		}
		if pending && (known || !m.fuseUnknown) {
			dst = append(dst, m.unknown)
			pending = false
		}
		if known {
			dst = append(dst, id)
		} else {
			pending = m.unknown != noID
		}
	}
	if pending {
		dst = append(dst, m.unknown)
	}
	return dst
}

// appendFallback appends the IDs of the bytes of an unknown character if the model has all of them.
func (m *mergeModel) appendFallback(dst []int32, character string) (ids []int32, done bool) {
	if !m.byteFallback {
		return dst, false
	}
	start := len(dst)
	for i := range len(character) {
		id := m.bytes[character[i]]
		if id == noID {
			return dst[:start], false
		}
		dst = append(dst, id)
	}
	return dst, true
}

func (m *mergeModel) appendByteSymbols(dst []int32, piece string) []int32 {
	for i := range len(piece) {
		id := m.bytes[piece[i]]
		if id == noID {
			id = m.unknown
		}
		if id != noID {
			dst = append(dst, id)
		}
	}
	return dst
}
