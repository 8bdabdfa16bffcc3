package audit

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// The words of the official verdicts.
const (
	testPass = "TEST PASS"
	testFail = "TEST FAIL"
)

// officialTEST01 is TEST01's run_verification.py.
func officialTEST01(r Request, d dtype) Verdict {
	accuracy := "Verifying accuracy. This might take a while...\n"
	var performance string
	switch {
	case splitByShell(r.Reference.Accuracy, r.Run.Accuracy):
		accuracy, performance = unquoted("verify_accuracy.py"), unquoted("verify_performance.py")
	case r.UnixMode:
		accuracy, performance = accuracy+officialLines(r), officialBand(r)
	default:
		accuracy, performance = accuracy+officialFirstElements(r, d), officialBand(r)
	}
	v := Verdict{Test: r.Test, Accuracy: passed(strings.Contains(accuracy, testPass)),
		Performance: passed(strings.Contains(performance, testPass)),
		Texts:       map[string]string{tree.VerifyAccuracy: accuracy, tree.VerifyPerformance: performance}}
	v.Pass = v.Accuracy == Passed && v.Performance == Passed
	copied := v.officialCopies(r, "Exception occured trying to copy %s to %s\n")
	v.Stdout = "Parsing arguments.\n" + accuracy + performance + copied +
		fmt.Sprintf("Accuracy check pass: %s\nPerformance check pass: %s\nTEST01 verification complete\n",
			pyBool(v.Accuracy == Passed), pyBool(v.Performance == Passed))
	return v
}

// splitByShell says whether the official scripts, which give paths to the shell as they are, lose one of them.
func splitByShell(paths ...string) bool {
	return strings.ContainsAny(strings.Join(paths, ""), " \t\n\"'`\\$&;|<>()*?#~![]{}")
}

func unquoted(script string) string {
	return "usage: " + script + "\n" + script +
		": error: the shell splits the path, which the official script does not quote\n"
}

func pyBool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// officialFirstElements is verify_accuracy.py: what it prints behind its first line.
func officialFirstElements(r Request, d dtype) string {
	const reading = "Reading accuracy mode results...\nReading performance mode results...\n"
	m := newMatches(d)
	err := eachEntry(r.Run.Accuracy, func(e fields) error {
		sample, first, err := d.officialAnswer(e)
		if err == nil {
			m.audit(sample, first)
		}
		return err
	})
	if err == nil {
		err = officialReference(r.Reference.Accuracy, m)
	}
	if err != nil {
		return traceback(err)
	}
	return reading + m.officialText()
}

func (d dtype) officialAnswer(e fields) (sample string, first element, err error) {
	if sample, err = e.key("qsl_idx"); err != nil {
		return "", first, err
	}
	first, err = d.officialFirst(e)
	return sample, first, err
}

// officialFirst reads a payload's first element.
func (d dtype) officialFirst(e fields) (element, error) {
	text, err := e.text("data")
	if err != nil {
		return element{}, err
	}
	var head [8]byte
	n, err := hexBytes(text, head[:])
	switch {
	case err != nil:
		return element{}, err
	case n%d.size != 0:
		return element{}, died("ValueError: buffer size must be a multiple of element size")
	}
	return d.first(head[:min(n, len(head))]), nil
}

// officialReference reads the accuracy log. What differs in repeated entries is the text of their payloads.
func officialReference(path string, m *matches) error {
	seed, texts := maphash.MakeSeed(), map[string]uint64{}
	return eachEntry(path, func(e fields) error {
		sample, err := e.key("qsl_idx")
		if err != nil {
			return err
		}
		data, ok := e["data"]
		if !ok {
			return died("KeyError: 'data'")
		}
		m.accuracy++
		text := maphash.Bytes(seed, data)
		if earlier, again := texts[sample]; again {
			m.repeated++
			if text != earlier {
				m.repeatedUnequal++
			}
			return nil
		}
		texts[sample] = text
		if !m.wants(sample) {
			return nil
		}
		first, err := m.dtype.officialFirst(e)
		if err == nil {
			m.reference(sample, first)
		}
		return err
	})
}

func (m *matches) officialText() string {
	var b strings.Builder
	for _, line := range []struct {
		name string
		n    int
	}{
		{"acc_log_entries", m.accuracy}, {"acc_log_duplicate_keys", m.repeated},
		{"acc_log_data_mismatch", m.repeatedUnequal}, {"perf_log_entries", m.audited},
		{"perf_log_qsl_idx_match", m.matched}, {"perf_log_data_mismatch", m.mismatched}, {"missing_qsl_idxs", m.missing},
	} {
		fmt.Fprintf(&b, "num_%s = %d\n", line.name, line.n)
	}
	return b.String() + officialWord(m.pass())
}

func officialWord(pass bool) string {
	if pass {
		return testPass + "\n\n"
	}
	return testFail + "\n\n"
}
