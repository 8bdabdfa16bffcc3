package audits

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// answers reproduces TEST01's run_verification.py.
func answers(r Request, d evidence.DType) Verdict {
	accuracy := "Verifying accuracy. This might take a while...\n"
	var performance string
	switch {
	case evidence.SplitByShell(r.Reference.Accuracy, r.Run.Accuracy):
		accuracy, performance = unquoted("verify_accuracy.py"), unquoted("verify_performance.py")
	case r.UnixMode:
		accuracy += wholeLines(r)
	default:
		accuracy += firstElements(r, d)
	}
	if performance == "" {
		performance, _ = performanceText(r)
	}
	v := begun(r)
	v.Accuracy = audit.OutcomeOf(strings.Contains(accuracy, evidence.Pass))
	v.Performance = audit.OutcomeOf(strings.Contains(performance, evidence.Pass))
	v.Texts = map[string]string{tree.VerifyAccuracy: accuracy, tree.VerifyPerformance: performance}
	v.Pass = v.Accuracy == audit.Passed && v.Performance == audit.Passed
	copied := v.copyLogs(r)
	v.Stdout = "Parsing arguments.\n" + accuracy + performance + copied +
		fmt.Sprintf("Accuracy check pass: %s\nPerformance check pass: %s\nTEST01 verification complete\n",
			evidence.Bool(v.Accuracy == audit.Passed), evidence.Bool(v.Performance == audit.Passed))
	return v
}

func unquoted(script string) string {
	return "usage: " + script + "\n" + script +
		": error: the shell splits the path, which the official script does not quote\n"
}

// firstElements returns the output of verify_accuracy.py after its first line.
func firstElements(r Request, d evidence.DType) string {
	const reading = "Reading accuracy mode results...\nReading performance mode results...\n"
	m := evidence.NewMatches[string](d)
	err := eachEntry(r.Run.Accuracy, func(e fields) error {
		sample, first, err := answerOf(d, e)
		if err == nil {
			m.Audit(sample, first)
		}
		return err
	})
	if err == nil {
		err = reference(r.Reference.Accuracy, d, m)
	}
	if err != nil {
		return evidence.Traceback(err)
	}
	return reading + m.Text()
}

func answerOf(d evidence.DType, e fields) (sample string, first evidence.Element, err error) {
	if sample, err = e.key("qsl_idx"); err != nil {
		return "", first, err
	}
	first, err = firstOf(d, e)
	return sample, first, err
}

// firstOf returns the first element of a payload.
func firstOf(d evidence.DType, e fields) (evidence.Element, error) {
	text, err := e.text("data")
	if err != nil {
		return evidence.Element{}, err
	}
	var head [8]byte
	n, err := hexBytes(text, head[:])
	switch {
	case err != nil:
		return evidence.Element{}, err
	case n%d.Size != 0:
		return evidence.Element{}, evidence.Died("ValueError: buffer size must be a multiple of element size")
	}
	return d.First(head[:min(n, len(head))]), nil
}

// reference reads the accuracy log. Repeated entries are compared by the texts of their payloads.
func reference(path string, d evidence.DType, m *evidence.Matches[string]) error {
	seed, texts := maphash.MakeSeed(), map[string]uint64{}
	return eachEntry(path, func(e fields) error {
		sample, err := e.key("qsl_idx")
		if err != nil {
			return err
		}
		data, ok := e["data"]
		if !ok {
			return evidence.Died("KeyError: 'data'")
		}
		m.Accuracy++
		text := maphash.Bytes(seed, data)
		if earlier, again := texts[sample]; again {
			m.Repeated++
			if text != earlier {
				m.RepeatedUnequal++
			}
			return nil
		}
		texts[sample] = text
		at, wanted := m.Wants(sample)
		if !wanted {
			return nil
		}
		first, err := firstOf(d, e)
		if err == nil {
			m.Reference(at, first)
		}
		return err
	})
}
