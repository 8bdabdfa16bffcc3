package sdk

import "fmt"

// Notes are remarks on a score for people, one each: [Score.Notes].
type Notes []string

// Add adds a remark.
func (n *Notes) Add(format string, a ...any) { *n = append(*n, fmt.Sprintf(format, a...)) }

// AddCount adds a remark whose first verb is a count, if that is above 0.
func (n *Notes) AddCount(count int, format string, a ...any) {
	if count > 0 {
		n.Add(format, append([]any{count}, a...)...)
	}
}

// AddDropped adds how many entries of a log were dropped because only the first of a sample counts.
func (n *Notes) AddDropped(entries int) {
	n.AddCount(entries, "%d entries dropped: their samples had been answered before")
}

// AddMissing adds how many of all samples, under the name of what they are, a log lacks, and what that means for the
// score: "the accuracy is that" of the others.
func (n *Notes) AddMissing(missing, all int, samples, score string) {
	n.AddCount(missing, "%d of %d %s are not in the log; %s of the others", all, samples, score)
}
