package pattern

import "slices"

// kind is what a node of an expression is.
type kind uint8

const (
	nothing   kind = iota // the empty expression
	character             // one character of a set
	sequence              // parts, one after the other
	choice                // one of the parts, the first that leads to a match
	repeat                // parts[0], least to most times
	atomic                // parts[0], whose first match is kept
	look                  // a place where parts[0] matches, or does not: negative
	behind                // a place after a character of the set, or not: negative
	textStart
	textEnd
	lineStart
	lineEnd
)

// way is how often a repetition repeats where it has a choice.
type way uint8

const (
	greedy     way = iota // as often as it can, and less if the rest needs that
	lazy                  // as seldom as it can, and more if the rest needs that
	possessive            // as often as it can
)

// unbounded stands for the most of a repetition without an end.
const unbounded = -1

// node is a part of an expression.
type node struct {
	kind        kind
	parts       []*node
	set         set
	least, most int
	way         way
	negative    bool
}

// empty is true if the node may match nothing of a text.
func (n *node) empty() bool {
	switch n.kind {
	case character:
		return false
	case sequence:
		return !slices.ContainsFunc(n.parts, func(part *node) bool { return !part.empty() })
	case choice:
		return slices.ContainsFunc(n.parts, func(part *node) bool { return part.empty() })
	case repeat:
		return n.least == 0 || n.parts[0].empty()
	case atomic:
		return n.parts[0].empty()
	}
	return true
}

// first is a set with the characters that matches start with.
func (n *node) first() set {
	switch n.kind {
	case character:
		return n.set
	case sequence:
		var s set
		for _, part := range n.parts {
			if s = union(s, part.first()); !part.empty() {
				break
			}
		}
		return s
	case choice:
		var s set
		for _, part := range n.parts {
			s = union(s, part.first())
		}
		return s
	case repeat, atomic:
		return n.parts[0].first()
	}
	return nil
}
