package squad

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// answerText is an answer in the form that the metrics compare.
type answerText struct {
	text   string   // in lower case, without ASCII punctuation, articles and redundant white space
	sorted []string // its words, sorted
}

func newAnswerText(text string) answerText {
	words := pystr.Fields(removeArticles(removePunctuation(pystr.Lower(text))))
	a := answerText{text: strings.Join(words, " "), sorted: words}
	slices.Sort(a.sorted)
	return a
}

func removePunctuation(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			return -1
		}
		return r
	}, text)
}

// removeArticles replaces each word "a", "an" and "the" by a blank. A word ends where Python's \b matches, for example
// before a combining mark.
func removeArticles(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !pystr.IsWord(r) })
		if end < 0 {
			end = len(text)
		}
		switch word := text[:end]; word {
		case "a", "an", "the":
			b.WriteByte(' ')
		default:
			b.WriteString(word)
		}
		text = text[end:]
		next := strings.IndexFunc(text, pystr.IsWord)
		if next < 0 {
			next = len(text)
		}
		b.WriteString(text[:next])
		text = text[next:]
	}
	return b.String()
}

// wordF1 returns the harmonic mean of the shares that the common words have in each answer. A word counts as often as
// it occurs in both.
func wordF1(predicted, accepted answerText) float64 {
	shared := countShared(predicted.sorted, accepted.sorted)
	if shared == 0 {
		return 0
	}
	precision := float64(shared) / float64(len(predicted.sorted))
	recall := float64(shared) / float64(len(accepted.sorted))
	return 2 * precision * recall / (precision + recall)
}

func countShared(a, b []string) int {
	shared := 0
	for len(a) > 0 && len(b) > 0 {
		order := strings.Compare(a[0], b[0])
		if order == 0 {
			shared++
		}
		if order <= 0 {
			a = a[1:]
		}
		if order >= 0 {
			b = b[1:]
		}
	}
	return shared
}

// CompareAnswer reports whether a prediction equals an accepted answer, and returns its highest F1 with one, 0 to 1.
func CompareAnswer(predicted string, accepted []string) (exact bool, best float64) {
	p := newAnswerText(predicted)
	for _, text := range accepted {
		a := newAnswerText(text)
		exact = exact || a.text == p.text
		best = max(best, wordF1(p, a))
	}
	return exact, best
}
