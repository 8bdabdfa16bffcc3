package bleu

import (
	"math/bits"
	"slices"
)

// ngramTree contains the n-grams of one reference. A node is an n-gram: the n-gram of its parent plus one word. All
// nodes share a hash table that finds children.
type ngramTree struct {
	remaining []int32 // by node: occurrences in the reference that are not matched yet
	keys      []uint64
	nodes     []uint32 // by slot of the table; 0: free
	shift     int
}

// rootNode is the node of the empty n-gram.
const rootNode uint32 = 0

// minSlotsLog2 is the binary logarithm of the smallest table size.
const minSlotsLog2 = 8

// reset empties the tree and makes room for the n-grams of a reference. The table has at least twice as many slots as
// n-grams.
func (t *ngramTree) reset(words int) {
	places := max(bits.Len(uint(2*Order*words)), minSlotsLog2)
	if 64-places != t.shift {
		t.shift = 64 - places
		t.keys = slices.Grow(t.keys[:0], 1<<places)[:1<<places]
		t.nodes = slices.Grow(t.nodes[:0], 1<<places)[:1<<places]
	}
	t.remaining = append(t.remaining[:0], 0)
	clear(t.nodes)
}

// ensureChild returns the child of a node. It creates the child if necessary.
func (t *ngramTree) ensureChild(node, word uint32) uint32 {
	place, child := t.childSlot(node, word)
	if child == rootNode {
		child = uint32(len(t.remaining))
		t.remaining = append(t.remaining, 0)
		t.keys[place], t.nodes[place] = childKey(node, word), child
	}
	return child
}

// findChild returns the child of a node. ok is false if the node has no such child.
func (t *ngramTree) findChild(node, word uint32) (child uint32, ok bool) {
	_, child = t.childSlot(node, word)
	return child, child != rootNode
}

// childSlot returns the child's slot in the table. If there is no such child, child is 0 and slot is free.
func (t *ngramTree) childSlot(node, word uint32) (slot uint64, child uint32) {
	k := childKey(node, word)
	mask := uint64(len(t.nodes) - 1)
	for slot = k * multiplier >> t.shift; ; slot = (slot + 1) & mask {
		if child = t.nodes[slot]; child == rootNode || t.keys[slot] == k {
			return slot, child
		}
	}
}

func childKey(node, word uint32) uint64 { return uint64(node)<<32 | uint64(word) }

// multiplier is 2^64 divided by the golden ratio, made odd. It spreads nearby keys (Knuth, The Art of Computer
// Programming, volume 3, section 6.4).
const multiplier = 0x9e3779b97f4a7c15
