package longcontext

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/accuracy/rouge"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// SampleMetric is the data set's name for the metric of a sample. The reader of the data set rejects unknown names.
type SampleMetric string

// The metrics of the data set.
const (
	Rouge    SampleMetric = "rouge"   // a summary, by ROUGE-L
	Needles  SampleMetric = "niah_em" // identifiers hidden in the context
	Question SampleMetric = "qa_em"   // a question about the context
)

// Reference is the reference for the answer to a sample.
type Reference struct {
	Text   string
	Metric SampleMetric
}

// CompareOptions contains the format of payloads and the reference data.
type CompareOptions struct {
	DType      accuracy.DType
	Decoder    generation.TokenDecoder
	Splitter   *punkt.Splitter // with the parameters for English; only Characters depends on it
	References []Reference     // of each sample
}

// AnswerResult contains the metrics of one log. Values are means over the samples with the metric, in percent, not
// rounded. A value is NaN if the log has no such sample.
type AnswerResult struct {
	RougeL     float64
	ExactMatch float64 // of the samples with metrics Needles and Question

	generation.Lengths
	Missing    int // samples without an answer, which the means exclude
	Duplicates int // entries that were ignored
}

// String returns the line that the official script prints and the submission checker reads. It omits a metric without
// samples.
func (r AnswerResult) String() string {
	var b strings.Builder
	for _, m := range []struct {
		name  string
		value float64
	}{{"exact_match", r.ExactMatch}, {"rougeL", r.RougeL}} {
		if !math.IsNaN(m.value) {
			fmt.Fprintf(&b, "'%s': %s, ", m.name, pyfloat.Repr(m.value))
		}
	}
	return fmt.Sprintf("{%s%s}", &b, r.Lengths)
}

// AnswerScorer compares the answers of a log with references. It is not safe for concurrent use.
type AnswerScorer struct {
	options CompareOptions
	answers *generation.Answers
}

// New returns a scorer. It keeps o.References and does not change them.
func New(o CompareOptions) *AnswerScorer {
	return &AnswerScorer{o, generation.NewAnswers(len(o.References), o.DType, o.Decoder)}
}

// Add adds one entry of the log, like generation.Answers.Add.
func (s *AnswerScorer) Add(index uint64, payload []byte) error { return s.answers.Add(index, payload) }

// Result returns the metric of the entries added so far, or generation.ErrNoSamples.
func (s *AnswerScorer) Result() (AnswerResult, error) {
	answers, err := s.answers.List()
	if err != nil {
		return AnswerResult{}, err
	}
	values, lengths := s.scoreAnswers(answers)
	r := AnswerResult{
		RougeL:     s.meanOver(answers, values, func(m SampleMetric) bool { return m == Rouge }),
		ExactMatch: s.meanOver(answers, values, func(m SampleMetric) bool { return m != Rouge }),
		Lengths:    generation.Lengths{Answers: len(answers), Tokens: s.answers.Tokens()},
		Missing:    s.answers.Missing(),
		Duplicates: s.answers.Duplicates(),
	}
	for _, n := range lengths {
		r.Characters += n
	}
	return r, nil
}

// scoreAnswers returns the score of each answer by its metric, in percent, and its length in characters. It uses all
// processors.
func (s *AnswerScorer) scoreAnswers(answers []generation.GeneratedAnswer) (values []float64, lengths []int) {
	values, lengths = make([]float64, len(answers)), make([]int, len(answers))
	parallel.EachRange(min(runtime.GOMAXPROCS(0), len(answers)), len(answers), func(_, from, to int) {
		scorer := rouge.New(rouge.TokenizerOptions{Stem: true})
		for i := from; i < to; i++ {
			r := s.options.References[answers[i].Index]
			answer := generation.SentenceLines(s.options.Splitter, answers[i].Text)
			values[i] = scoreAnswer(scorer, r.Metric, generation.SentenceLines(s.options.Splitter, r.Text), answer)
			lengths[i] = utf8.RuneCountInString(answer)
		}
	})
	return values, lengths
}

func scoreAnswer(s *rouge.TextScorer, m SampleMetric, reference, answer string) float64 {
	switch m {
	case Rouge:
		return 100 * s.Score(reference, answer).RougeL.F
	case Needles:
		return needleAgreement(reference, answer)
	}
	if acceptsAnswer(reference, answer) {
		return 100
	}
	return 0
}

// meanOver returns the mean over the answers whose metric satisfies has. Other answers add 0 to the sum: the last bit
// of the official script's result depends on the order of additions.
func (s *AnswerScorer) meanOver(answers []generation.GeneratedAnswer, values []float64,
	has func(SampleMetric) bool) float64 {
	terms, n := make([]float64, len(values)), 0
	for i, v := range values {
		if has(s.options.References[answers[i].Index].Metric) {
			terms[i] = v
			n++
		}
	}
	return pyfloat.Sum(terms) / float64(n)
}
