package sentencepiece

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"
)

// unigrams is a unigram model without normalization.
func unigrams(t *testing.T, pieces ...piece) *Model {
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
	m := unigrams(t, piece{"<unk>", 0, unknown}, piece{"▁", -22.1, normal}, piece{"a", -20.3, normal},
		piece{"b", -25.7, normal}, piece{"c", -23.9, normal}, piece{"ab", -46, normal}, piece{"ba", -46, normal},
		piece{"aa", -40.6, normal}, piece{"bb", -51.4, normal}, piece{"aab", -66.3, normal},
		piece{"abc", -69.9, normal}, piece{"cb", -49.6, normal})
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
	m := unigrams(t, piece{"<unk>", 0, unknown}, piece{"▁▁", 0, userDefined}, piece{"▁", -2, normal},
		piece{"▁eu", -6, normal}, piece{"eu", -8.5, normal}, piece{"e", -9, normal}, piece{"u", -9, normal})
	for text, want := range map[string][]int32{"▁eu ▁▁eu": {2, 3, 1, 3}, "  eu": {1, 3}} {
		if got := m.Encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
