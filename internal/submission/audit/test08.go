package audit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// test08 judges a recommender's accuracy in performance mode by the entropy of its predictions, request by request.
func (j *judge) test08(ctx context.Context) Verdict {
	j.logs(false)
	if j.r.PerformanceOnly {
		return j.verdict(nil)
	}
	const usual = 0.001
	e := evidence.Entropies{Tolerance: usual}
	if j.r.Tolerance != nil {
		e.Tolerance = *j.r.Tolerance
	}
	if !(e.Tolerance <= usual) {
		j.fault(&j.accuracy, Reason{Check: "tolerance", Found: fmt.Sprintf("a tolerance of %g", e.Tolerance),
			Want: fmt.Sprintf("%g at most", usual), Do: "leave it out"})
	}
	j.sampled(j.requests(ctx, &e))
	j.references(ctx, &e)
	if err := e.Compare(); err != nil {
		j.fault(&j.accuracy, Reason{Check: "candidates", File: j.r.Run.Accuracy, Found: evidence.ErrorText(err),
			Want: "as many predictions as the accuracy run has labels", Do: "answer for all candidates of a request"})
	}
	j.entropy(&e)
	v := j.verdict(map[string]string{tree.VerifyAccuracy: "Verifying accuracy. This might take a while...\n" +
		"Reading accuracy mode results...\nReading performance mode results...\n" + e.Text() +
		"TEST08 verification complete\n"})
	return v
}

var float32s4 = evidence.DType{Name: "float32", Size: 4, Float: true}

// requests reads the audit's log.
func (j *judge) requests(ctx context.Context, e *evidence.Entropies) (entries int) {
	p := j.payloads(j.r.Run.Accuracy)
	var short, nan tally
	entries = j.answers(ctx, j.r.Run.Accuracy, auditWhat, func(entry mllog.AccuracyEntry) {
		p.add(float32s4, entry)
		a, ok := evidence.AuditRequest(evidence.Float32s(entry.Data))
		if !ok || len(a.Predictions) == 0 {
			short.add(entry)
			return
		}
		if slices.ContainsFunc(a.Predictions, func(v float32) bool { return v != v }) {
			nan.add(entry)
		}
		e.Audit(a)
	})
	p.judge(j)
	j.tallied(short, j.r.Run.Accuracy, "candidates", "have no time step, query and predictions", "at least three values")
	j.tallied(nan, j.r.Run.Accuracy, "nan", "have predictions that are NaN", "numbers")
	return entries
}

// references reads the accuracy log.
func (j *judge) references(ctx context.Context, e *evidence.Entropies) {
	p, seen := j.payloads(j.r.Reference.Accuracy), map[evidence.RequestKey]bool{}
	var broken, twice tally
	j.answers(ctx, j.r.Reference.Accuracy, accuracyWhat, func(entry mllog.AccuracyEntry) {
		p.add(float32s4, entry)
		key, c, ok := evidence.ReferenceRequest(evidence.Float32s(entry.Data))
		if !ok {
			broken.add(entry)
			return
		}
		if wanted := e.Wants(key); wanted && seen[key] {
			twice.add(entry)
		} else if wanted {
			seen[key] = true
		}
		e.Known(key, c)
	})
	p.judge(j)
	j.tallied(broken, j.r.Reference.Accuracy, "candidates", "have no whole predictions, labels and weights",
		"time step, query, n predictions, n labels, n weights, n")
	j.tallied(twice, j.r.Reference.Accuracy, "sample-twice", "answer a request again", "each request once")
}

// tallied adds a reason for entries that were counted.
func (j *judge) tallied(t tally, path, check, found, want string) {
	if t.n > 0 {
		j.fault(&j.accuracy, Reason{Check: check, File: path,
			Found: fmt.Sprintf("%d entries %s, the first of sample %d, of %d bytes", t.n, found, t.first, t.size), Want: want,
			Do: "mend what the SUT answers"})
	}
}

// entropy adds the reasons that the comparison gives.
func (j *judge) entropy(e *evidence.Entropies) {
	if e.Unmatched > 0 && e.Accuracy > 0 && !j.broken {
		j.fault(&j.accuracy, Reason{Check: "unmatched", File: j.r.Reference.Accuracy,
			Found: fmt.Sprintf("no entry for %d of the audit's %d requests", e.Unmatched, e.Requests()),
			Want:  "an entry for every request", Do: "take the log of the whole accuracy run"})
	}
	if e.Mismatched > 0 {
		j.fault(&j.accuracy, Reason{Check: checkAnswers, File: j.r.Run.Accuracy,
			Found: fmt.Sprintf("%d of %d requests have another entropy than in the accuracy run", e.Mismatched, e.Matched),
			Want:  fmt.Sprintf("at most %g %% difference", math.Round(e.Tolerance*1e6)/1e4),
			Do:    "find why the model answers otherwise in performance mode: verify_accuracy.txt lists the requests"})
	}
}
