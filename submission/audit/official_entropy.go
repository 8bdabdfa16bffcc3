package audit

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// officialTEST08 is TEST08's run_verification.py. It writes no file: what it prints is what a submitter saves.
func officialTEST08(r Request) Verdict {
	v := Verdict{Test: r.Test, Stdout: "Verifying accuracy. This might take a while...\n", Exit: 1}
	e := entropies{tolerance: 0.001}
	if r.Tolerance != nil {
		e.tolerance = *r.Tolerance
	}
	err := eachEntry(r.Run.Accuracy, e.addAudit)
	if err == nil {
		err = eachEntry(r.Reference.Accuracy, e.addReference)
	}
	if err == nil {
		err = e.compare()
	}
	if err != nil {
		v.Stdout += traceback(err)
	} else {
		v.Pass = e.pass()
		v.Stdout += "Reading accuracy mode results...\nReading performance mode results...\n" + e.text() +
			"TEST08 verification complete\n"
	}
	if v.Accuracy = passed(v.Pass); v.Pass {
		v.Exit = 0
	}
	v.Texts = map[string]string{tree.VerifyAccuracy: v.Stdout}
	return v
}

// entropies compares the entropies of requests in two logs. The audit's log is read first, and of the accuracy log only
// what belongs to its requests is kept.
type entropies struct {
	tolerance float64
	audited   []answeredRequest
	reference map[requestKey]*candidates // nil: not in the accuracy log

	accuracy                       int // entries of the accuracy log
	matched, unmatched, mismatched int
	printed                        strings.Builder
}

func officialFloats(e fields) ([]float32, error) {
	text, err := e.text("data")
	if err != nil {
		return nil, err
	}
	data := make([]byte, len(text)/2)
	n, err := hexBytes(text, data)
	switch {
	case err != nil:
		return nil, err
	case n%4 != 0:
		return nil, died("ValueError: buffer size must be a multiple of element size")
	}
	return float32s(data[:n]), nil
}

func (e *entropies) addAudit(entry fields) error {
	values, err := officialFloats(entry)
	if err != nil {
		return err
	}
	a, ok := auditRequest(values)
	if !ok {
		return died("IndexError: index out of bounds")
	}
	e.audit(a)
	return nil
}

func (e *entropies) audit(a answeredRequest) {
	if e.reference == nil {
		e.reference = map[requestKey]*candidates{}
	}
	e.reference[a.key] = nil
	e.audited = append(e.audited, a)
}

func (e *entropies) addReference(entry fields) error {
	values, err := officialFloats(entry)
	if err != nil {
		return err
	}
	key, c, ok := referenceRequest(values)
	if !ok {
		return died("AssertionError: the payload has no whole candidates")
	}
	e.known(key, c)
	return nil
}

// known adds an entry of the accuracy log; the last of a request counts.
func (e *entropies) known(key requestKey, c candidates) {
	e.accuracy++
	if _, wanted := e.reference[key]; wanted {
		e.reference[key] = &c
	}
}

func (e *entropies) compare() error {
	for _, a := range e.audited {
		c := e.reference[a.key]
		if c == nil {
			e.unmatched++
			continue
		}
		e.matched++
		reference, _ := normalisedEntropy(*c)
		test, ok := normalisedEntropy(candidates{predictions: a.predictions, labels: c.labels, weights: c.weights})
		if !ok {
			return died("ValueError: operands could not be broadcast together with shapes (%d,) (%d,)",
				len(c.labels), len(a.predictions))
		}
		e.judge(a.key, reference, test)
	}
	return nil
}

func (e *entropies) judge(key requestKey, reference, test float64) {
	at := fmt.Sprintf("  NE mismatch at (%d, %d): ", key.step, key.query)
	switch difference := float32(math.Abs(float64(float32(test)-float32(reference)))) / float32(math.Abs(reference)); {
	case reference == 0 && test == 0:
	case reference == 0 || test == 0:
		e.mismatched++
		fmt.Fprintf(&e.printed, "%sacc_ne=%s, perf_ne=%s\n", at, pyfloat.Repr(reference), pyfloat.Repr(test))
	case difference > float32(e.tolerance):
		e.mismatched++
		fmt.Fprintf(&e.printed, "%sacc_ne=%.6f, perf_ne=%.6f, diff=%.4f%%\n", at, reference, test, difference*100)
	}
}

func (e *entropies) pass() bool { return e.mismatched == 0 && e.matched > 0 && e.unmatched == 0 }

func (e *entropies) text() string {
	return fmt.Sprintf("%s\nnum_acc_log_entries = %d\nnum_perf_log_entries = %d\nnum_matched = %d\nnum_unmatched = %d\n"+
		"num_ne_mismatch = %d\ntolerance = %.2f%%\n\n%s", e.printed.String(), e.accuracy, len(e.audited), e.matched,
		e.unmatched, e.mismatched, e.tolerance*100, strings.TrimSuffix(officialWord(e.pass()), "\n"))
}
