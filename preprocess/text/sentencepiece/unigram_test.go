package sentencepiece

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"
)

// unigrams is a unigram model without normalization.
func unigrams(t *testing.T, pieces ...vocabPiece) *Model {
	t.Helper()
	m := message(nil).bytes(modelNormalizer, message(nil).number(normalizerRemoveSpaces, 0))
	for _, p := range pieces {
		m = m.piece(p.text, p.score, p.kind)
	}
	model, err := Parse(m)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestLongTexts has a text whose sum of scores comes to where it begins at 0 again; the ids are SentencePiece's.
func TestLongTexts(t *testing.T) {
	m := unigrams(t, vocabPiece{"<unk>", 0, unknownKind}, vocabPiece{"▁", -22.1, normalKind}, vocabPiece{"a", -20.3,
		normalKind},
		vocabPiece{"b", -25.7, normalKind}, vocabPiece{"c", -23.9, normalKind}, vocabPiece{"ab", -46, normalKind},
		vocabPiece{"ba", -46,
			normalKind},
		vocabPiece{"aa", -40.6, normalKind}, vocabPiece{"bb", -51.4, normalKind}, vocabPiece{"aab", -66.3, normalKind},
		vocabPiece{"abc", -69.9, normalKind}, vocabPiece{"cb", -49.6, normalKind})
	text := make([]byte, 40_000)
	x := uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = "abc"[x>>24%3]
	}
	ids := m.Encode(nil, string(text))
	sum := crc32.NewIEEE()
	if err := binary.Write(sum, binary.LittleEndian, ids); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 27_661 || sum.Sum32() != 0x8030898 {
		t.Errorf("%d ids with the sum %#x", len(ids), sum.Sum32())
	}
}

// TestUserDefinedPiecesComeFirst has a text that the other pieces would take apart with a higher sum.
func TestUserDefinedPiecesComeFirst(t *testing.T) {
	m := unigrams(t, vocabPiece{"<unk>", 0, unknownKind}, vocabPiece{"▁▁", 0, userDefinedKind}, vocabPiece{"▁", -2,
		normalKind},
		vocabPiece{"▁eu", -6, normalKind}, vocabPiece{"eu", -8.5, normalKind}, vocabPiece{"e", -9, normalKind},
		vocabPiece{"u", -9,
			normalKind})
	for text, want := range map[string][]int32{"▁eu ▁▁eu": {2, 3, 1, 3}, "  eu": {1, 3}} {
		if got := m.Encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
