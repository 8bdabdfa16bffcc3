package bleu

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Smoothing is the method that replaces the precision of an order without matches.
type Smoothing int

// The smoothing methods of sacreBLEU, from Chen and Cherry, A Systematic Comparison of Smoothing Techniques for
// Sentence-Level BLEU, 2014.
const (
	Exp   Smoothing = iota // the default: halves the replacement for each such order
	Floor                  // SacreOptions.Value replaces the number of matches
	AddK                   // adds SacreOptions.Value to the matches and n-grams of all orders from 2 up
	None                   // no smoothing: the score is 0
)

// smoothings contains the names and default values of the methods.
var smoothings = [...]struct {
	name  string
	value float64
}{Exp: {name: "exp"}, Floor: {"floor", 0.1}, AddK: {"add-k", 1}, None: {name: "none"}}

// ParseSmoothing returns the method with the given name: exp, floor, add-k or none.
func ParseSmoothing(name string) (Smoothing, error) {
	var names []string
	for s, of := range smoothings {
		if of.name == name {
			return Smoothing(s), nil
		}
		names = append(names, of.name)
	}
	return 0, fmt.Errorf("%w: smoothing %q, want one of %s", ErrOption, name, strings.Join(names, ", "))
}

func (s Smoothing) String() string { return smoothings[s].name }

// SacreOptions contains the options of sacreBLEU. The zero value is its default: tokenizer 13a, mixed case, smoothing
// exp.
type SacreOptions struct {
	Tokenizer SacreTokenizer `param:"sacrebleu"`
	Lowercase bool           `param:"sacrebleu_case" choices:"mixed,lower"`
	Smoothing Smoothing      `param:"sacrebleu_smoothing"`
	Value     float64        // parameter of Floor and AddK; 0 means their defaults, 0.1 and 1
}

// SacreScorer counts the n-grams of translations as sacreBLEU does. It is not safe for concurrent use.
type SacreScorer struct {
	options   SacreOptions
	splitters [2]tokenSplitter // for references and for translations
	counter   *ngramCounter
	counts    NgramCounts
}

// NewSacre returns a scorer without translations.
func NewSacre(o SacreOptions) *SacreScorer {
	o.Value = cmp.Or(o.Value, smoothings[o.Smoothing].value)
	return &SacreScorer{options: o, counter: newCounter()}
}

// Add adds a translation and its reference. Both are untokenized text.
func (s *SacreScorer) Add(reference, translation string) {
	s.counter.addPair(&s.counts, s.tokensOf(&s.splitters[0], reference), s.tokensOf(&s.splitters[1], translation))
}

func (s *SacreScorer) tokensOf(c *tokenSplitter, text string) []string {
	if s.options.Lowercase {
		text = pystr.Lower(text)
	}
	return c.splitText(s.options.Tokenizer, pystr.TrimRight(text))
}

// Result returns the metric of the translations added so far.
func (s *SacreScorer) Result() SacreResult { return newSacreResult(s.counts, s.options, false) }

// ScoreCorpus returns sacreBLEU of translations with one reference each.
func ScoreCorpus(references, translations []string, o SacreOptions) (SacreResult, error) {
	if len(references) != len(translations) {
		return SacreResult{}, fmt.Errorf("%w: %d and %d", ErrLines, len(translations), len(references))
	}
	s := NewSacre(o)
	for i, r := range references {
		s.Add(r, translations[i])
	}
	return s.Result(), nil
}

// ScoreSentence returns sacreBLEU of one translation. It uses only the orders for which the translation has n-grams.
func ScoreSentence(reference, translation string, o SacreOptions) SacreResult {
	s := NewSacre(o)
	s.Add(reference, translation)
	return newSacreResult(s.counts, s.options, true)
}

// SacreResult is the result of sacreBLEU. Its values are in percent, not rounded.
type SacreResult struct {
	Counts     NgramCounts
	Precisions [Order]float64 // smoothed
	Brevity    float64        // 0 to 1
	Score      float64

	matches, possible [Order]float64 // including the additions of AddK
}

// newSacreResult computes the score from counts. If effective is true, it uses only the orders for which the
// translations have n-grams.
func newSacreResult(c NgramCounts, o SacreOptions, effective bool) SacreResult {
	r := SacreResult{Counts: c, Brevity: brevityPenalty(c)}
	for n := range Order {
		r.matches[n], r.possible[n] = float64(c.Matches[n]), float64(c.Possible[n])
	}
	if !slices.ContainsFunc(c.Matches[:], func(m int) bool { return m > 0 }) {
		return r
	}
	orders := r.smoothPrecisions(o)
	if !effective {
		orders = Order
	}
	sum := 0.0
	for _, p := range r.Precisions[:orders] {
		if p == 0 {
			return r
		}
		sum += math.Log(p)
	}
	r.Score = r.Brevity * math.Exp(sum/float64(orders))
	return r
}

// brevityPenalty returns the penalty for short translations. It is also 1 if neither side has tokens; GNMT's reference
// script computes 0 then.
func brevityPenalty(c NgramCounts) float64 {
	switch {
	case c.Translation >= c.Reference:
		return 1
	case c.Translation == 0:
		return 0
	}
	return math.Exp(1 - float64(c.Reference)/float64(c.Translation))
}

// smoothPrecisions sets the precisions and returns the number of orders with n-grams.
func (r *SacreResult) smoothPrecisions(o SacreOptions) int {
	halves := 1.0
	for n := range Order {
		if o.Smoothing == AddK && n > 0 {
			r.matches[n] += o.Value
			r.possible[n] += o.Value
		}
		switch {
		case r.possible[n] == 0:
			return n
		case r.matches[n] > 0:
			r.Precisions[n] = 100 * r.matches[n] / r.possible[n]
		case o.Smoothing == Exp:
			halves *= 2
			r.Precisions[n] = 100 / (halves * r.possible[n])
		case o.Smoothing == Floor:
			r.Precisions[n] = 100 * o.Value / r.possible[n]
		}
	}
	return Order
}
