package squad

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// maxAnswerTokens is the maximum number of tokens of an answer.
const maxAnswerTokens = 30

// answerSpan is a range of tokens of a feature that may be the answer.
type answerSpan struct {
	found       bool
	first, last int16
	score       float64 // the sum of the start logit and the end logit
}

// bestSpan returns the valid span with the highest score among the candidates for start and end. Among equal scores, it
// prefers the better start candidate, then the better end candidate, which is the first in the reference's sorted list.
func bestSpan(f features.Feature, l spanLogits) answerSpan {
	var starts, ends [maxCandidates]int
	best := answerSpan{}
	lasts := largestPositions(&ends, l.end)
	for _, first := range largestPositions(&starts, l.start) {
		if !f.HasMaxContext(first) {
			continue
		}
		for _, last := range lasts {
			if last < first || last-first >= maxAnswerTokens {
				continue
			}
			if _, ok := f.Word(last); !ok {
				continue
			}
			if score := l.start[first] + l.end[last]; !best.found || score > best.score {
				best = answerSpan{true, int16(first), int16(last), score}
			}
		}
	}
	return best
}

// textIn returns the answer that a span of a feature selects: the part of the passage from which its tokens were made.
func (s answerSpan) textIn(f features.Feature) string {
	first, _ := f.Word(int(s.first))
	last, _ := f.Word(int(s.last))
	original := strings.Join(f.Passage().Words()[first:last+1], " ")
	return alignText(strings.Join(pystr.Fields(f.Text(int(s.first), int(s.last))), " "), original)
}

// alignText returns the part of original from which the tokens of predicted were made. Tokens lack accents and
// capitals, and words of the original may have punctuation that was not predicted. It compares the original with its
// own tokens, ignoring blanks. If their lengths differ, or the original's tokens do not contain the prediction, it
// returns the whole original.
func alignText(predicted, original string) string {
	tokens := strings.Join(wordpiece.Words(original), " ")
	at := strings.Index(tokens, predicted)
	if at < 0 || predicted == "" {
		return original
	}
	places := nonblankIndices([]rune(original))
	if len(places) != countWithoutBlanks(tokens) {
		return original
	}
	first := countWithoutBlanks(tokens[:at])
	last := first + countWithoutBlanks(predicted) - 1
	return string([]rune(original)[places[first] : places[last]+1])
}

// nonblankIndices returns the indices of the characters that are not blanks.
func nonblankIndices(text []rune) []int {
	places := make([]int, 0, len(text))
	for i, r := range text {
		if r != ' ' {
			places = append(places, i)
		}
	}
	return places
}

func countWithoutBlanks(text string) int {
	return utf8.RuneCountInString(text) - strings.Count(text, " ")
}
