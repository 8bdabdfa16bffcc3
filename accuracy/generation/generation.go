package generation

import (
	"fmt"
	"runtime"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/rouge"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// CompareOptions contains the format of payloads and the reference data.
type CompareOptions struct {
	DType   accuracy.DType
	Decoder TokenDecoder
	// Splitter splits texts into sentences, with the parameters for English. Only RougeLsum and Characters depend on it.
	Splitter   *punkt.Splitter
	References []string // reference text of each sample
}

// RougeResult contains the metrics of one log. ROUGE values are means over the answers, in percent, not rounded.
type RougeResult struct {
	Rouge1, Rouge2, RougeL, RougeLsum float64

	Lengths
	Missing    int // samples without an answer, which the means exclude
	Duplicates int // entries that were ignored
}

// Lengths contains the amount of generated text.
type Lengths struct {
	Characters int // of the answers in the form that ROUGE compares: gen_len
	Answers    int // gen_num
	Tokens     int // ids in the payloads, including end and padding: gen_tok_len
}

// TokensPerSample returns the mean number of tokens per answer, not rounded.
func (l Lengths) TokensPerSample() float64 { return float64(l.Tokens) / float64(l.Answers) }

// String returns a part of the line that the official scripts print.
func (l Lengths) String() string {
	return fmt.Sprintf("'gen_len': %d, 'gen_num': %d, 'gen_tok_len': %d, 'tokens_per_sample': %s",
		l.Characters, l.Answers, l.Tokens, pyfloat.Repr(pyfloat.Round(l.TokensPerSample(), 1)))
}

// String returns the line that the official scripts print and the submission checker reads, with the same rounding.
func (r RougeResult) String() string { return fmt.Sprintf("{%s, %s}", r.Means(), r.Lengths) }

// Means returns the part of String with the ROUGE values.
func (r RougeResult) Means() string {
	round := func(v float64) string { return pyfloat.Repr(pyfloat.Round(v, 4)) }
	return fmt.Sprintf("'rouge1': %s, 'rouge2': %s, 'rougeL': %s, 'rougeLsum': %s",
		round(r.Rouge1), round(r.Rouge2), round(r.RougeL), round(r.RougeLsum))
}

// AnswerScorer compares the answers of a log with reference texts. It is not safe for concurrent use.
type AnswerScorer struct {
	options CompareOptions
	answers *Answers
}

// New returns a scorer. It keeps o.References and does not change them.
func New(o CompareOptions) *AnswerScorer {
	return &AnswerScorer{o, NewAnswers(len(o.References), o.DType, o.Decoder)}
}

// Add adds one entry of the log, like Answers.Add.
func (s *AnswerScorer) Add(index uint64, payload []byte) error { return s.answers.Add(index, payload) }

// Result returns the metric of the entries added so far, or ErrNoSamples.
func (s *AnswerScorer) Result() (RougeResult, error) {
	answers, err := s.answers.List()
	if err != nil {
		return RougeResult{}, err
	}
	pairs := make([]TextPair, len(answers))
	for i, a := range answers {
		pairs[i] = TextPair{Reference: s.options.References[a.Index], Answer: a.Text}
	}
	r := ComparePairs(s.options.Splitter, pairs)
	r.Answers, r.Tokens = len(answers), s.answers.Tokens()
	r.Missing, r.Duplicates = s.answers.Missing(), s.answers.Duplicates()
	return r, nil
}

// TextPair is a reference text and an answer to compare with it.
type TextPair struct{ Reference, Answer string }

// ComparePairs returns the means of ROUGE over the pairs, summed in their order, and the total length of the answers in
// characters. It uses all processors. Without pairs the means are NaN.
func ComparePairs(splitter *punkt.Splitter, pairs []TextPair) RougeResult {
	scores := make([]rouge.Scores, len(pairs))
	lengths := make([]int, len(pairs))
	parallel.EachRange(min(runtime.GOMAXPROCS(0), len(pairs)), len(pairs), func(_, from, to int) {
		scorer := rouge.New(rouge.TokenizerOptions{Stem: true})
		for i := from; i < to; i++ {
			answer := SentenceLines(splitter, pairs[i].Answer)
			scores[i] = scorer.Score(SentenceLines(splitter, pairs[i].Reference), answer)
			lengths[i] = utf8.RuneCountInString(answer)
		}
	})
	mean := func(of func(rouge.Scores) rouge.Score) float64 {
		values := make([]float64, len(scores))
		for i, s := range scores {
			values[i] = of(s).F
		}
		return 100 * pyfloat.Mean(values)
	}
	r := RougeResult{
		Rouge1:    mean(func(s rouge.Scores) rouge.Score { return s.Rouge1 }),
		Rouge2:    mean(func(s rouge.Scores) rouge.Score { return s.Rouge2 }),
		RougeL:    mean(func(s rouge.Scores) rouge.Score { return s.RougeL }),
		RougeLsum: mean(func(s rouge.Scores) rouge.Score { return s.RougeLsum }),
	}
	for _, n := range lengths {
		r.Characters += n
	}
	return r
}
