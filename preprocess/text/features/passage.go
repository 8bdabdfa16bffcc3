package features

import (
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// Passage is a text with its tokens. It is read-only and may be used from many goroutines.
type Passage struct {
	words  []string
	ids    []int32 // token IDs of all words
	wordOf []int32 // index of the word of each token
}

// NewPassage splits a text into words and the words into tokens. Only blanks, tabs, line ends and narrow no-break
// spaces separate words.
func NewPassage(t *wordpiece.Tokenizer, text string) *Passage {
	p := &Passage{words: strings.FieldsFunc(text, isSeparator)}
	for i, word := range p.words {
		p.ids = t.Encode(p.ids, word)
		for len(p.wordOf) < len(p.ids) {
			p.wordOf = append(p.wordOf, int32(i))
		}
	}
	return p
}

func isSeparator(r rune) bool {
	const narrowNoBreakSpace = '\u202f'
	return r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == narrowNoBreakSpace
}

// Words returns the words of the passage, unchanged from the text. The caller must not change them.
func (p *Passage) Words() []string { return p.words }

// TokenCount returns the number of tokens of all words.
func (p *Passage) TokenCount() int { return len(p.ids) }
