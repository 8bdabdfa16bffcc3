package sentencepiece

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// charsMap contains the normalization rules of a model (precompiled_charsmap). They are a double-array trie of byte
// strings in the layout of the library Darts-clone. Its values are positions in a list of replacements, each of which
// is terminated by a zero.
type charsMap struct {
	units        []uint32
	replacements []byte
}

// maxReplacementBytes limits the length of replacements in hostile rules. The longest replacement of NFKC has 33 bytes.
const maxReplacementBytes = 1024

// parseCharsMap parses the rules. For empty data it returns nil.
func parseCharsMap(data []byte) (*charsMap, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if len(data) < 4 {
		return nil, errors.New("normalization rules that are cut")
	}
	size, rest := binary.LittleEndian.Uint32(data), data[4:]
	if uint64(size) > uint64(len(rest)) || size%4 != 0 || size == 0 {
		return nil, fmt.Errorf("normalization rules with a trie of %d bytes in %d", size, len(rest))
	}
	c := &charsMap{units: make([]uint32, size/4), replacements: rest[size:]}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(rest[4*i:])
	}
	if !utf8.Valid(c.replacements) || len(c.replacements) > 0 && c.replacements[len(c.replacements)-1] != 0 {
		return nil, errors.New("normalization rules whose replacements are cut or not UTF-8")
	}
	for text := range bytes.SplitSeq(c.replacements, []byte{0}) {
		if len(text) > maxReplacementBytes {
			return nil, fmt.Errorf("normalization rules with a replacement of %d bytes, want at most %d",
				len(text), maxReplacementBytes)
		}
	}
	return c, nil
}

// Fields of a unit: the label with a bit that values have, the offset of the children, and whether a child is a value.
const (
	unitLabel = 1<<31 | 0xff
	unitValue = 1<<31 - 1
	unitLeaf  = 1 << 8
	unitFar   = 1 << 9
)

func unitOffset(unit uint32) uint32 { return unit >> 10 << (unit & unitFar >> 6) }

// replacePrefix finds the longest rule that matches the start of text. It returns the replacement and the length of the
// replaced text, which is 0 without a rule.
func (c *charsMap) replacePrefix(text string) (replacement []byte, length int) {
	if c == nil {
		return nil, 0
	}
	at := unitOffset(c.units[0])
	for i := range len(text) {
		at ^= uint32(text[i])
		if at >= uint32(len(c.units)) || c.units[at]&unitLabel != uint32(text[i]) {
			break
		}
		unit := c.units[at]
		at ^= unitOffset(unit)
		if unit&unitLeaf == 0 || at >= uint32(len(c.units)) {
			continue
		}
		if place := c.units[at] & unitValue; place < uint32(len(c.replacements)) {
			replacement, length = c.replacements[place:], i+1
		}
	}
	if length > 0 {
		replacement = replacement[:bytes.IndexByte(replacement, 0)]
	}
	return replacement, length
}
