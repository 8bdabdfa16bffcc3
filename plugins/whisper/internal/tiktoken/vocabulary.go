package tiktoken

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Errors of this package; errors.Is finds them.
var (
	// ErrFile means that a vocabulary is damaged or has another form.
	ErrFile = errors.New("tiktoken vocabulary")
	// ErrID means that a token ID is not in the vocabulary.
	ErrID = errors.New("token id outside the vocabulary")
)

// maxShownFaults is the number of faults that an error lists.
const maxShownFaults = 5

// Vocabulary contains the tokens of a file. It is read-only and safe for concurrent use.
type Vocabulary struct{ tokens []string }

// Parse parses a vocabulary. The IDs must be 0 up to the number of lines minus one, each once and in any order. The
// error lists all faults.
func Parse(data []byte) (*Vocabulary, error) {
	lines := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '\r' })
	r := vocabReader{tokens: make([]string, len(lines)), lineOf: make([]int, len(lines))}
	for i, line := range lines {
		if err := r.addEntry(i+1, line); err != nil {
			r.addFault(fmt.Errorf("entry %d: %.60q: %w", i+1, line, err))
		}
	}
	if len(lines) == 0 {
		r.addFault(errors.New("it is empty"))
	}
	if r.faultCount > maxShownFaults {
		r.faults = append(r.faults, fmt.Errorf("and %d more entries", r.faultCount-maxShownFaults))
	}
	if r.faultCount > 0 {
		return nil, fmt.Errorf("%w: %w", ErrFile, errors.Join(r.faults...))
	}
	return &Vocabulary{r.tokens}, nil
}

// vocabReader collects tokens and faults.
type vocabReader struct {
	tokens     []string
	lineOf     []int // by ID: number of the token's line, from 1
	faults     []error
	faultCount int
}

func (r *vocabReader) addFault(err error) {
	if r.faultCount++; r.faultCount <= maxShownFaults {
		r.faults = append(r.faults, err)
	}
}

func (r *vocabReader) addEntry(number int, line string) error {
	encoded, id, ok := strings.Cut(line, " ")
	if !ok {
		return errors.New("want a token in base64, a blank and its id")
	}
	n, err := strconv.ParseUint(id, 10, 31)
	switch {
	case err != nil || n >= uint64(len(r.tokens)):
		return fmt.Errorf("want an id below the number of entries, %d", len(r.tokens))
	case r.lineOf[n] > 0:
		return fmt.Errorf("entry %d has the same id", r.lineOf[n])
	}
	r.lineOf[n] = number
	if encoded == emptyToken {
		return nil
	}
	token, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("the token is no base64: %w", err)
	}
	r.tokens[n] = string(token)
	return nil
}

// emptyToken is the notation of the empty token in Whisper's file; its base64 would have no characters.
const emptyToken = "="

// Size returns the number of tokens. IDs are less than it.
func (v *Vocabulary) Size() int { return len(v.tokens) }

// Decode returns the text of token IDs: their concatenated bytes as UTF-8. Each maximal invalid sequence becomes
// U+FFFD. Errors wrap ErrID.
func (v *Vocabulary) Decode(ids []int32) (string, error) {
	var b []byte
	for i, id := range ids {
		if id < 0 || int(id) >= len(v.tokens) {
			return "", fmt.Errorf("%w: %d at place %d, want one of [0, %d)", ErrID, id, i, len(v.tokens))
		}
		b = append(b, v.tokens[id]...)
	}
	return pystr.Decode(b), nil
}
