package features

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// ErrOptions is wrapped by errors of NewBuilder about lengths that leave no room for a passage.
var ErrOptions = errors.New("features of questions")

// specialCount is the number of special tokens in a feature: [CLS] and two [SEP].
const specialCount = 3

// LengthOptions contains lengths in tokens. The zero value means the benchmark's lengths: 384, 64 and 128.
type LengthOptions struct {
	Length   int // of a feature, including special tokens; 0: 384
	Question int // maximum length of a question; longer ones are truncated; 0: 64
	Stride   int // distance between the starts of consecutive windows; 0: 128
}

func (o LengthOptions) withDefaults() LengthOptions {
	o.Length = cmp.Or(o.Length, 384)
	o.Question = cmp.Or(o.Question, 64)
	o.Stride = cmp.Or(o.Stride, 128)
	return o
}

// Builder makes features. It is read-only and may be used from many goroutines.
type Builder struct {
	tokenizer        *wordpiece.Tokenizer
	options          LengthOptions
	class, separator int32
}

// NewBuilder returns a builder that uses the tokenizer t.
func NewBuilder(t *wordpiece.Tokenizer, o LengthOptions) (*Builder, error) {
	o = o.withDefaults()
	if o.Question < 0 || o.Stride < 1 || o.Length <= o.Question+specialCount {
		return nil, fmt.Errorf("%w: length %d, question %d, stride %d: want a stride above 0 and a length above that of "+
			"the question and %d special tokens",
			ErrOptions, o.Length, o.Question, o.Stride, specialCount)
	}
	b := &Builder{tokenizer: t, options: o}
	b.class, _ = t.ID(wordpiece.Class)
	b.separator, _ = t.ID(wordpiece.Separator)
	return b, nil
}

// OpenBuilder returns a builder for the content of a vocabulary file.
func OpenBuilder(vocabulary []byte, o LengthOptions) (*Builder, error) {
	t, err := wordpiece.New(vocabulary)
	if err != nil {
		return nil, err
	}
	return NewBuilder(t, o)
}

// Length returns the length of a padded feature in tokens.
func (b *Builder) Length() int { return b.options.Length }

// Passage splits a text into words and tokens with the builder's vocabulary; see [NewPassage].
func (b *Builder) Passage(text string) *Passage { return NewPassage(b.tokenizer, text) }

// Build returns the features of a question about a passage, in the order of their windows. If the passage has no token,
// there are none.
func (b *Builder) Build(p *Passage, question string) []Feature {
	tokens := b.tokenizer.Encode(nil, question)
	q := &featureQuestion{builder: b, passage: p, question: tokens[:min(len(tokens), b.options.Question)]}
	q.cutWindows(b.options.Length-len(q.question)-specialCount, b.options.Stride)
	features := make([]Feature, len(q.windows))
	for i := range features {
		features[i] = Feature{asked: q, index: i}
	}
	return features
}

// featureQuestion contains the values that the features of a question share.
type featureQuestion struct {
	builder  *Builder
	passage  *Passage
	question []int32
	windows  []passageWindow
}

// passageWindow is a part of a passage in tokens.
type passageWindow struct{ start, length int }

// cutWindows covers the passage with windows of up to maxLength tokens.
func (q *featureQuestion) cutWindows(maxLength, stride int) {
	tokens := q.passage.TokenCount()
	for start := 0; start < tokens; {
		length := min(tokens-start, maxLength)
		q.windows = append(q.windows, passageWindow{start, length})
		if start+length == tokens {
			return
		}
		start += min(length, stride)
	}
}

// bestWindow returns the window in which a token of the passage has the most context: the smaller of the numbers of
// tokens before and after it, plus a hundredth of the window's length to prefer long windows. Of equal windows, it
// returns the first.
func (q *featureQuestion) bestWindow(token int) int {
	best, maxScore := -1, 0.0
	for i, w := range q.windows {
		last := w.start + w.length - 1
		if token < w.start || token > last {
			continue
		}
		// The conversion prevents fusing the product with the sum, whose rounding would differ from the reference's.
		score := float64(min(token-w.start, last-token)) + float64(0.01*float64(w.length))
		if best < 0 || score > maxScore {
			best, maxScore = i, score
		}
	}
	return best
}
