package sdk

import "fmt"

// Notes contains remarks on a score for people, one each: [Score.Notes].
type Notes []string

// Add adds a remark.
func (n *Notes) Add(format string, a ...any) { *n = append(*n, fmt.Sprintf(format, a...)) }

// AddCount adds a remark whose first verb formats count. It does nothing if count is 0.
func (n *Notes) AddCount(count int, format string, a ...any) {
	if count > 0 {
		n.Add(format, append([]any{count}, a...)...)
	}
}

// AddDropped adds the number of log entries that were dropped because only a sample's first entry counts.
func (n *Notes) AddDropped(entries int) {
	n.AddCount(entries, "%d entries dropped: their samples had been answered before")
}

// AddMissing adds the number of samples, out of all, that a log lacks. samples is the noun for them, and score states
// the effect on the score: "the accuracy is that" of the others.
func (n *Notes) AddMissing(missing, all int, samples, score string) {
	n.AddCount(missing, "%d of %d %s are not in the log; %s of the others", all, samples, score)
}
