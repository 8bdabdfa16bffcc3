package sentencepiece

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"
)

// ErrID means that a token ID is outside the vocabulary.
var ErrID = errors.New("token id outside the vocabulary")

// blank is the character that represents a blank in pieces.
const blank = "▁"

// maxShownFaults is the number of faults of one kind that an error lists.
const maxShownFaults = 5

// Model is a SentencePiece model. It is read-only and may be used from many goroutines.
type Model struct {
	file         *modelFile
	ids          map[string]int32 // IDs of the pieces that can result from text
	nonTextIDs   map[string]int32 // IDs of the pieces that cannot: control, unknown, bytes
	unknown      int32
	byteIDs      [256]int32 // IDs of the pieces <0x00> to <0xFF>; noID: none
	userPieces   [][]string // user-defined pieces by first byte, longest first; they are matched before all others
	rules        *charsMap
	mergeTable   *merge.Table  // for BPE models
	cutsAtBlanks bool          // text can be cut before blanks; see chunkLength
	unigram      *unigramModel // for unigram models
	scratchPool  sync.Pool
}

const noID = -1

// Parse parses a tokenizer.model. The error lists all faults.
func Parse(data []byte) (*Model, error) {
	f, err := readFile(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	m := &Model{file: f, unknown: noID}
	faults := append(f.listFaults(), m.indexPieces()...)
	if m.rules, err = parseCharsMap(f.charsMap); err != nil {
		faults = append(faults, err.Error())
	}
	if f.modelType == unigramType {
		m.unigram = newUnigramModel(m)
	} else if m.mergeTable, err = merge.NewTable(m.makeMergeRules()); err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrFile, strings.Join(faults, "; "))
	}
	return m, nil
}

// Types of models, by SentencePiece's numbers.
const (
	unigramType = 1
	bpeType     = 2
)

// listFaults lists features that this package does not support.
func (f *modelFile) listFaults() (faults []string) {
	names := map[uint64]string{3: "word", 4: "char"}
	if f.modelType != bpeType && f.modelType != unigramType {
		faults = append(faults, fmt.Sprintf("a model of type %d %s, want %d, unigram, or %d, BPE", f.modelType,
			names[f.modelType], unigramType, bpeType))
	}
	if len(f.denormalizerMap) > 0 {
		faults = append(faults, "a model with rules for what is decoded, want none")
	}
	if f.suffixSpace {
		faults = append(faults, "a model with treat_whitespace_as_suffix, want one without")
	}
	if !f.escapeSpaces {
		faults = append(faults, "a model without escape_whitespaces, want one with it")
	}
	return faults
}

// indexPieces indexes the pieces by text and returns their faults.
func (m *Model) indexPieces() (faults []string) {
	m.ids, m.nonTextIDs, m.userPieces = make(map[string]int32, len(m.file.pieces)), map[string]int32{}, make([][]string,
		256)
	for i := range m.byteIDs {
		m.byteIDs[i] = noID
	}
	wrong := 0
	for i, p := range m.file.pieces {
		if problem := m.addPiece(int32(i), p); problem != "" {
			if wrong++; wrong <= maxShownFaults {
				faults = append(faults, fmt.Sprintf("piece %d, %.40q, %s", i, p.text, problem))
			}
		}
	}
	if more := wrong - maxShownFaults; more > 0 {
		faults = append(faults, fmt.Sprintf("so it is with %d more pieces", more))
	}
	if m.unknown == noID {
		faults = append(faults, fmt.Sprintf("%d pieces, none of the kind unknown", len(m.file.pieces)))
	}
	if m.file.byteFallback && slices.Contains(m.byteIDs[:], noID) {
		faults = append(faults, "byte fallback without a piece for each byte")
	}
	for _, list := range m.userPieces {
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	_, hasBlank := m.ids[blank]
	m.cutsAtBlanks = hasBlank && m.blanksLead()
	return faults
}

// addPiece adds a piece and returns its fault, or "".
func (m *Model) addPiece(id int32, p vocabPiece) string {
	if p.text == "" || !utf8.ValidString(p.text) {
		return "is empty or not UTF-8"
	}
	_, known := m.ids[p.text]
	if _, other := m.nonTextIDs[p.text]; known || other {
		return "is there twice"
	}
	if math.IsNaN(float64(p.score)) {
		return "has a score that is no number"
	}
	switch p.kind {
	case normalKind:
		m.ids[p.text] = id
		return ""
	case userDefinedKind:
		m.ids[p.text] = id
		m.userPieces[p.text[0]] = append(m.userPieces[p.text[0]], p.text)
		return ""
	case unknownKind:
		if m.unknown != noID {
			return "is a second one of the kind unknown"
		}
		m.unknown = id
	case byteKind:
		b, ok := parseBytePiece(p.text)
		if !ok {
			return "is of the kind byte, want <0x00> to <0xFF>"
		}
		m.byteIDs[b] = id
	case controlKind:
	case unusedKind:
		if m.file.modelType == unigramType {
			break
		}
		return "is of kind unused, which BPE models of this package have not"
	default:
		return fmt.Sprintf("is of kind %d, want normal, unknown, control, user-defined or byte", p.kind)
	}
	m.nonTextIDs[p.text] = id
	return ""
}

// parseBytePiece parses a piece <0x00> to <0xFF>.
func parseBytePiece(text string) (b byte, ok bool) {
	const digits = "0123456789ABCDEF"
	if len(text) != 6 || text[:3] != "<0x" || text[5] != '>' {
		return 0, false
	}
	high, low := strings.IndexByte(digits, text[3]), strings.IndexByte(digits, text[4])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

// blanksLead reports whether no piece contains a blank after anything except blanks, so that text can be cut before
// blanks.
func (m *Model) blanksLead() bool {
	for text := range m.ids {
		for strings.HasPrefix(text, blank) {
			text = text[len(blank):]
		}
		if strings.Contains(text, blank) {
			return false
		}
	}
	return true
}

// Size returns the number of IDs, which is the largest ID plus one.
func (m *Model) Size() int { return len(m.file.pieces) }

// Piece returns the text of an ID's piece, or "" for an ID outside the vocabulary. Blanks are written as "▁".
func (m *Model) Piece(id int32) string {
	if id < 0 || int(id) >= len(m.file.pieces) {
		return ""
	}
	return m.file.pieces[id].text
}

// ID returns the ID of a piece, or that of the unknown piece for any other text.
func (m *Model) ID(text string) int32 {
	if id, ok := m.nonTextIDs[text]; ok {
		return id
	}
	if id, ok := m.ids[text]; ok {
		return id
	}
	return m.unknown
}
