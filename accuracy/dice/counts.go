package dice

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// caseCounts counts the log entries of each case.
type caseCounts struct {
	names  []string
	counts []int
}

// countRepeat reports whether the case of an entry was already added, and counts the repetition. A sample outside the
// data set is an error.
func (t *caseCounts) countRepeat(index uint64) (bool, error) {
	if index >= uint64(len(t.names)) {
		return false, fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(t.names))
	}
	if t.counts[index] == 0 {
		return false, nil
	}
	t.counts[index]++
	return true, nil
}

// checkComplete checks that each case was added exactly once. The official scripts stop otherwise.
func (t *caseCounts) checkComplete() error {
	var wrong accuracy.FaultList
	total := 0
	for i, n := range t.counts {
		total += n
		if n != 1 {
			wrong.Addf("case %d (%s) %d times, want once", i, t.names[i], n)
		}
	}
	if total == 0 {
		return fmt.Errorf("%w: want one entry for each of %d cases; was the run made in accuracy mode?",
			ErrNoSamples, len(t.names))
	}
	return wrong.Err(ErrLog)
}
