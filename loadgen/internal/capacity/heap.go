package capacity

// timeHeap is a heap of times with the earliest first.
type timeHeap []int64

// replaceEarliest replaces the earliest time with t.
func (h timeHeap) replaceEarliest(t int64) {
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if child >= len(h) || h[child] >= t {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = t
}

func (h *timeHeap) pushTime(t int64) {
	*h = append(*h, t)
	for i := len(*h) - 1; i > 0; {
		parent := (i - 1) / 2
		if (*h)[parent] <= t {
			break
		}
		(*h)[i], (*h)[parent] = (*h)[parent], t
		i = parent
	}
}

// popEarliest removes the earliest time.
func (h *timeHeap) popEarliest() {
	last := len(*h) - 1
	t := (*h)[last]
	*h = (*h)[:last]
	if last > 0 {
		h.replaceEarliest(t)
	}
}

// countingTree counts the members of a set of small numbers that are below a number (Fenwick, "A New Data Structure for
// Cumulative Frequency Tables", 1994).
type countingTree []int

// newTree returns the set of the numbers 0 to n-1.
func newTree(n int) countingTree {
	t := make(countingTree, n+1)
	for i := 1; i <= n; i++ {
		t[i] = i & -i
	}
	return t
}

func (t countingTree) removeMember(i int) {
	for i++; i < len(t); i += i & -i {
		t[i]--
	}
}

func (t countingTree) countBefore(i int) int {
	n := 0
	for ; i > 0; i -= i & -i {
		n += t[i]
	}
	return n
}
