package generation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not token ids")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// TokenDecoder converts token ids to text without special tokens. Decode returns an error for ids outside the
// vocabulary.
type TokenDecoder interface {
	Decode(ids []int32) (string, error)
}

// GeneratedAnswer is the text generated for a sample.
type GeneratedAnswer struct {
	Index  int // of the sample (qsl_idx)
	Text   string
	Tokens int // number of ids in the payload, including end and padding
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

// NewAnswers returns an empty collection of answers to a data set of n samples.
func NewAnswers(n int, d accuracy.DType, decoder TokenDecoder) *Answers {
	return &Answers{dtype: d, decoder: decoder, seen: make([]bool, n)}
}

// Add decodes one entry of the log. index is the sample (qsl_idx), payload the raw bytes of its response. An error
// wraps ErrIndex or ErrPayload, and the entry then has no effect.
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

// List returns the answers in the order in which they were added. The caller must not change the slice. Without
// answers, the error is ErrNoSamples.
func (a *Answers) List() ([]GeneratedAnswer, error) {
	if len(a.list) == 0 {
		return nil, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	return a.list, nil
}

// Tokens returns the number of ids in all answers, including end and padding.
func (a *Answers) Tokens() int { return a.tokens }

// Missing returns the number of samples without an answer.
func (a *Answers) Missing() int { return len(a.seen) - len(a.list) }

// Duplicates returns the number of entries that were ignored because their sample already had an answer.
func (a *Answers) Duplicates() int { return a.duplicates }

// SentenceLines writes each sentence of a text on its own line, as ROUGE-Lsum requires, and trims the text.
func SentenceLines(s *punkt.Splitter, text string) string {
	return strings.Join(s.Split(pystr.Trim(text)), "\n")
}
