package sentencepiece

import (
	"cmp"
	"slices"
	"strings"
)

// pieceTrie finds the pieces at the start of a text. Node 0 is the root.
type pieceTrie struct {
	nodes   []trieNode
	labels  []byte  // labels of all edges, by node and in order
	targets []int32 // target node of each edge
}

type trieNode struct {
	firstEdge, edgeCount int32 // range of the node's edges
	id                   int32 // ID of the piece that ends here; noID: none
}

// triePiece is a piece while a trie is built.
type triePiece struct {
	text string
	id   int32
}

// newPieceTrie returns a trie of pieces with their IDs.
func newPieceTrie(ids map[string]int32) *pieceTrie {
	words := make([]triePiece, 0, len(ids))
	for text, id := range ids {
		words = append(words, triePiece{text, id})
	}
	slices.SortFunc(words, func(a, b triePiece) int { return cmp.Compare(a.text, b.text) })
	t := &pieceTrie{nodes: []trieNode{{id: noID}}}
	type task struct {
		node, depth int
		words       []triePiece
	}
	for tasks := []task{{words: words}}; len(tasks) > 0; {
		next := tasks[len(tasks)-1]
		tasks = tasks[:len(tasks)-1]
		t.nodes[next.node].firstEdge = int32(len(t.labels))
		for rest := next.words; len(rest) > 0; {
			if len(rest[0].text) == next.depth {
				t.nodes[next.node].id = rest[0].id
				rest = rest[1:]
				continue
			}
			label := rest[0].text[next.depth]
			n := 1
			for n < len(rest) && rest[n].text[next.depth] == label {
				n++
			}
			t.labels, t.targets = append(t.labels, label), append(t.targets, int32(len(t.nodes)))
			tasks = append(tasks, task{len(t.nodes), next.depth + 1, rest[:n]})
			t.nodes = append(t.nodes, trieNode{id: noID})
			t.nodes[next.node].edgeCount++
			rest = rest[n:]
		}
	}
	return t
}

// followEdge returns the target of the edge for a byte, or noID if there is none.
func (t *pieceTrie) followEdge(node int32, b byte) int32 {
	n := t.nodes[node]
	edges := t.labels[n.firstEdge : n.firstEdge+n.edgeCount]
	if len(edges) > 8 {
		if i, ok := slices.BinarySearch(edges, b); ok {
			return t.targets[int(n.firstEdge)+i]
		}
		return noID
	}
	if i := strings.IndexByte(string(edges), b); i >= 0 {
		return t.targets[int(n.firstEdge)+i]
	}
	return noID
}
