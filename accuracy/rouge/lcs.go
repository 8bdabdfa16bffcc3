package rouge

import (
	"math/bits"
	"slices"
)

// subsequenceFinder finds longest common subsequences with one bit for each word of the reference (M. Crochemore et
// al., "A fast and practical bit-vector algorithm for the longest common subsequence problem", 2001). After each
// predicted word, bit i of a row is 0 if the table of the textbook algorithm increases from row i to row i+1.
// Backtracking needs only these bits.
type subsequenceFinder struct {
	reference []int32
	words     int        // number of 64-bit words in a row
	slots     wordCounts // by word number: 1 + the word's row in matches; 0: not in the reference
	matches   []uint64   // a row for each word: its positions in the reference
	rows      []uint64   // the start state, then the state after each predicted word
	marked    []uint64   // one row: the words of the reference that are in a subsequence
}

// setReference prepares the finder for a reference. The caller must then call claimMarked or clearReference.
func (l *subsequenceFinder) setReference(reference []int32) {
	l.reference = reference
	l.words = (len(reference) + 63) / 64
	l.marked = appendZeros(l.marked[:0], l.words)
	l.matches = l.matches[:0]
	for i, w := range reference {
		if l.slots[w] == 0 {
			l.matches = appendZeros(l.matches, l.words)
			l.slots[w] = int32(len(l.matches) / l.words)
		}
		l.matchRow(w)[i/64] |= 1 << (i % 64)
	}
}

// appendZeros appends n zeros.
func appendZeros(s []uint64, n int) []uint64 {
	start := len(s)
	s = slices.Grow(s, n)[:start+n]
	clear(s[start:])
	return s
}

// matchRow returns the row of a word of the reference.
func (l *subsequenceFinder) matchRow(w int32) []uint64 {
	end := int(l.slots[w]) * l.words
	return l.matches[end-l.words : end]
}

func (l *subsequenceFinder) clearReference() {
	for _, w := range l.reference {
		l.slots[w] = 0
	}
}

// commonLength returns the length of the longest common subsequence of two texts.
func (l *subsequenceFinder) commonLength(reference, predicted []int32) int {
	l.setReference(reference)
	defer l.clearReference()
	row := l.resetRows(1)
	for _, w := range predicted {
		if l.slots[w] > 0 {
			nextRow(row, row, l.matchRow(w))
		}
	}
	return l.countZeros(row)
}

// resetRows makes room for n rows and returns the first, with all bits set.
func (l *subsequenceFinder) resetRows(n int) []uint64 {
	if need := n * l.words; cap(l.rows) < need {
		l.rows = make([]uint64, 2*need)
	}
	l.rows = l.rows[:cap(l.rows)]
	row := l.rows[:l.words]
	for i := range row {
		row[i] = ^uint64(0)
	}
	return row
}

// nextRow computes the row after a predicted word from the previous row. The two rows may share memory.
func nextRow(to, from, match []uint64) {
	var carry uint64
	for i, m := range match {
		v := from[i]
		u := v & m
		var sum uint64
		sum, carry = bits.Add64(v, u, carry)
		to[i] = sum | v&^m
	}
}

// countZeros returns the number of zero bits of a row within the reference.
func (l *subsequenceFinder) countZeros(row []uint64) int {
	ones := 0
	for i, v := range row {
		if rest := len(l.reference) - 64*i; rest < 64 {
			v &= 1<<rest - 1
		}
		ones += bits.OnesCount64(v)
	}
	return len(l.reference) - ones
}

// markCommon marks the words of a longest common subsequence of the reference and a predicted sentence. If there are
// several, it chooses the same one as rouge-score: while backtracking, it drops a predicted word only if that leaves a
// longer subsequence than dropping a word of the reference.
func (l *subsequenceFinder) markCommon(predicted []int32) {
	if !l.fillRows(predicted) {
		return
	}
	i, j := len(l.reference)-1, len(predicted)
	for i >= 0 && j > 0 {
		bit := uint64(1) << (i % 64)
		switch {
		case l.reference[i] == predicted[j-1]:
			l.marked[i/64] |= bit
			i--
			j--
		case l.rows[j*l.words+i/64]&bit == 0:
			j--
		default:
			i--
		}
	}
}

// fillRows computes all rows and reports whether the reference contains any predicted word.
func (l *subsequenceFinder) fillRows(predicted []int32) bool {
	from := l.resetRows(len(predicted) + 1)
	found := false
	for j, w := range predicted {
		to := l.rows[(j+1)*l.words : (j+2)*l.words]
		if l.slots[w] > 0 {
			found = true
			nextRow(to, from, l.matchRow(w))
		} else {
			copy(to, from)
		}
		from = to
	}
	return found
}

// claimMarked counts the marked words that unused still contains and removes them from unused. It then clears the
// reference.
func (l *subsequenceFinder) claimMarked(unused wordCounts) int {
	claimed := 0
	for i, w := range l.reference {
		if l.marked[i/64]>>(i%64)&1 == 1 && unused[w] > 0 {
			unused[w]--
			claimed++
		}
	}
	l.clearReference()
	return claimed
}
