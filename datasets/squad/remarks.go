package squad

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// passageText is a passage in which answers are searched.
type passageText struct {
	text  string
	ascii bool // one byte per character
}

func newPassage(text string) passageText {
	return passageText{text, utf8.RuneCountInString(text) == len(text)}
}

// hasTextAt reports whether text occurs in the passage at position start, counted in characters.
func (p passageText) hasTextAt(text string, start int) bool {
	if start < 0 {
		return false
	}
	rest := p.text
	if p.ascii {
		rest = rest[min(start, len(rest)):]
		return strings.HasPrefix(rest, text)
	}
	for range start {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return strings.HasPrefix(rest, text)
}

// remarkKind is a kind of remark.
type remarkKind int

const (
	noContext remarkKind = iota
	noText
	noAnswer
	emptyAnswer
	strangeAnswer
	misplacedAnswer
	remarkKinds = iota
)

func (o remarkKind) String() string {
	return [...]string{
		noContext:       "questions about an empty passage",
		noText:          "questions without text",
		noAnswer:        "questions without an accepted answer, which score 0",
		emptyAnswer:     "accepted answers without text",
		strangeAnswer:   "accepted answers that their passage does not have",
		misplacedAnswer: "accepted answers that are not at their answer_start",
	}[o]
}

// remarkCounts counts the remarks of each kind and stores the first question of each.
type remarkCounts struct {
	count [remarkKinds]int
	first [remarkKinds]string
}

func (r *remarkCounts) addRemark(o remarkKind, q Question) {
	if r.count[o]++; r.count[o] == 1 {
		r.first[o] = q.ID
	}
}

func (r *remarkCounts) checkQuestion(q Question, context passageText) {
	if strings.TrimSpace(context.text) == "" {
		r.addRemark(noContext, q)
	}
	if strings.TrimSpace(q.Text) == "" {
		r.addRemark(noText, q)
	}
	if len(q.Answers) == 0 {
		r.addRemark(noAnswer, q)
	}
	for _, a := range q.Answers {
		switch {
		case a.Text == "":
			r.addRemark(emptyAnswer, q)
		case context.hasTextAt(a.Text, a.Start):
		case strings.Contains(context.text, a.Text):
			r.addRemark(misplacedAnswer, q)
		default:
			r.addRemark(strangeAnswer, q)
		}
	}
}

func (r *remarkCounts) remarkTexts() []string {
	var texts []string
	for o, n := range r.count {
		if n > 0 {
			texts = append(texts, fmt.Sprintf("%d %v (first: question %q)", n, remarkKind(o), r.first[o]))
		}
	}
	return texts
}
