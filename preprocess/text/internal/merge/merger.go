package merge

// Merger contains the working memory of Apply. It is not safe for concurrent use.
type Merger struct {
	next, previous []int32  // positions of the neighbours; -1: none
	ranks          []int32  // rank of the pair that starts at a position; -1: no rule, or the position was merged
	heap           []uint64 // min-heap of rank and position of pairs; entries that are out of date are skipped
}

const noPosition = -1

// Apply merges symbols in place by the rules of a table, and returns the remaining symbols.
func (m *Merger) Apply(t *Table, symbols []int32) []int32 {
	if len(symbols) < 2 {
		return symbols
	}
	m.queuePairs(t, symbols)
	for len(m.heap) > 0 {
		top := m.pop()
		rank, at := int32(top>>32), int32(uint32(top))
		if m.ranks[at] == rank {
			m.mergePair(t, symbols, at)
		}
	}
	kept := symbols[:0]
	for at := int32(0); at != noPosition; at = m.next[at] {
		kept = append(kept, symbols[at])
	}
	return kept
}

func (m *Merger) queuePairs(t *Table, symbols []int32) {
	n := len(symbols)
	if cap(m.next) < n {
		m.next, m.previous, m.ranks = make([]int32, 2*n), make([]int32, 2*n), make([]int32, 2*n)
	}
	m.next, m.previous, m.ranks = m.next[:n], m.previous[:n], m.ranks[:n]
	m.heap = m.heap[:0]
	for i := range symbols {
		m.previous[i], m.next[i] = int32(i-1), int32(i+1)
	}
	m.next[n-1] = noPosition
	for i := range symbols {
		m.queuePair(t, symbols, int32(i))
	}
}

// queuePair looks up the rule of the pair that starts at a position, and queues it.
func (m *Merger) queuePair(t *Table, symbols []int32, at int32) {
	m.ranks[at] = noPosition
	next := m.next[at]
	if next == noPosition {
		return
	}
	if r, ok := t.findRule(symbols[at], symbols[next]); ok {
		m.ranks[at] = r.rank
		m.push(uint64(r.rank)<<32 | uint64(at))
	}
}

// mergePair merges the pair that starts at a position.
func (m *Merger) mergePair(t *Table, symbols []int32, at int32) {
	gone := m.next[at]
	r, _ := t.findRule(symbols[at], symbols[gone])
	symbols[at] = r.symbol
	m.ranks[gone] = noPosition
	m.next[at] = m.next[gone]
	if after := m.next[at]; after != noPosition {
		m.previous[after] = at
	}
	m.queuePair(t, symbols, at)
	if before := m.previous[at]; before != noPosition {
		m.queuePair(t, symbols, before)
	}
}

func (m *Merger) push(entry uint64) {
	m.heap = append(m.heap, entry)
	h := m.heap
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent] <= h[i] {
			return
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func (m *Merger) pop() uint64 {
	h := m.heap
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	m.heap = h
	for i := 0; i < len(h); {
		child := 2*i + 1
		if child >= len(h) {
			h[i] = last
			break
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if last <= h[child] {
			h[i] = last
			break
		}
		h[i] = h[child]
		i = child
	}
	return top
}
