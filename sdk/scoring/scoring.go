package scoring

import (
	"errors"
	"io"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// AnswerMetric computes a result R from the answers of a log, which are added in file order. The scorers of package
// accuracy implement it. If it is also an io.Closer, it is closed at the end.
type AnswerMetric[R any] interface {
	// Add processes the answer to a sample. answer is valid only during the call. An error ends the scoring unless it
	// wraps ErrDamaged.
	Add(sample uint64, answer []byte) error
	// Result is called once, after the last Add.
	Result() (R, error)
}

// EntryMetric is an optional interface of a metric that needs other parts of an entry than its sample and its answer,
// such as the number of the response or the data of the first token. AddEntry then replaces Add, under the same rules.
type EntryMetric interface {
	AddEntry(e mllog.AccuracyEntry) error
}

// ErrDamaged is wrapped by an error of AnswerMetric.Add about an unreadable answer that does not end the scoring. The
// metric decides how the answer counts, usually as wrong, and Counts.Damaged includes it.
var ErrDamaged = errors.New("the answer is damaged")

// Of returns a metric that consists of two functions.
func Of[R any](add func(sample uint64, answer []byte) error, result func() (R, error)) AnswerMetric[R] {
	return funcMetric[R]{add, result}
}

type funcMetric[R any] struct {
	add    func(sample uint64, answer []byte) error
	result func() (R, error)
}

func (f funcMetric[R]) Add(sample uint64, answer []byte) error { return f.add(sample, answer) }
func (f funcMetric[R]) Result() (R, error)                     { return f.result() }

// Log describes the data set and exhibits of a log, and determines which of its entries reach the metric.
type Log struct {
	Samples int  // number of samples of the data set; 0: not known
	First   bool // the metric gets only the first entry of a sample; otherwise it gets all and has its own rule
	Within  bool // the metric gets no entries outside the data set; otherwise they are errors
	// Exhibits is the maximum number of answers to show (manifest.Request.Exhibits). Gallery determines how they are
	// shown; nil: not at all.
	Exhibits int
	Gallery  exhibit.Gallery
}

// New returns the scorer of a metric. score converts the metric's result and the counts to a score. If it leaves
// Score.Samples 0, New sets it to Counts.Samples. Errors of the metric are of class sdk.ErrData.
func New[R any](m AnswerMetric[R], l Log, score func(R, Counts) (sdk.Score, error)) sdk.Scorer {
	s := &metricScorer[R]{metric: m, log: l, score: score, seen: newSeen(l.Samples)}
	s.counts.All = l.Samples
	return exhibit.NewScorer(s, l.Exhibits, l.Gallery)
}

type metricScorer[R any] struct {
	metric AnswerMetric[R]
	log    Log
	score  func(R, Counts) (sdk.Score, error)
	seen   seenSamples
	counts Counts
}

// Add counts an entry and passes it to the metric.
func (s *metricScorer[R]) Add(e mllog.AccuracyEntry) error {
	if s.log.Within && e.QSLIndex >= uint64(s.log.Samples) {
		s.counts.Outside++
		return nil
	}
	again := s.seen.hasSample(e.QSLIndex)
	if !again || !s.log.First {
		err := s.addEntry(e)
		switch {
		case errors.Is(err, ErrDamaged):
			s.counts.noteDamage(e.QSLIndex, err)
		case err != nil:
			return sdk.Data(err)
		}
	}
	if s.counts.Entries++; !again {
		s.seen.addSample(e.QSLIndex)
		s.counts.Samples++
	}
	return nil
}

// addEntry passes an entry to the metric.
func (s *metricScorer[R]) addEntry(e mllog.AccuracyEntry) error {
	if m, ok := s.metric.(EntryMetric); ok {
		return m.AddEntry(e)
	}
	return s.metric.Add(e.QSLIndex, e.Data)
}

// OfEntries returns a metric that consists of two functions. add processes whole entries.
func OfEntries[R any](add func(e mllog.AccuracyEntry) error, result func() (R, error)) AnswerMetric[R] {
	return entryMetric[R]{funcMetric[R]{result: result}, add}
}

type entryMetric[R any] struct {
	funcMetric[R]
	addEntry func(e mllog.AccuracyEntry) error
}

func (m entryMetric[R]) Add(sample uint64, answer []byte) error {
	return m.addEntry(mllog.AccuracyEntry{QSLIndex: sample, Data: answer})
}
func (m entryMetric[R]) AddEntry(e mllog.AccuracyEntry) error { return m.addEntry(e) }

// Result returns the score of the metric's result.
func (s *metricScorer[R]) Result() (sdk.Score, error) {
	r, err := s.metric.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	score, err := s.score(r, s.counts)
	if score.Samples == 0 {
		score.Samples = s.counts.Samples
	}
	return score, err
}

// Close closes the metric if it is an io.Closer.
func (s *metricScorer[R]) Close() error {
	if c, ok := s.metric.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// seenSamples is the set of samples with an entry. known contains those of the data set, by index, and others all
// others.
type seenSamples struct {
	known  []bool
	others map[uint64]bool
}

func newSeen(samples int) seenSamples { return seenSamples{make([]bool, samples), map[uint64]bool{}} }

func (s seenSamples) hasSample(i uint64) bool {
	if i < uint64(len(s.known)) {
		return s.known[i]
	}
	return s.others[i]
}

func (s seenSamples) addSample(i uint64) {
	if i < uint64(len(s.known)) {
		s.known[i] = true
		return
	}
	s.others[i] = true
}
