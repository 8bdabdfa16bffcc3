package bleu

import (
	"math/bits"
	"slices"
)

// ngramTree holds the n-grams of one reference: each node is one, that of its parent and one word more. Children are
// found in a hash table that all nodes share.
type ngramTree struct {
	left  []int32 // by node: how often the reference has it beyond what was matched
	keys  []uint64
	nodes []uint32 // by place of the table; 0: free
	shift int
}

// root is the node of no word.
const root uint32 = 0

// minPlacesLog2 is the binary logarithm of the size of the smallest table.
const minPlacesLog2 = 8

// reset empties the tree and makes room for the n-grams of a reference: at least twice as many places.
func (t *ngramTree) reset(words int) {
	places := max(bits.Len(uint(2*Order*words)), minPlacesLog2)
	if 64-places != t.shift {
		t.shift = 64 - places
		t.keys = slices.Grow(t.keys[:0], 1<<places)[:1<<places]
		t.nodes = slices.Grow(t.nodes[:0], 1<<places)[:1<<places]
	}
	t.left = append(t.left[:0], 0)
	clear(t.nodes)
}

// ensureChild returns the child of a node, and makes it where there is none.
func (t *ngramTree) ensureChild(node, word uint32) uint32 {
	place, child := t.childPlace(node, word)
	if child == root {
		child = uint32(len(t.left))
		t.left = append(t.left, 0)
		t.keys[place], t.nodes[place] = childKey(node, word), child
	}
	return child
}

// findChild returns the child of a node, and whether there is one.
func (t *ngramTree) findChild(node, word uint32) (child uint32, ok bool) {
	_, child = t.childPlace(node, word)
	return child, child != root
}

// childPlace returns where the child of a node is in the table, or would be.
func (t *ngramTree) childPlace(node, word uint32) (place uint64, child uint32) {
	k := childKey(node, word)
	mask := uint64(len(t.nodes) - 1)
	for place = k * multiplier >> t.shift; ; place = (place + 1) & mask {
		if child = t.nodes[place]; child == root || t.keys[place] == k {
			return place, child
		}
	}
}

func childKey(node, word uint32) uint64 { return uint64(node)<<32 | uint64(word) }

// multiplier is 2^64 by the golden ratio, made odd: it spreads keys that are near one another (Knuth, The Art of
// Computer Programming, volume 3, section 6.4).
const multiplier = 0x9e3779b97f4a7c15
