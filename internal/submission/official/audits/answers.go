package audits

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgeAnswers reproduces TEST01's run_verification.py.
func judgeAnswers(r Request, d evidence.DType) Verdict {
	accuracy := "Verifying accuracy. This might take a while...\n"
	var performance string
	switch {
	case evidence.IsSplitByShell(r.Reference.Accuracy, r.Run.Accuracy):
		accuracy, performance = unquoteScript("verify_accuracy.py"), unquoteScript("verify_performance.py")
	case r.UnixMode:
		accuracy += compareWholeLines(r)
	default:
		accuracy += compareFirstElements(r, d)
	}
	if performance == "" {
		performance, _ = performanceText(r)
	}
	v := newVerdict(r)
	v.Accuracy = audit.OutcomeOf(strings.Contains(accuracy, evidence.Pass))
	v.Performance = audit.OutcomeOf(strings.Contains(performance, evidence.Pass))
	v.Texts = map[string]string{tree.VerifyAccuracy: accuracy, tree.VerifyPerformance: performance}
	v.Pass = v.Accuracy == audit.Passed && v.Performance == audit.Passed
	copied := v.copyLogs(r)
	v.Stdout = "Parsing arguments.\n" + accuracy + performance + copied +
		fmt.Sprintf("Accuracy check pass: %s\nPerformance check pass: %s\nTEST01 verification complete\n",
			evidence.BoolText(v.Accuracy == audit.Passed), evidence.BoolText(v.Performance == audit.Passed))
	return v
}

func unquoteScript(script string) string {
	return "usage: " + script + "\n" + script +
		": error: the shell splits the path, which the official script does not quote\n"
}

// compareFirstElements returns the output of verify_accuracy.py after its first line.
func compareFirstElements(r Request, d evidence.DType) string {
	const reading = "Reading accuracy mode results...\nReading performance mode results...\n"
	m := evidence.NewMatches[string](d)
	err := eachEntry(r.Run.Accuracy, func(e encodedFields) error {
		sample, first, err := readAnswer(d, e)
		if err == nil {
			m.AddAudit(sample, first)
		}
		return err
	})
	if err == nil {
		err = readReference(r.Reference.Accuracy, d, m)
	}
	if err != nil {
		return evidence.Traceback(err)
	}
	return reading + m.Text()
}

func readAnswer(d evidence.DType, e encodedFields) (sample string, first evidence.Element, err error) {
	if sample, err = e.comparableKey("qsl_idx"); err != nil {
		return "", first, err
	}
	first, err = firstElement(d, e)
	return sample, first, err
}

// firstElement returns the first element of a payload.
func firstElement(d evidence.DType, e encodedFields) (evidence.Element, error) {
	text, err := e.textField("data")
	if err != nil {
		return evidence.Element{}, err
	}
	var head [8]byte
	n, err := hexBytes(text, head[:])
	switch {
	case err != nil:
		return evidence.Element{}, err
	case n%d.Size != 0:
		return evidence.Element{}, evidence.ErrDiedf("ValueError: buffer size must be a multiple of element size")
	}
	return d.First(head[:min(n, len(head))]), nil
}

// readReference reads the accuracy log. Repeated entries are compared by the texts of their payloads.
func readReference(path string, d evidence.DType, m *evidence.Matches[string]) error {
	seed, texts := maphash.MakeSeed(), map[string]uint64{}
	return eachEntry(path, func(e encodedFields) error {
		sample, err := e.comparableKey("qsl_idx")
		if err != nil {
			return err
		}
		data, ok := e["data"]
		if !ok {
			return evidence.ErrDiedf("KeyError: 'data'")
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
		first, err := firstElement(d, e)
		if err == nil {
			m.AddReference(at, first)
		}
		return err
	})
}
