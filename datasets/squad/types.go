package squad

// Paragraph is a passage with the questions about it.
type Paragraph struct {
	Title     string // title of the article
	Context   string
	Questions []Question
}

// Question is a question about its paragraph's passage.
type Question struct {
	ID      string // unique in the data set
	Text    string
	Answers []AcceptedAnswer
}

// AcceptedAnswer is a part of the passage that counts as a correct answer.
type AcceptedAnswer struct {
	Text  string
	Start int // position in the passage, in characters (code points) from 0
}

// AnswerTexts returns the texts of the answers, in order.
func (q Question) AnswerTexts() []string {
	texts := make([]string, len(q.Answers))
	for i, a := range q.Answers {
		texts[i] = a.Text
	}
	return texts
}
