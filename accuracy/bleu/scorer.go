package bleu

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// CleanReference returns a line of the reference file in the form that the reference script compares with: words
// separated by single spaces. It trims the line and removes every "@@ ", even after a space.
func CleanReference(line string) string {
	return strings.ReplaceAll(pystr.Trim(line), "@@ ", "")
}

// TranslationScorer counts the n-grams of a log's translations in the same way as GNMT's reference script. It is not
// safe for concurrent use.
type TranslationScorer struct {
	references []string
	seen       []bool
	counter    *ngramCounter
	result     TranslationResult
	faults     accuracy.FaultList
}

// New returns a scorer for a data set in which sample i has the reference references[i], prepared by [CleanReference].
func New(references []string) *TranslationScorer {
	return &TranslationScorer{references: references, seen: make([]bool, len(references)), counter: newCounter()}
}

// Add adds one entry of the log. index is the sample (qsl_idx). payload is the translation in UTF-8 with single spaces
// between words. If a sample has several entries, only the first counts. The reference script stops at a payload that
// is not UTF-8; here it counts as a translation without words and is counted in TranslationResult.Damaged.
func (s *TranslationScorer) Add(index uint64, payload []byte) error {
	if index >= uint64(len(s.references)) {
		return fmt.Errorf("%w: %d of %d", ErrIndex, index, len(s.references))
	}
	if s.seen[index] {
		s.result.Duplicates++
		return nil
	}
	s.seen[index] = true
	s.result.Entries++
	if !utf8.Valid(payload) {
		s.result.Damaged++
		s.faults.Addf("sample %d: %s", index, describeNonText(payload))
		s.counter.addPair(&s.result.NgramCounts, splitWords(s.references[index]), nil)
		return nil
	}
	s.counter.addPair(&s.result.NgramCounts, splitWords(s.references[index]), splitWords(string(payload)))
	return nil
}

// describeNonText returns a description of the first byte that is not UTF-8.
func describeNonText(payload []byte) string {
	at := 0
	for at < len(payload) {
		r, size := utf8.DecodeRune(payload[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return fmt.Sprintf("byte %#02x at position %d is not UTF-8", payload[at], at)
}

// splitWords splits text at single spaces. Two consecutive spaces yield an empty word.
func splitWords(text string) []string { return strings.Split(text, " ") }

// Result returns the metric of the entries added so far, or ErrNoSamples.
func (s *TranslationScorer) Result() (TranslationResult, error) {
	if s.result.Entries == 0 {
		return s.result, ErrNoSamples
	}
	r := s.result
	r.Faults = s.faults.Err(ErrPayload)
	return r, nil
}

// TranslationResult is the metric of one log.
type TranslationResult struct {
	NgramCounts
	Entries    int   // entries that count
	Duplicates int   // entries ignored because the log already contained their sample
	Damaged    int   // entries that are not UTF-8
	Faults     error // lists the damaged entries; nil if there are none
}

// Precision returns the share of the translations' n-grams that occur in their references; 0 without n-grams.
func (c *NgramCounts) Precision(n int) float64 {
	if c.Possible[n-1] == 0 {
		return 0
	}
	return float64(c.Matches[n-1]) / float64(c.Possible[n-1])
}

// Brevity returns the penalty for translations shorter than their references, 0 to 1.
func (c *NgramCounts) Brevity() float64 {
	switch ratio := c.Ratio(); {
	case ratio > 1:
		return 1
	case ratio == 0:
		return 0
	default:
		return math.Exp(1 - 1/ratio)
	}
}

// BLEU returns the metric, 0 to 1, without rounding: the geometric mean of the precisions times the brevity penalty.
func (r *TranslationResult) BLEU() float64 {
	sum := 0.0
	for n := 1; n <= Order; n++ {
		p := r.Precision(n)
		if p == 0 {
			return 0
		}
		sum += math.Log(p) / Order
	}
	return math.Exp(sum) * r.Brevity()
}

// String returns the line that the reference script prints and the submission checker reads.
func (r TranslationResult) String() string { return fmt.Sprintf("BLEU: %.1f", r.BLEU()*100) }
