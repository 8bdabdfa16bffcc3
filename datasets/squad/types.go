package squad

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
	texts := make([]string, len(q.Answers))
	for i, a := range q.Answers {
		texts[i] = a.Text
	}
	return texts
}
