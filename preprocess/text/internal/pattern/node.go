package pattern

import "slices"

// nodeKind is the kind of a node in an expression.
type nodeKind uint8

const (
	emptyNode      nodeKind = iota // the empty expression
	characterNode                  // one character of a set
	sequenceNode                   // parts, one after the other
	choiceNode                     // one of the parts, in order of preference
	repeatNode                     // parts[0], minCount to maxCount times
	atomicNode                     // parts[0], whose first match is final
	lookaheadNode                  // a position at which parts[0] matches, or does not match if negative
	lookbehindNode                 // a position after a character of the set, or not if negative
	textStartNode
	textEndNode
	lineStartNode
	lineEndNode
)

// repeatMode determines the preferred number of repetitions.
type repeatMode uint8

const (
	greedyMode     repeatMode = iota // as many as possible; fewer if the rest requires it
	lazyMode                         // as few as possible; more if the rest requires it
	possessiveMode                   // as many as possible, without giving back
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
	case characterNode:
		return false
	case sequenceNode:
		return !slices.ContainsFunc(n.parts, func(part *exprNode) bool { return !part.mayBeEmpty() })
	case choiceNode:
		return slices.ContainsFunc(n.parts, func(part *exprNode) bool { return part.mayBeEmpty() })
	case repeatNode:
		return n.minCount == 0 || n.parts[0].mayBeEmpty()
	case atomicNode:
		return n.parts[0].mayBeEmpty()
	}
	return true
}

// firstCharacters returns the set of characters with which matches start.
func (n *exprNode) firstCharacters() runeSet {
	switch n.kind {
	case characterNode:
		return n.set
	case sequenceNode:
		var s runeSet
		for _, part := range n.parts {
			if s = uniteSets(s, part.firstCharacters()); !part.mayBeEmpty() {
				break
			}
		}
		return s
	case choiceNode:
		var s runeSet
		for _, part := range n.parts {
			s = uniteSets(s, part.firstCharacters())
		}
		return s
	case repeatNode, atomicNode:
		return n.parts[0].firstCharacters()
	}
	return nil
}
