package wer

// editDistance returns the Levenshtein distance of two lists of words: the minimum number of insertions, deletions and
// substitutions.
func editDistance(a, b []string) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	row := make([]int, len(a)+1)
	for i := range row {
		row[i] = i
	}
	for i, word := range b {
		diagonal := row[0]
		row[0] = i + 1
		for j := range a {
			exchange := diagonal
			if a[j] != word {
				exchange++
			}
			diagonal = row[j+1]
			row[j+1] = min(diagonal+1, row[j]+1, exchange)
		}
	}
	return row[len(a)]
}
