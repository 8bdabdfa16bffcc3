package squad

import "github.com/plumbline-ml/plumbline/internal/lists"

// Paragraph is a passage with the questions about it.
type Paragraph struct {
	Title     string // of its article
	Context   string
	Questions []Question
}

// Question is asked about the passage that it belongs to.
type Question struct {
	ID      string // unique in the data set
	Text    string
	Answers []Answer
}

// Answer is an accepted answer: a part of the passage.
type Answer struct {
	Text  string
	Start int // its place in the passage, in characters (code points) from 0
}

// Texts are those of the answers, in order.
func (q Question) Texts() []string {
	return lists.Map(q.Answers, func(a Answer) string { return a.Text })
}
