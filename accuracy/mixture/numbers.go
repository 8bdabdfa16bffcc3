package mixture

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// numberPattern matches numbers with optional commas between thousands. Like the official script, it includes a period
// in a number only if a digit follows, and accepts digits of all scripts.
var numberPattern = regexp.MustCompile(`-?[\p{Nd},]*\.?\p{Nd}+`)

const (
	nextQuestion = "\nQ:" // begins a further question that the model invents
	conclusion   = "The answer is"
)

// answerNumber returns the number that an answer gives: the first one after the last conclusion, or else the last
// number of the answer.
func answerNumber(answer string) (v float64, ok bool) {
	answer, _, _ = strings.Cut(answer, nextQuestion)
	found := numberPattern.FindAllString(answer, -1)
	if len(found) == 0 {
		return 0, false
	}
	number := found[len(found)-1]
	if at := strings.LastIndex(answer, conclusion); at >= 0 {
		if first := numberPattern.FindString(answer[at+len(conclusion):]); first != "" {
			number = first
		}
	}
	return pyfloat.Parse(strings.ReplaceAll(number, ",", ""))
}
