package mixture

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// Task is the mixture's name for the data set of a sample. The reader of the mixture rejects unknown names.
type Task string

// The tasks, each scored in its own way.
const (
	OpenOrca Task = "OpenOrca"
	GSM8K    Task = "GSM8K"
	MBXP     Task = "MBXP"
)

// Reference is the reference for the answer to a sample.
type Reference struct {
	Task Task
	ID   string // of the sample in its data set; only MBXP's ID is used, which has the form language_function
	Text string // the correct answer; for MBXP the tests
}

// CompareOptions contains the format of payloads and the reference data.
type CompareOptions struct {
	DType   accuracy.DType
	Decoder generation.TokenDecoder
	// Splitter splits texts into sentences, with the parameters for English. Only RougeLsum and Characters depend on it.
	Splitter   *punkt.Splitter
	References []Reference // of each sample
}

// TaskResult contains the metrics of one log. ROUGE values are means over the samples of OpenOrca. GSM8K is the share
// of right answers. Both are in percent, not rounded, and NaN if the log contains no such samples.
type TaskResult struct {
	Rouge1, Rouge2, RougeL, RougeLsum float64
	GSM8K                             float64
	Programs                          []Program // of MBXP, in the scored languages, in the order of the log

	// Characters of Lengths counts only OpenOrca's answers. Answers includes duplicates, like the official script, which
	// lowers TokensPerSample.
	generation.Lengths
	Missing    int // samples without an answer, which the means exclude
	Duplicates int // entries that were ignored
}

// String returns the line that the official script prints. It omits metrics without samples, and mbxp if programs were
// not executed.
func (r TaskResult) String() string {
	var b strings.Builder
	if !math.IsNaN(r.Rouge1) {
		means := generation.RougeResult{Rouge1: r.Rouge1, Rouge2: r.Rouge2, RougeL: r.RougeL, RougeLsum: r.RougeLsum}.Means()
		b.WriteString(means + ", ")
	}
	if !math.IsNaN(r.GSM8K) {
		fmt.Fprintf(&b, "'gsm8k': %s, ", pyfloat.Repr(r.GSM8K))
	}
	if mbxp, ok := r.MBXP(); ok {
		fmt.Fprintf(&b, "'mbxp': %s, ", pyfloat.Repr(mbxp))
	}
	return fmt.Sprintf("{%s%s}", &b, r.Lengths)
}

// TaskScorer compares the answers of a log with references. It is not safe for concurrent use.
type TaskScorer struct {
	options CompareOptions
	answers *generation.Answers
}

// New returns a scorer. It keeps o.References and does not change them.
func New(o CompareOptions) *TaskScorer {
	return &TaskScorer{o, generation.NewAnswers(len(o.References), o.DType, o.Decoder)}
}

// Add adds one entry of the log, like generation.Answers.Add.
func (s *TaskScorer) Add(index uint64, payload []byte) error { return s.answers.Add(index, payload) }

// Result returns the metric of the entries added so far, or generation.ErrNoSamples.
func (s *TaskScorer) Result() (TaskResult, error) {
	answers, err := s.answers.List()
	if err != nil {
		return TaskResult{}, err
	}
	var r TaskResult
	var pairs []generation.TextPair
	right, problems := 0, 0
	for _, a := range answers {
		reference := s.options.References[a.Index]
		switch reference.Task {
		case OpenOrca:
			pairs = append(pairs, generation.TextPair{Reference: reference.Text, Answer: a.Text})
		case GSM8K:
			problems++
			if givesNumber(reference.Text, a.Text) {
				right++
			}
		case MBXP:
			if p, counts := newProgram(a.Index, reference.ID, a.Text); counts {
				p.Tests = reference.Text
				r.Programs = append(r.Programs, p)
			}
		}
	}
	r.GSM8K = 100 * float64(right) / float64(problems)
	r.setSummaries(generation.ComparePairs(s.options.Splitter, pairs))
	r.Missing, r.Duplicates = s.answers.Missing(), s.answers.Duplicates()
	r.Answers, r.Tokens = len(answers)+r.Duplicates, s.answers.Tokens()
	return r, nil
}

// givesNumber reports whether an answer gives the number of the reference.
func givesNumber(reference, answer string) bool {
	want, wantOK := pyfloat.Parse(reference)
	got, gotOK := answerNumber(answer)
	return wantOK && gotOK && got == want
}

func (r *TaskResult) setSummaries(c generation.RougeResult) {
	r.Rouge1, r.Rouge2, r.RougeL, r.RougeLsum = c.Rouge1, c.Rouge2, c.RougeL, c.RougeLsum
	r.Characters = c.Characters
}
