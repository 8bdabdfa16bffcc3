package squad

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// maxAnswerTokens is the number of tokens of the longest span that can be an answer.
const maxAnswerTokens = 30

// answerSpan is a run of tokens of a feature that may be the answer.
type answerSpan struct {
	found       bool
	first, last int16
	score       float64 // the sum of its two logits
}

// bestSpan is the span with the highest score of those that the candidates for start and end make. Of equal scores the
// one with the better candidate for its start counts, then for its end: it heads the list that the reference sorts.
func bestSpan(f features.Feature, l spanLogits) answerSpan {
	var starts, ends [candidates]int
	best := answerSpan{}
	lasts := largestPositions(&ends, l.end)
	for _, first := range largestPositions(&starts, l.start) {
		if !f.MaxContext(first) {
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

// textIn returns the answer that a span of a feature stands for: the part of the passage that its tokens were made of.
func (s answerSpan) textIn(f features.Feature) string {
	first, _ := f.Word(int(s.first))
	last, _ := f.Word(int(s.last))
	original := strings.Join(f.Passage().Words()[first:last+1], " ")
	return alignText(strings.Join(pystr.Fields(f.Text(int(s.first), int(s.last))), " "), original)
}

// alignText cuts from original what the tokens of predicted were made of: tokens lack accents and capitals, and words
// of the original may have signs around them that were not predicted. It compares the original with its own tokens,
// blanks apart; where they do not have the same length, or the tokens of the prediction are not among them, it returns
// all of original.
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
