package generate

// cache holds keys and values of sequences, one row each: for each tensor an array [rows, heads, width, dim].
//
// One that grows has rows as wide as the longest one, right-aligned: those of row r are in its last lengths[r] columns,
// and zeros or leftovers, which the mask hides, are before. What a step writes becomes the cache.
//
// One in place has room for longer rows than there are, left-aligned: those of row r are in its first lengths[r]
// columns, and leftovers, which the lengths hide, are behind. A step writes one column of each row.
type cache struct {
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

func newCache(d *decoder) *cache {
	n := 2 * d.layers
	return &cache{
		inPlace: d.inPlace(), heads: d.heads, column: d.dim * d.past.Size(),
		tensors: make([][]byte, n), spare: make([][]byte, n),
	}
}

func (c *cache) rows() int { return len(c.lengths) }

// size is how many bytes of each tensor are in use.
func (c *cache) size(rows, width int) int { return rows * c.heads * width * c.column }

// slackColumns are the columns that a buffer gets beyond need, so that a cache that grows by one column each step
// seldom needs a new one.
const slackColumns = 32

// room makes each of the buffers hold rows x width, with unspecified contents.
func (c *cache) room(buffers [][]byte, rows, width int) {
	n := c.size(rows, width)
	for i := range buffers {
		if cap(buffers[i]) < n {
			buffers[i] = make([]byte, n, c.size(rows, width+slackColumns))
		}
		buffers[i] = buffers[i][:n]
	}
	c.peak = max(c.peak, c.held())
}

// joined has nothing to do: add has copied.
func (c *cache) joined() {}

// grown is by how many bytes the most that was ever held has grown since the last call.
func (c *cache) grown() int64 {
	n := c.peak - c.noted
	c.noted = c.peak
	return int64(n)
}

// held is how many bytes the buffers take.
func (c *cache) held() int {
	n := cap(c.aside)
	for i := range c.tensors {
		n += cap(c.tensors[i]) + cap(c.spare[i])
	}
	return n
}

// past are the tensors that a run reads.
func (c *cache) past() [][]byte { return c.tensors }

// present are the tensors that a run over n more tokens of each row writes, and their width. Those of a cache in place
// are the ones that it reads.
func (c *cache) present(n int) (tensors [][]byte, width int) {
	if c.inPlace {
		return c.tensors, c.width
	}
	c.room(c.spare, c.rows(), c.width+n)
	return c.spare, c.width + n
}

// stepped makes the cache of what a step wrote: one more column in each row.
func (c *cache) stepped() {
	if !c.inPlace {
		c.tensors, c.spare = c.spare, c.tensors
		c.width++
	}
	for r := range c.lengths {
		c.lengths[r]++
	}
}

// begin empties the cache for a run over whole prompts, padded to width.
func (c *cache) begin(rows, width int) {
	c.drop(0)
	c.lengths = append(c.lengths, make([]int, rows)...)
	if c.inPlace {
		c.width = width
		c.room(c.tensors, rows, width)
		return
	}
	c.tensors, c.spare = c.spare, c.tensors // whose memory the run writes
}

// filled makes the cache of what a run over whole prompts wrote, after begin.
func (c *cache) filled(width int, lengths []int) {
	if !c.inPlace {
		c.tensors, c.spare = c.spare, c.tensors
		c.width = width
	}
	c.lengths = append(c.lengths[:0], lengths...)
}

// longest is the length of the longest row.
func (c *cache) longest() int {
	n := 0
	for _, l := range c.lengths {
		n = max(n, l)
	}
	return n
}

// add appends a copy of a row of another cache.
func (c *cache) add(other memory, row int) {
	from := other.(*cache)
	n, rows := from.lengths[row], c.rows()+1
	if n > c.width || c.size(rows, c.width) > cap(c.tensors[0]) {
		c.rebuild(rows, max(c.width, c.wanted(n)))
	}
	for i, t := range c.tensors {
		c.tensors[i] = t[:c.size(rows, c.width)]
		c.align(c.tensors[i], c.width, rows-1, from.tensors[i], from.width, row, n)
	}
	c.lengths = append(c.lengths, n)
}

// move copies row src over row dst.
func (c *cache) move(dst, src int) {
	if dst == src {
		return
	}
	c.lengths[dst] = c.lengths[src]
	for _, t := range c.tensors {
		c.align(t, c.width, dst, t, c.width, src, c.lengths[src])
	}
}

// drop forgets the rows from n on.
func (c *cache) drop(n int) {
	c.lengths = c.lengths[:n]
	if n == 0 && !c.inPlace {
		c.width = 0
	}
	for i := range c.tensors {
		c.tensors[i] = c.tensors[i][:c.size(n, c.width)]
	}
}

// fit makes the width right for the next step: one that grows loses the columns that no row uses any more, once
// they are many enough to pay for the copy; one in place gets room, and loses what exceeds most, the tokens
// that a row can come to.
func (c *cache) fit(most int) {
	n := c.longest()
	switch {
	case c.rows() == 0:
	case c.inPlace && (n == c.width || c.width > columns(most)), !c.inPlace && c.width > columns(n):
		c.rebuild(c.rows(), c.wanted(n))
	}
}

// wanted is the width that a new cache has whose longest row has n tokens.
func (c *cache) wanted(n int) int {
	if c.inPlace {
		return columns(n + 1)
	}
	return n
}

// columns is the greatest width of a cache whose longest row has n tokens.
func columns(n int) int { return n + n/4 + 16 }

// rebuild copies all rows into a cache of another width, with memory for capacity rows.
func (c *cache) rebuild(capacity, width int) {
	c.room(c.spare, max(capacity, c.rows()), width)
	for i := range c.tensors {
		c.spare[i] = c.spare[i][:c.size(c.rows(), width)]
		for r, n := range c.lengths {
			c.align(c.spare[i], width, r, c.tensors[i], c.width, r, n)
		}
	}
	c.tensors, c.spare = c.spare, c.tensors
	c.width = width
}

// align copies the n columns of a row from one tensor to another, and clears what is before them.
func (c *cache) align(dst []byte, dstWidth, dstRow int, src []byte, srcWidth, srcRow, n int) {
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
