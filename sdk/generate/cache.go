package generate

// kvCache holds keys and values of sequences, one row each. Each tensor is an array [rows, heads, width, dim].
//
// The rows of a growing cache are as wide as the longest one and right-aligned. The contents of row r are in its last
// lengths[r] columns. The columns before contain zeros or old data, which the mask hides. The output of a step becomes
// the cache.
//
// An in-place cache has room for longer rows than there are, and its rows are left-aligned. The contents of row r are
// in its first lengths[r] columns. The columns after contain old data, which the lengths hide. A step writes one column
// of each row.
type kvCache struct {
	inPlace       bool
	heads, column int // column: size of one head's column in bytes
	width         int
	lengths       []int
	tensors       [][]byte // inputs of the session: keys and values of the layers in turn
	spare         [][]byte // outputs of the next step or rebuild
	savedRow      []byte   // one row of one tensor, while other rows move
	peak          int      // maximum size so far in bytes
	reported      int      // part of peak that the generator's figures include
}

func newCache(d *decoderModel) *kvCache {
	n := 2 * d.layers
	return &kvCache{
		inPlace: d.inPlace(), heads: d.heads, column: d.dim * d.past.Size(),
		tensors: make([][]byte, n), spare: make([][]byte, n),
	}
}

func (c *kvCache) rows() int { return len(c.lengths) }

// bytesUsed returns the number of bytes in use in each tensor.
func (c *kvCache) bytesUsed(rows, width int) int { return rows * c.heads * width * c.column }

// slackColumns is the number of additional columns of a buffer. With them, a cache that grows by one column per step
// seldom needs a new buffer.
const slackColumns = 32

// growBuffers makes each of the buffers large enough for rows x width. Their contents are undefined.
func (c *kvCache) growBuffers(buffers [][]byte, rows, width int) {
	n := c.bytesUsed(rows, width)
	for i := range buffers {
		if cap(buffers[i]) < n {
			buffers[i] = make([]byte, n, c.bytesUsed(rows, width+slackColumns))
		}
		buffers[i] = buffers[i][:n]
	}
	c.peak = max(c.peak, c.bufferBytes())
}

// finishJoin does nothing, because add has copied the rows.
func (c *kvCache) finishJoin() {}

// takeGrowth returns the increase of the peak size, in bytes, since the last call.
func (c *kvCache) takeGrowth() int64 {
	n := c.peak - c.reported
	c.reported = c.peak
	return int64(n)
}

// bufferBytes returns the size of the buffers in bytes.
func (c *kvCache) bufferBytes() int {
	n := cap(c.savedRow)
	for i := range c.tensors {
		n += cap(c.tensors[i]) + cap(c.spare[i])
	}
	return n
}

// pastTensors returns the tensors that a run reads.
func (c *kvCache) pastTensors() [][]byte { return c.tensors }

// presentTensors returns the tensors that a run over n more tokens of each row writes, and their width. For an in-place
// cache these are the tensors that it reads.
func (c *kvCache) presentTensors(n int) (tensors [][]byte, width int) {
	if c.inPlace {
		return c.tensors, c.width
	}
	c.growBuffers(c.spare, c.rows(), c.width+n)
	return c.spare, c.width + n
}

// finishStep makes the output of a step the cache. Each row has one more column.
func (c *kvCache) finishStep() {
	if !c.inPlace {
		c.tensors, c.spare = c.spare, c.tensors
		c.width++
	}
	for r := range c.lengths {
		c.lengths[r]++
	}
}

// begin empties the cache for a run over whole prompts, padded to width.
func (c *kvCache) begin(rows, width int) {
	c.dropRows(0)
	c.lengths = append(c.lengths, make([]int, rows)...)
	if c.inPlace {
		c.width = width
		c.growBuffers(c.tensors, rows, width)
		return
	}
	c.tensors, c.spare = c.spare, c.tensors // the run writes into the memory of spare
}

// finishPrompts makes the output of a run over whole prompts the cache, after begin.
func (c *kvCache) finishPrompts(width int, lengths []int) {
	if !c.inPlace {
		c.tensors, c.spare = c.spare, c.tensors
		c.width = width
	}
	c.lengths = append(c.lengths[:0], lengths...)
}

// maxRowLength returns the length of the longest row.
func (c *kvCache) maxRowLength() int {
	n := 0
	for _, l := range c.lengths {
		n = max(n, l)
	}
	return n
}

// addRow appends a copy of a row of another cache.
func (c *kvCache) addRow(other rowMemory, row int) {
	from := other.(*kvCache)
	n, rows := from.lengths[row], c.rows()+1
	if n > c.width || c.bytesUsed(rows, c.width) > cap(c.tensors[0]) {
		c.resizeRows(rows, max(c.width, c.requiredWidth(n)))
	}
	for i, t := range c.tensors {
		c.tensors[i] = t[:c.bytesUsed(rows, c.width)]
		c.copyRow(c.tensors[i], c.width, rows-1, from.tensors[i], from.width, row, n)
	}
	c.lengths = append(c.lengths, n)
}

// copyRowOver copies row src over row dst.
func (c *kvCache) copyRowOver(dst, src int) {
	if dst == src {
		return
	}
	c.lengths[dst] = c.lengths[src]
	for _, t := range c.tensors {
		c.copyRow(t, c.width, dst, t, c.width, src, c.lengths[src])
	}
}

// dropRows removes the rows from n on.
func (c *kvCache) dropRows(n int) {
	c.lengths = c.lengths[:n]
	if n == 0 && !c.inPlace {
		c.width = 0
	}
	for i := range c.tensors {
		c.tensors[i] = c.tensors[i][:c.bytesUsed(n, c.width)]
	}
}

// fitWidth adjusts the width for the next step. A growing cache loses columns that no row uses, if there are enough to
// justify the copy. An in-place cache gets room, and loses columns beyond maxLength, the maximum number of tokens of a
// row.
func (c *kvCache) fitWidth(maxLength int) {
	n := c.maxRowLength()
	switch {
	case c.rows() == 0:
	case c.inPlace && (n == c.width || c.width > maxWidth(maxLength)), !c.inPlace && c.width > maxWidth(n):
		c.resizeRows(c.rows(), c.requiredWidth(n))
	}
}

// requiredWidth returns the width of a new cache whose longest row has n tokens.
func (c *kvCache) requiredWidth(n int) int {
	if c.inPlace {
		return maxWidth(n + 1)
	}
	return n
}

// maxWidth returns the maximum width of a cache whose longest row has n tokens.
func maxWidth(n int) int { return n + n/4 + 16 }

// resizeRows copies all rows into a cache of another width, with memory for capacity rows.
func (c *kvCache) resizeRows(capacity, width int) {
	c.growBuffers(c.spare, max(capacity, c.rows()), width)
	for i := range c.tensors {
		c.spare[i] = c.spare[i][:c.bytesUsed(c.rows(), width)]
		for r, n := range c.lengths {
			c.copyRow(c.spare[i], width, r, c.tensors[i], c.width, r, n)
		}
	}
	c.tensors, c.spare = c.spare, c.tensors
	c.width = width
}

// copyRow copies the n columns of a row from one tensor to another, and clears the columns before them.
func (c *kvCache) copyRow(dst []byte, dstWidth, dstRow int, src []byte, srcWidth, srcRow, n int) {
	for h := range c.heads {
		to := dst[(dstRow*c.heads+h)*dstWidth*c.column:][:dstWidth*c.column]
		from := src[(srcRow*c.heads+h)*srcWidth*c.column:][:srcWidth*c.column]
		if c.inPlace {
			copy(to, from[:n*c.column])
			continue
		}
		start := len(to) - n*c.column
		clear(to[:start])
		copy(to[start:], from[len(from)-n*c.column:])
	}
}
