package generate

// kvCache holds keys and values of sequences, one row each: for each tensor an array [rows, heads, width, dim].
//
// One that grows has rows as wide as the longest one, right-aligned: those of row r are in its last lengths[r] columns,
// and zeros or leftovers, which the mask hides, are before. What a step writes becomes the cache.
//
// One in place has room for longer rows than there are, left-aligned: those of row r are in its first lengths[r]
// columns, and leftovers, which the lengths hide, are behind. A step writes one column of each row.
type kvCache struct {
	inPlace       bool
	heads, column int // column: bytes of one head's column
	width         int
	lengths       []int
	tensors       [][]byte // as the session reads them: layers' keys and values in turn
	spare         [][]byte // what the next step writes, and the next rebuild
	aside         []byte   // one row of one tensor, while others move
	peak          int      // bytes, the greatest ever held
	noted         int      // of peak, what is in the generator's figures
}

func newCache(d *decoderModel) *kvCache {
	n := 2 * d.layers
	return &kvCache{
		inPlace: d.inPlace(), heads: d.heads, column: d.dim * d.past.Size(),
		tensors: make([][]byte, n), spare: make([][]byte, n),
	}
}

func (c *kvCache) rows() int { return len(c.lengths) }

// bytesUsed is how many bytes of each tensor are in use.
func (c *kvCache) bytesUsed(rows, width int) int { return rows * c.heads * width * c.column }

// slackColumns are the columns that a buffer gets beyond need, so that a cache that grows by one column each step
// seldom needs a new one.
const slackColumns = 32

// growBuffers makes each of the buffers hold rows x width, with unspecified contents.
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

// joined has nothing to do: add has copied.
func (c *kvCache) joined() {}

// grown is by how many bytes the most that was ever held has grown since the last call.
func (c *kvCache) grown() int64 {
	n := c.peak - c.noted
	c.noted = c.peak
	return int64(n)
}

// bufferBytes is how many bytes the buffers take.
func (c *kvCache) bufferBytes() int {
	n := cap(c.aside)
	for i := range c.tensors {
		n += cap(c.tensors[i]) + cap(c.spare[i])
	}
	return n
}

// pastTensors are the tensors that a run reads.
func (c *kvCache) pastTensors() [][]byte { return c.tensors }

// presentTensors are the tensors that a run over n more tokens of each row writes, and their width. Those of a cache in
// place are the ones that it reads.
func (c *kvCache) presentTensors(n int) (tensors [][]byte, width int) {
	if c.inPlace {
		return c.tensors, c.width
	}
	c.growBuffers(c.spare, c.rows(), c.width+n)
	return c.spare, c.width + n
}

// finishStep makes the cache of what a step wrote: one more column in each row.
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
	c.drop(0)
	c.lengths = append(c.lengths, make([]int, rows)...)
	if c.inPlace {
		c.width = width
		c.growBuffers(c.tensors, rows, width)
		return
	}
	c.tensors, c.spare = c.spare, c.tensors // whose memory the run writes
}

// finishPrompts makes the cache of what a run over whole prompts wrote, after begin.
func (c *kvCache) finishPrompts(width int, lengths []int) {
	if !c.inPlace {
		c.tensors, c.spare = c.spare, c.tensors
		c.width = width
	}
	c.lengths = append(c.lengths[:0], lengths...)
}

// maxRowLength is the length of the longest row.
func (c *kvCache) maxRowLength() int {
	n := 0
	for _, l := range c.lengths {
		n = max(n, l)
	}
	return n
}

// add appends a copy of a row of another cache.
func (c *kvCache) add(other rowMemory, row int) {
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

// move copies row src over row dst.
func (c *kvCache) move(dst, src int) {
	if dst == src {
		return
	}
	c.lengths[dst] = c.lengths[src]
	for _, t := range c.tensors {
		c.copyRow(t, c.width, dst, t, c.width, src, c.lengths[src])
	}
}

// drop forgets the rows from n on.
func (c *kvCache) drop(n int) {
	c.lengths = c.lengths[:n]
	if n == 0 && !c.inPlace {
		c.width = 0
	}
	for i := range c.tensors {
		c.tensors[i] = c.tensors[i][:c.bytesUsed(n, c.width)]
	}
}

// fit makes the width right for the next step: one that grows loses the columns that no row uses any more, once
// they are many enough to pay for the copy; one in place gets room, and loses what exceeds maxLength, the tokens
// that a row can come to.
func (c *kvCache) fit(maxLength int) {
	n := c.maxRowLength()
	switch {
	case c.rows() == 0:
	case c.inPlace && (n == c.width || c.width > maxWidth(maxLength)), !c.inPlace && c.width > maxWidth(n):
		c.resizeRows(c.rows(), c.requiredWidth(n))
	}
}

// requiredWidth is the width that a new cache has whose longest row has n tokens.
func (c *kvCache) requiredWidth(n int) int {
	if c.inPlace {
		return maxWidth(n + 1)
	}
	return n
}

// maxWidth is the greatest width of a cache whose longest row has n tokens.
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

// copyRow copies the n columns of a row from one tensor to another, and clears what is before them.
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
