package rouge

import (
	"math/bits"
	"slices"
)

// subsequenceFinder finds longest common subsequences with one bit for each word of the reference (M. Crochemore et
// al., "A fast and practical bit-vector algorithm for the longest common subsequence problem", 2001). After each
// predicted word, bit i of a row is 0 where the table of the textbook algorithm grows from its row i to row i+1: all
// that its way back asks for.
type subsequenceFinder struct {
	reference []int32
	words     int        // of 64 bits in a row
	slots     wordCounts // of each word of the vocabulary: 1 + its place in matches; 0: not in the reference
	matches   []uint64   // rows: where the reference has a word
	rows      []uint64   // the state after each predicted word, the start state first
	marked    []uint64   // one row: the words of the reference that are in a subsequence
}

// setReference prepares for a reference. claimMarked or clearReference must follow.
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

// matchRow is the row of a word of the reference.
func (l *subsequenceFinder) matchRow(w int32) []uint64 {
	end := int(l.slots[w]) * l.words
	return l.matches[end-l.words : end]
}

func (l *subsequenceFinder) clearReference() {
	for _, w := range l.reference {
		l.slots[w] = 0
	}
}

// commonLength is the length of the longest common subsequence of two texts.
func (l *subsequenceFinder) commonLength(reference, predicted []int32) int {
	l.setReference(reference)
	defer l.clearReference()
	row := l.startRow(1)
	for _, w := range predicted {
		if l.slots[w] > 0 {
			nextRow(row, row, l.matchRow(w))
		}
	}
	return l.countZeros(row)
}

// startRow makes room for n rows and returns the first, which is all ones.
func (l *subsequenceFinder) startRow(n int) []uint64 {
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

// nextRow computes the row after a predicted word from the one before it; both may be the same memory.
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

// countZeros counts the zeros of a row within the reference.
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

// markCommon adds the words of a longest common subsequence of the reference and a predicted sentence to those marked.
// Of several such subsequences it is the one of rouge-score: on its way back through the table it drops a predicted
// word only where that leaves a longer subsequence than to drop a word of the reference.
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

// fillRows computes all rows and says whether any predicted word is in the reference.
func (l *subsequenceFinder) fillRows(predicted []int32) bool {
	from := l.startRow(len(predicted) + 1)
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

// claimMarked counts the marked words as far as unused has them left, takes them from unused, and ends
// what setReference began.
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
