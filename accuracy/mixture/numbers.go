package mixture

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// numbers matches numbers with commas between thousands. As in the official script a period ends a number unless a
// digit follows, and digits of all scripts count.
var numbers = regexp.MustCompile(`-?[\p{Nd},]*\.?\p{Nd}+`)

const (
	nextQuestion = "\nQ:" // where a model goes on with a question of its own
	conclusion   = "The answer is"
)

// answerNumber is the number that an answer gives: the first after the last conclusion, or else the last of all.
func answerNumber(answer string) (v float64, ok bool) {
	answer, _, _ = strings.Cut(answer, nextQuestion)
	found := numbers.FindAllString(answer, -1)
	if len(found) == 0 {
		return 0, false
	}
	number := found[len(found)-1]
	if at := strings.LastIndex(answer, conclusion); at >= 0 {
		if first := numbers.FindString(answer[at+len(conclusion):]); first != "" {
			number = first
		}
	}
	return pyfloat.Parse(strings.ReplaceAll(number, ",", ""))
}
