package mixture

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
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
	return parseFloat(strings.ReplaceAll(number, ",", ""))
}

// parseFloat reads a number as Python's float does: white space around it, single underscores between digits and digits
// of all scripts are allowed, hexadecimal digits are not.
func parseFloat(text string) (v float64, ok bool) {
	text = strings.Map(latinDigit, pystr.Trim(text))
	if strings.ContainsAny(text, "xX") {
		return 0, false
	}
	for i := range text {
		if text[i] == '_' && (!isDigit(text, i-1) || !isDigit(text, i+1)) {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

func isDigit(text string, i int) bool {
	return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

// latinDigit turns a digit of any script into that of ASCII. The ranges of digits start with a zero each.
func latinDigit(r rune) rune {
	if r < unicode.MaxASCII || !unicode.IsDigit(r) {
		return r
	}
	for _, x := range unicode.Nd.R16 {
		if rune(x.Lo) <= r && r <= rune(x.Hi) {
			return '0' + (r-rune(x.Lo))%10
		}
	}
	for _, x := range unicode.Nd.R32 {
		if rune(x.Lo) <= r && r <= rune(x.Hi) {
			return '0' + (r-rune(x.Lo))%10
		}
	}
	return r
}
