package generation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// Errors of this package, found with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not token ids")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// TokenDecoder turns token ids into text, without special tokens. An id outside of the vocabulary is an error.
type TokenDecoder interface {
	Decode(ids []int32) (string, error)
}

// GeneratedAnswer is the text generated for a sample.
type GeneratedAnswer struct {
	Index  int // of the sample
	Text   string
	Tokens int // ids in the payload, end and padding included
}

// Answers collects the texts of an accuracy log. If a sample has several entries, the first counts. Answers is not safe
// for concurrent use.
type Answers struct {
	dtype      accuracy.DType
	decoder    TokenDecoder
	seen       []bool
	list       []GeneratedAnswer
	tokens     int
	duplicates int
	ids        []int32
}

// NewAnswers returns the answers to a data set of n samples, without any yet.
func NewAnswers(n int, d accuracy.DType, decoder TokenDecoder) *Answers {
	return &Answers{dtype: d, decoder: decoder, seen: make([]bool, n)}
}

// Add decodes one entry of the log: index is the sample (qsl_idx), payload the raw bytes of its response. After an
// error, an ErrIndex or ErrPayload, the entry has no effect.
func (a *Answers) Add(index uint64, payload []byte) error {
	if index >= uint64(len(a.seen)) {
		return fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(a.seen))
	}
	if a.seen[index] {
		a.duplicates++
		return nil
	}
	ids, err := AppendIDs(a.ids[:0], a.dtype, payload)
	a.ids = ids
	if err != nil {
		return fmt.Errorf("sample %d: %w", index, err)
	}
	text, err := a.decoder.Decode(ids)
	if err != nil {
		return fmt.Errorf("%w: sample %d, read as %v: %w", ErrPayload, index, a.dtype, err)
	}
	a.seen[index] = true
	a.list = append(a.list, GeneratedAnswer{int(index), text, len(ids)})
	a.tokens += len(ids)
	return nil
}

// List returns the answers in the order in which they were added; the caller must not change it. Without any, the error
// is ErrNoSamples.
func (a *Answers) List() ([]GeneratedAnswer, error) {
	if len(a.list) == 0 {
		return nil, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	return a.list, nil
}

// Tokens is the number of ids in all answers, end and padding included.
func (a *Answers) Tokens() int { return a.tokens }

// Missing is the number of samples without an answer.
func (a *Answers) Missing() int { return len(a.seen) - len(a.list) }

// Duplicates is the number of entries that were ignored, because their sample had an answer already.
func (a *Answers) Duplicates() int { return a.duplicates }

// SentenceLines puts each sentence of a text on a line of its own, as ROUGE-Lsum needs it, without white space around
// the text.
func SentenceLines(s *punkt.Splitter, text string) string {
	return strings.Join(s.Split(pystr.Trim(text)), "\n")
}
