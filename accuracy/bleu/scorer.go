package bleu

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// CleanReference turns a line of the reference file into what the reference script compares with: words, a space apart.
// It strips the line and removes every "@@ ", also one behind a space.
func CleanReference(line string) string {
	return strings.ReplaceAll(pystr.Trim(line), "@@ ", "")
}

// TranslationScorer counts the n-grams of a log's translations as the reference script of GNMT does. It is not safe for
// concurrent use.
type TranslationScorer struct {
	references []string
	seen       []bool
	counter    *ngramCounter
	result     TranslationResult
	faults     accuracy.FaultList
}

// New returns a scorer for a data set whose sample i has the reference references[i], as [CleanReference] makes it.
func New(references []string) *TranslationScorer {
	return &TranslationScorer{references: references, seen: make([]bool, len(references)), counter: newCounter()}
}

// Add scores one entry of the log: index is the sample (qsl_idx), payload the translation in UTF-8, with single spaces
// between words. Of several entries of a sample the first counts. A payload that is not UTF-8, at which the reference
// script stops, counts as a translation without words, and is one of TranslationResult.Damaged.
func (s *TranslationScorer) Add(index uint64, payload []byte) error {
	if index >= uint64(len(s.references)) {
		return fmt.Errorf("%w: %d of %d", ErrIndex, index, len(s.references))
	}
	if s.seen[index] {
		s.result.Again++
		return nil
	}
	s.seen[index] = true
	s.result.Entries++
	if !utf8.Valid(payload) {
		s.result.Damaged++
		s.faults.Addf("sample %d: %s", index, notText(payload))
		s.counter.addPair(&s.result.NgramCounts, splitWords(s.references[index]), nil)
		return nil
	}
	s.counter.addPair(&s.result.NgramCounts, splitWords(s.references[index]), splitWords(string(payload)))
	return nil
}

// notText says where a payload is not UTF-8.
func notText(payload []byte) string {
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

// splitWords cuts at single spaces: two in a row have an empty word between them.
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
	Entries int   // that count
	Again   int   // entries of samples that had one before
	Damaged int   // entries that are no text
	Faults  error // says which those are; nil where there are none
}

// Precision is the share of a translation's n-grams that its reference has; 0 where there are none.
func (c *NgramCounts) Precision(n int) float64 {
	if c.Possible[n-1] == 0 {
		return 0
	}
	return float64(c.Matches[n-1]) / float64(c.Possible[n-1])
}

// Brevity is the penalty for translations that are shorter than their references, of 1.
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

// BLEU is the metric, of 1, not rounded: the geometric mean of the precisions times the penalty for brevity.
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

// String is the line that the reference script prints, which the submission checker looks for.
func (r TranslationResult) String() string { return fmt.Sprintf("BLEU: %.1f", r.BLEU()*100) }
