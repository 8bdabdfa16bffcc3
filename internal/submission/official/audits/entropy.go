package audits

import (
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgeEntropy reproduces TEST08's run_verification.py. The script writes no file; submitters save its output.
func judgeEntropy(r Request) Verdict {
	v := newVerdict(r)
	v.Stdout, v.Exit = "Verifying accuracy. This might take a while...\n", 1
	e := evidence.Entropies{Tolerance: 0.001}
	if r.Tolerance != nil {
		e.Tolerance = *r.Tolerance
	}
	err := eachEntry(r.Run.Accuracy, func(f encodedFields) error { return addAudit(&e, f) })
	if err == nil {
		err = eachEntry(r.Reference.Accuracy, func(f encodedFields) error { return addReference(&e, f) })
	}
	if err == nil {
		err = e.Compare()
	}
	if err != nil {
		v.Stdout += evidence.Traceback(err)
	} else {
		v.Pass = e.Pass()
		v.Stdout += "Reading accuracy mode results...\nReading performance mode results...\n" + e.Text() +
			"TEST08 verification complete\n"
	}
	if v.Accuracy = audit.OutcomeOf(v.Pass); v.Pass {
		v.Exit = 0
	}
	v.Texts = map[string]string{tree.VerifyAccuracy: v.Stdout}
	return v
}

func readFloats(e encodedFields) ([]float32, error) {
	text, err := e.textField("data")
	if err != nil {
		return nil, err
	}
	data := make([]byte, len(text)/2)
	n, err := hexBytes(text, data)
	switch {
	case err != nil:
		return nil, err
	case n%4 != 0:
		return nil, evidence.ErrDiedf("ValueError: buffer size must be a multiple of element size")
	}
	return evidence.Float32s(data[:n]), nil
}

func addAudit(e *evidence.Entropies, entry encodedFields) error {
	values, err := readFloats(entry)
	if err != nil {
		return err
	}
	a, ok := evidence.AuditRequest(values)
	if !ok {
		return evidence.ErrDiedf("IndexError: index out of bounds")
	}
	e.AddAudit(a)
	return nil
}

func addReference(e *evidence.Entropies, entry encodedFields) error {
	values, err := readFloats(entry)
	if err != nil {
		return err
	}
	key, c, ok := evidence.ReferenceRequest(values)
	if !ok {
		return evidence.ErrDiedf("AssertionError: the payload has no whole candidates")
	}
	e.AddReference(key, c)
	return nil
}
