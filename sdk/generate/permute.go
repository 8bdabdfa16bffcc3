package generate

// permute makes row rows[i] a copy of the former row rows[from[i]], for all i at once.
//
// It first overwrites rows whose old contents are not needed any more. The remaining rows form cycles, for each of
// which it saves one row.
func (c *kvCache) permute(rows, from []int) {
	readers := make([]int, len(rows)) // for each row: number of copies still to be made of it
	pending := 0
	for i, f := range from {
		if f != i {
			readers[f]++
			pending++
		}
	}
	done := make([]bool, len(rows))
	for pending > 0 {
		n := c.moveFree(rows, from, readers, done)
		if n == 0 {
			n = c.rotateCycle(rows, from, done)
		}
		pending -= n
	}
}

// moveFree makes the copies to rows that are not sources of other copies, and returns their number.
func (c *kvCache) moveFree(rows, from, readers []int, done []bool) int {
	n := 0
	for i, f := range from {
		if f == i || done[i] || readers[i] > 0 {
			continue
		}
		c.copyRowOver(rows[i], rows[f])
		readers[f]--
		done[i] = true
		n++
	}
	return n
}

// rotateCycle executes one cycle of copies and returns their number. Rows outside do not read rows of a cycle.
func (c *kvCache) rotateCycle(rows, from []int, done []bool) int {
	start := 0
	for from[start] == start || done[start] {
		start++
	}
	var cycle []int // each row is a copy of the next one
	for i := start; !done[i]; i = from[i] {
		done[i] = true
		cycle = append(cycle, rows[i])
	}
	n := c.bytesUsed(1, c.width)
	c.savedRow = resizeSlice(c.savedRow, n)
	for _, t := range c.tensors {
		row := func(r int) []byte { return t[r*n : (r+1)*n] }
		copy(c.savedRow, row(cycle[0]))
		for i := range len(cycle) - 1 {
			copy(row(cycle[i]), row(cycle[i+1]))
		}
		copy(row(cycle[len(cycle)-1]), c.savedRow)
	}
	c.rotateLengths(cycle)
	return len(cycle)
}

func (c *kvCache) rotateLengths(cycle []int) {
	first := c.lengths[cycle[0]]
	for i := range len(cycle) - 1 {
		c.lengths[cycle[i]] = c.lengths[cycle[i+1]]
	}
	c.lengths[cycle[len(cycle)-1]] = first
}
