package retrieval

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// JudgeVerdict is a judge's verdict on an answer.
type JudgeVerdict struct {
	// Counts means that the reference counts the answer as right. The reference accepts any value of "correct" that is
	// true in Python, including the text "false".
	Counts bool
	Strict bool // "correct" is the JSON value true
	// Err describes why the reply is unreadable; the answer then counts as wrong.
	Err error
}

// ReadVerdict parses the reply of a judge.
func ReadVerdict(reply string) JudgeVerdict {
	d, err := FindObject(reply)
	if err != nil {
		return JudgeVerdict{Err: err}
	}
	v, _ := d.Get("correct")
	is, isBool := v.(bool)
	verdict := JudgeVerdict{Counts: pyvalue.IsTrue(v), Strict: isBool && is}
	if v == nil {
		verdict.Err = fmt.Errorf("the judge's object has no \"correct\"")
	}
	return verdict
}

// PageMatch contains precision, recall and F1 of the retrieved set of pages. All are 0 if no page is expected.
type PageMatch struct{ Precision, Recall, F1 float64 }

// MatchPages compares the retrieved pages with the expected pages.
func MatchPages(retrieved, expected []string) (f PageMatch) {
	got, want := setOf(retrieved), setOf(expected)
	right := float64(countCommon(got, want))
	if len(want) == 0 || len(got) == 0 {
		return f
	}
	f.Precision, f.Recall = right/float64(len(got)), right/float64(len(want))
	f.F1 = harmonicMean(f.Precision, f.Recall)
	return f
}

func harmonicMean(p, r float64) float64 {
	if p+r > 0 {
		return 2 * p * r / (p + r)
	}
	return 0
}

func setOf(all []string) map[string]bool {
	set := make(map[string]bool, len(all))
	for _, s := range all {
		set[s] = true
	}
	return set
}

// countCommon returns the number of elements that both sets contain.
func countCommon(a, b map[string]bool) (n int) {
	for s := range a {
		if b[s] {
			n++
		}
	}
	return n
}
