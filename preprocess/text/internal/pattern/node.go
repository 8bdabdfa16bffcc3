package pattern

import "slices"

// nodeKind is the kind of a node in an expression.
type nodeKind uint8

const (
	nothing   nodeKind = iota // the empty expression
	character                 // one character of a set
	sequence                  // parts, one after the other
	choice                    // one of the parts, in order of preference
	repeat                    // parts[0], minCount to maxCount times
	atomic                    // parts[0], whose first match is final
	look                      // a position at which parts[0] matches, or does not match if negative
	behind                    // a position after a character of the set, or not if negative
	textStart
	textEnd
	lineStart
	lineEnd
)

// repeatMode determines the preferred number of repetitions.
type repeatMode uint8

const (
	greedy     repeatMode = iota // as many as possible; fewer if the rest requires it
	lazy                         // as few as possible; more if the rest requires it
	possessive                   // as many as possible, without giving back
)

// unbounded is the maximum count of an unlimited repetition.
const unbounded = -1

// exprNode is a part of an expression.
type exprNode struct {
	kind               nodeKind
	parts              []*exprNode
	set                runeSet
	minCount, maxCount int
	mode               repeatMode
	negative           bool
}

// mayBeEmpty reports whether the node can match an empty text.
func (n *exprNode) mayBeEmpty() bool {
	switch n.kind {
	case character:
		return false
	case sequence:
		return !slices.ContainsFunc(n.parts, func(part *exprNode) bool { return !part.mayBeEmpty() })
	case choice:
		return slices.ContainsFunc(n.parts, func(part *exprNode) bool { return part.mayBeEmpty() })
	case repeat:
		return n.minCount == 0 || n.parts[0].mayBeEmpty()
	case atomic:
		return n.parts[0].mayBeEmpty()
	}
	return true
}

// firstCharacters returns the set of characters with which matches start.
func (n *exprNode) firstCharacters() runeSet {
	switch n.kind {
	case character:
		return n.set
	case sequence:
		var s runeSet
		for _, part := range n.parts {
			if s = unionOf(s, part.firstCharacters()); !part.mayBeEmpty() {
				break
			}
		}
		return s
	case choice:
		var s runeSet
		for _, part := range n.parts {
			s = unionOf(s, part.firstCharacters())
		}
		return s
	case repeat, atomic:
		return n.parts[0].firstCharacters()
	}
	return nil
}
