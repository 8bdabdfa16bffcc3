package bleu

import (
	"math/bits"
	"slices"
)

// tree holds the n-grams of one reference: each node is one, that of its parent and one word more. Children are found
// in a hash table that all nodes share.
type tree struct {
	left  []int32 // by node: how often the reference has it beyond what was matched
	keys  []uint64
	nodes []uint32 // by place of the table; 0: free
	shift int
}

// root is the node of no word.
const root uint32 = 0

// leastPlaces is the size of the smallest table, as a power of two.
const leastPlaces = 8

// reset empties the tree and makes room for the n-grams of a reference: at least twice as many places.
func (t *tree) reset(words int) {
	places := max(bits.Len(uint(2*Order*words)), leastPlaces)
	if 64-places != t.shift {
		t.shift = 64 - places
		t.keys = slices.Grow(t.keys[:0], 1<<places)[:1<<places]
		t.nodes = slices.Grow(t.nodes[:0], 1<<places)[:1<<places]
	}
	t.left = append(t.left[:0], 0)
	clear(t.nodes)
}

// grow is the child of a node, which it makes where there is none.
func (t *tree) grow(node, word uint32) uint32 {
	place, child := t.place(node, word)
	if child == root {
		child = uint32(len(t.left))
		t.left = append(t.left, 0)
		t.keys[place], t.nodes[place] = key(node, word), child
	}
	return child
}

// find is the child of a node, and whether there is one.
func (t *tree) find(node, word uint32) (child uint32, ok bool) {
	_, child = t.place(node, word)
	return child, child != root
}

// place is where the child of a node is in the table, or would be.
func (t *tree) place(node, word uint32) (place uint64, child uint32) {
	k := key(node, word)
	mask := uint64(len(t.nodes) - 1)
	for place = k * multiplier >> t.shift; ; place = (place + 1) & mask {
		if child = t.nodes[place]; child == root || t.keys[place] == k {
			return place, child
		}
	}
}

func key(node, word uint32) uint64 { return uint64(node)<<32 | uint64(word) }

// multiplier is 2^64 by the golden ratio, made odd: it spreads keys that are near one another (Knuth, The Art of
// Computer Programming, volume 3, section 6.4).
const multiplier = 0x9e3779b97f4a7c15
