package products

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Product is the ground truth of a product.
type Product struct {
	Category   string // levels joined by " > "
	Brand      string
	SecondHand bool
	Offered    []string // the categories from which the official scorer draws random answers
}

// RuleForm selects the program whose rules are used for scoring.
type RuleForm int

const (
	// LoadGen is the form of v6.0: an accuracy log of LoadGen.
	LoadGen RuleForm = iota
	// Endpoints is the form of v6.1, used by the endpoints harness. It first trims the whole category, which removes a
	// separator at its end.
	Endpoints
)

// ErrLog is wrapped by the errors for answers at which the official scoring stops.
var ErrLog = errors.New("the accuracy log does not fit the data set")

// AnswerScorer accumulates the scores of answers. It keeps two words per answer, so that Result can draw random numbers
// like the official scorer.
type AnswerScorer struct {
	form     RuleForm
	products []Product

	entries, unparsable int
	seen                []bool
	answered            int
	levels              levelCounts
	correctBrands       int // answers whose brand is similar to the true one
	scored              []scoredAnswer
}

// New returns a scorer for the products of a data set. It keeps products.
func New(products []Product, form RuleForm) *AnswerScorer {
	return &AnswerScorer{form: form, products: products, seen: make([]bool, len(products))}
}

// Add scores the answer to a sample. payload is UTF-8 text. A negative index counts from the end, as in the official
// scorer. All answers to a product count. An index outside the data set and a payload that is not UTF-8 are errors that
// wrap ErrLog.
func (s *AnswerScorer) Add(index int, payload []byte) error {
	i := index
	if i < 0 {
		i += len(s.products)
	}
	if i < 0 || i >= len(s.products) {
		return fmt.Errorf("%w: index %d, want one below %d, the products of the data set", ErrLog, index, len(s.products))
	}
	if !utf8.Valid(payload) {
		return fmt.Errorf("%w: the answer to sample %d is no UTF-8: %.20q", ErrLog, index, payload)
	}
	if s.entries++; !s.seen[i] {
		s.seen[i] = true
		s.answered++
	}
	s.scoreAnswer(i, string(payload))
	return nil
}

func (s *AnswerScorer) scoreAnswer(i int, text string) {
	p := s.products[i]
	answer, err := Parse(text)
	l := compareLevels(answer.Category, p.Category, s.form)
	if err != nil {
		// The official scorer replaces each level, and the brand, by a text that matches nothing.
		s.unparsable++
		l.shared, l.given = 0, l.wanted
	}
	s.levels.add(l)
	if err == nil && isSameBrand(answer.Brand, p.Brand) {
		s.correctBrands++
	}
	s.scored = append(s.scored, scoredAnswer{uint32(i), err == nil, answer.SecondHand})
}

// levelCounts counts the equal levels of two categories before the first difference, and the levels of each category.
type levelCounts struct{ shared, given, wanted int }

func (l *levelCounts) add(m levelCounts) {
	l.shared, l.given, l.wanted = l.shared+m.shared, l.given+m.given, l.wanted+m.wanted
}

func compareLevels(given, wanted string, form RuleForm) levelCounts {
	const separator = " > "
	if form == Endpoints {
		given, wanted = pystr.Trim(given), pystr.Trim(wanted)
	}
	g, w := strings.Split(given, separator), strings.Split(wanted, separator)
	l := levelCounts{given: len(g), wanted: len(w)}
	for l.shared < min(len(g), len(w)) && pystr.Trim(g[l.shared]) == pystr.Trim(w[l.shared]) {
		l.shared++
	}
	return l
}

// isSameBrand reports whether two brands have a similarity above 90 of 100, ignoring case. The similarity depends on
// the insertions and deletions that convert one into the other.
func isSameBrand(given, wanted string) bool {
	return areSimilarBrands(normalizeBrand(given), normalizeBrand(wanted))
}

func normalizeBrand(brand string) []rune { return []rune(pystr.Lower(pystr.Trim(brand))) }

func areSimilarBrands(a, b []rune) bool {
	if len(a)+len(b) == 0 {
		return true
	}
	if 20*min(len(a), len(b)) <= 9*(len(a)+len(b)) {
		return false // even if one contains the other
	}
	return 20*commonLength(a, b) > 9*(len(a)+len(b))
}

// commonLength returns the length of the longest common subsequence.
func commonLength(a, b []rune) int {
	row := make([]int, len(b)+1)
	for _, r := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if b[j] == r {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// AnswerResult contains the scores of all added answers.
type AnswerResult struct {
	// CategoryF1 is the harmonic mean of hierarchical precision and recall, 0 to 1. They are the number of correct levels
	// before the first wrong one, over all answers, divided by the levels of the answers and of the true categories.
	CategoryF1 float64
	// Brand is the share of answers whose brand is similar to the true one, 0 to 1. The endpoints harness does not have
	// this score.
	Brand float64
	// SecondHandF1 is the F1 of second-hand products, 0 to 1; 0 without any. For an unparsable answer the state is drawn
	// at random, like in the official scorer on a machine with four cores or more.
	SecondHandF1 float64

	Entries    int // answers
	Products   int // products with an answer
	Unparsable int // answers that are not the requested object
}

// Result returns the scores of the answers added so far. Without answers it returns an error.
func (s *AnswerScorer) Result() (AnswerResult, error) {
	if s.entries == 0 {
		return AnswerResult{}, fmt.Errorf("%w: it has no answer", ErrLog)
	}
	return AnswerResult{
		CategoryF1:   s.levels.f1(),
		Brand:        float64(s.correctBrands) / float64(s.entries),
		SecondHandF1: s.drawScores(nil),
		Entries:      s.entries, Products: s.answered, Unparsable: s.unparsable,
	}, nil
}

// f1 computes the score in float64, in the same order as the official scorer.
func (l *levelCounts) f1() float64 {
	precision, recall := ratioOf(l.shared, l.given), ratioOf(l.shared, l.wanted)
	if precision+recall == 0 {
		return 0
	}
	return 2 * (precision * recall) / (precision + recall)
}

// ratioOf returns a/b, or 0 if b is 0.
func ratioOf(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Text returns the line that the official script prints.
func (r AnswerResult) Text() string { return fmt.Sprintf("{\"f1\": %s}", pyfloat.Repr(r.CategoryF1)) }
