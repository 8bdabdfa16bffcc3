package evidence

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// Entropies compares the entropies of requests in two logs. The audit's log is read first; then only the accuracy log's
// entries for its requests are kept.
type Entropies struct {
	Tolerance float64
	audited   []AnsweredRequest
	reference map[RequestKey]*Candidates // nil: not in the accuracy log

	Accuracy                       int // entries of the accuracy log
	Matched, Unmatched, Mismatched int
	printed                        strings.Builder
}

// AddAudit adds a request of the audit's log.
func (e *Entropies) AddAudit(a AnsweredRequest) {
	if e.reference == nil {
		e.reference = map[RequestKey]*Candidates{}
	}
	e.reference[a.key] = nil
	e.audited = append(e.audited, a)
}

// AddReference adds an entry of the accuracy log. The last entry of a request counts.
func (e *Entropies) AddReference(key RequestKey, c Candidates) {
	e.Accuracy++
	if e.Wants(key) {
		e.reference[key] = &c
	}
}

// Wants reports whether the audit's log contains a request.
func (e *Entropies) Wants(key RequestKey) bool {
	_, wanted := e.reference[key]
	return wanted
}

// Requests returns the number of entries in the audit's log.
func (e *Entropies) Requests() int { return len(e.audited) }

// Compare compares the entropies of all requests. Both logs must have been read. It returns an error if the official
// script would fail.
func (e *Entropies) Compare() error {
	for _, a := range e.audited {
		c := e.reference[a.key]
		if c == nil {
			e.Unmatched++
			continue
		}
		e.Matched++
		reference, _ := normalisedEntropy(*c)
		test, ok := normalisedEntropy(Candidates{predictions: a.Predictions, labels: c.labels, weights: c.weights})
		if !ok {
			return ErrDiedf("ValueError: operands could not be broadcast together with shapes (%d,) (%d,)",
				len(c.labels), len(a.Predictions))
		}
		e.judgePair(a.key, reference, test)
	}
	return nil
}

func (e *Entropies) judgePair(key RequestKey, reference, test float64) {
	at := fmt.Sprintf("  NE mismatch at (%d, %d): ", key.step, key.query)
	switch difference := float32(math.Abs(float64(float32(test)-float32(reference)))) / float32(math.Abs(reference)); {
	case reference == 0 && test == 0:
	case reference == 0 || test == 0:
		e.Mismatched++
		fmt.Fprintf(&e.printed, "%sacc_ne=%s, perf_ne=%s\n", at, pyfloat.Repr(reference), pyfloat.Repr(test))
	case difference > float32(e.Tolerance):
		e.Mismatched++
		fmt.Fprintf(&e.printed, "%sacc_ne=%.6f, perf_ne=%.6f, diff=%.4f%%\n", at, reference, test, difference*100)
	}
}

// Pass reports whether all requests were found with entropies within the tolerance.
func (e *Entropies) Pass() bool { return e.Mismatched == 0 && e.Matched > 0 && e.Unmatched == 0 }

// Text returns the official script's output for the comparison.
func (e *Entropies) Text() string {
	return fmt.Sprintf("%s\nnum_acc_log_entries = %d\nnum_perf_log_entries = %d\nnum_matched = %d\nnum_unmatched = %d\n"+
		"num_ne_mismatch = %d\ntolerance = %.2f%%\n\n%s", e.printed.String(), e.Accuracy, len(e.audited), e.Matched,
		e.Unmatched, e.Mismatched, e.Tolerance*100, strings.TrimSuffix(VerdictWord(e.Pass()), "\n"))
}
