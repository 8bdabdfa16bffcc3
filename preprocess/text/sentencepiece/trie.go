package sentencepiece

import (
	"cmp"
	"slices"
	"strings"
)

// pieceTrie finds the pieces at the start of a text. Node 0 is the root.
type pieceTrie struct {
	nodes  []trieNode
	labels []byte  // labels of all edges, by node and in order
	to     []int32 // target node of each edge
}

type trieNode struct {
	first, count int32 // range of the node's edges
	id           int32 // ID of the piece that ends here; noID: none
}

// triePiece is a piece while a trie is built.
type triePiece struct {
	text string
	id   int32
}

// newTrie returns a trie of pieces with their IDs.
func newTrie(ids map[string]int32) *pieceTrie {
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
		t.nodes[next.node].first = int32(len(t.labels))
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
			t.labels, t.to = append(t.labels, label), append(t.to, int32(len(t.nodes)))
			tasks = append(tasks, task{len(t.nodes), next.depth + 1, rest[:n]})
			t.nodes = append(t.nodes, trieNode{id: noID})
			t.nodes[next.node].count++
			rest = rest[n:]
		}
	}
	return t
}

// followEdge returns the target of the edge for a byte, or noID if there is none.
func (t *pieceTrie) followEdge(node int32, b byte) int32 {
	n := t.nodes[node]
	edges := t.labels[n.first : n.first+n.count]
	if len(edges) > 8 {
		if i, ok := slices.BinarySearch(edges, b); ok {
			return t.to[int(n.first)+i]
		}
		return noID
	}
	if i := strings.IndexByte(string(edges), b); i >= 0 {
		return t.to[int(n.first)+i]
	}
	return noID
}
