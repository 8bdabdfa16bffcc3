package squad

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// passage is a context in which answers are looked up.
type passage struct {
	text  string
	ascii bool // so that characters are bytes
}

func newPassage(text string) passage {
	return passage{text, utf8.RuneCountInString(text) == len(text)}
}

// has is true if the passage has text at a place, counted in characters.
func (p passage) has(text string, start int) bool {
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

// oddity is a kind of remark.
type oddity int

const (
	noContext oddity = iota
	noText
	noAnswer
	emptyAnswer
	strangeAnswer
	misplacedAnswer
	oddities = iota
)

func (o oddity) String() string {
	return [...]string{
		noContext:       "questions about an empty passage",
		noText:          "questions without text",
		noAnswer:        "questions without an accepted answer, which score 0",
		emptyAnswer:     "accepted answers without text",
		strangeAnswer:   "accepted answers that their passage does not have",
		misplacedAnswer: "accepted answers that are not at their answer_start",
	}[o]
}

// remarks counts oddities, and keeps the first question of each.
type remarks struct {
	count [oddities]int
	first [oddities]string
}

func (r *remarks) add(o oddity, q Question) {
	if r.count[o]++; r.count[o] == 1 {
		r.first[o] = q.ID
	}
}

func (r *remarks) question(q Question, context passage) {
	if strings.TrimSpace(context.text) == "" {
		r.add(noContext, q)
	}
	if strings.TrimSpace(q.Text) == "" {
		r.add(noText, q)
	}
	if len(q.Answers) == 0 {
		r.add(noAnswer, q)
	}
	for _, a := range q.Answers {
		switch {
		case a.Text == "":
			r.add(emptyAnswer, q)
		case context.has(a.Text, a.Start):
		case strings.Contains(context.text, a.Text):
			r.add(misplacedAnswer, q)
		default:
			r.add(strangeAnswer, q)
		}
	}
}

func (r *remarks) texts() []string {
	var texts []string
	for o, n := range r.count {
		if n > 0 {
			texts = append(texts, fmt.Sprintf("%d %v (first: question %q)", n, oddity(o), r.first[o]))
		}
	}
	return texts
}
