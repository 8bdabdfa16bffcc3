package pattern

import "slices"

// nodeKind is what a node of an expression is.
type nodeKind uint8

const (
	nothing   nodeKind = iota // the empty expression
	character                 // one character of a set
	sequence                  // parts, one after the other
	choice                    // one of the parts, the first that leads to a match
	repeat                    // parts[0], least to most times
	atomic                    // parts[0], whose first match is kept
	look                      // a place where parts[0] matches, or does not: negative
	behind                    // a place after a character of the set, or not: negative
	textStart
	textEnd
	lineStart
	lineEnd
)

// repeatMode is how often a repetition repeats where it has a choice.
type repeatMode uint8

const (
	greedy     repeatMode = iota // as often as it can, and less if the rest needs that
	lazy                         // as seldom as it can, and more if the rest needs that
	possessive                   // as often as it can
)

// unbounded stands for the most of a repetition without an end.
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

// mayBeEmpty is true if the node may match nothing of a text.
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

// firstCharacters is the set of characters that matches start with.
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
