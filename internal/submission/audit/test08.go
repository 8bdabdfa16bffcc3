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

// judgeTest08 judges a recommender's accuracy in performance mode by the entropy of the predictions in each request.
func (j *auditJudge) judgeTest08(ctx context.Context) Verdict {
	j.readLogs(false)
	if j.request.PerformanceOnly {
		return j.joinVerdict(nil)
	}
	const usual = 0.001
	e := evidence.Entropies{Tolerance: usual}
	if j.request.Tolerance != nil {
		e.Tolerance = *j.request.Tolerance
	}
	if !(e.Tolerance <= usual) {
		j.addReason(&j.accuracyReasons, Reason{Check: "tolerance", Found: fmt.Sprintf("a tolerance of %g", e.Tolerance),
			Want: fmt.Sprintf("%g at most", usual), Advice: "leave it out"})
	}
	j.checkSampleCount(j.readRequests(ctx, &e))
	j.readReferences(ctx, &e)
	if err := e.Compare(); err != nil {
		j.addReason(&j.accuracyReasons, Reason{Check: "candidates", File: j.request.Run.Accuracy,
			Found: evidence.ErrorText(err),
			Want:  "as many predictions as the accuracy run has labels", Advice: "answer for all candidates of a request"})
	}
	j.judgeEntropies(&e)
	v := j.joinVerdict(map[string]string{tree.VerifyAccuracy: "Verifying accuracy. This might take a while...\n" +
		"Reading accuracy mode results...\nReading performance mode results...\n" + e.Text() +
		"TEST08 verification complete\n"})
	return v
}

var float32Type = evidence.DType{Name: "float32", Size: 4, Float: true}

// readRequests reads the audit's log.
func (j *auditJudge) readRequests(ctx context.Context, e *evidence.Entropies) (entries int) {
	p := j.newPayloadFaults(j.request.Run.Accuracy)
	var short, nan entryTally
	entries = j.readAnswers(ctx, j.request.Run.Accuracy, auditLogName, func(entry mllog.AccuracyEntry) {
		p.addEntry(float32Type, entry)
		a, ok := evidence.AuditRequest(evidence.Float32s(entry.Data))
		if !ok || len(a.Predictions) == 0 {
			short.countEntry(entry)
			return
		}
		if slices.ContainsFunc(a.Predictions, func(v float32) bool { return v != v }) {
			nan.countEntry(entry)
		}
		e.AddAudit(a)
	})
	p.judgePayloads(j)
	j.addTallied(short, j.request.Run.Accuracy, "candidates", "have no time step, query and predictions",
		"at least three values")
	j.addTallied(nan, j.request.Run.Accuracy, "nan", "have predictions that are NaN", "numbers")
	return entries
}

// readReferences reads the accuracy log.
func (j *auditJudge) readReferences(ctx context.Context, e *evidence.Entropies) {
	p, seen := j.newPayloadFaults(j.request.Reference.Accuracy), map[evidence.RequestKey]bool{}
	var broken, twice entryTally
	j.readAnswers(ctx, j.request.Reference.Accuracy, accuracyLogName, func(entry mllog.AccuracyEntry) {
		p.addEntry(float32Type, entry)
		key, c, ok := evidence.ReferenceRequest(evidence.Float32s(entry.Data))
		if !ok {
			broken.countEntry(entry)
			return
		}
		if wanted := e.Wants(key); wanted && seen[key] {
			twice.countEntry(entry)
		} else if wanted {
			seen[key] = true
		}
		e.AddReference(key, c)
	})
	p.judgePayloads(j)
	j.addTallied(broken, j.request.Reference.Accuracy, "candidates", "have no whole predictions, labels and weights",
		"time step, query, n predictions, n labels, n weights, n")
	j.addTallied(twice, j.request.Reference.Accuracy, "sample-twice", "answer a request again", "each request once")
}

// addTallied adds a reason for counted entries.
func (j *auditJudge) addTallied(t entryTally, path, check, found, want string) {
	if t.n > 0 {
		j.addReason(&j.accuracyReasons, Reason{Check: check, File: path,
			Found: fmt.Sprintf("%d entries %s, the first of sample %d, of %d bytes", t.n, found, t.first, t.size), Want: want,
			Advice: "mend what the SUT answers"})
	}
}

// judgeEntropies adds the reasons from the comparison of entropies.
func (j *auditJudge) judgeEntropies(e *evidence.Entropies) {
	if e.Unmatched > 0 && e.Accuracy > 0 && !j.hasBrokenLog {
		j.addReason(&j.accuracyReasons, Reason{Check: "unmatched", File: j.request.Reference.Accuracy,
			Found: fmt.Sprintf("no entry for %d of the audit's %d requests", e.Unmatched, e.Requests()),
			Want:  "an entry for every request", Advice: "take the log of the whole accuracy run"})
	}
	if e.Mismatched > 0 {
		j.addReason(&j.accuracyReasons, Reason{Check: answersCheck, File: j.request.Run.Accuracy,
			Found:  fmt.Sprintf("%d of %d requests have another entropy than in the accuracy run", e.Mismatched, e.Matched),
			Want:   fmt.Sprintf("at most %g %% difference", math.Round(e.Tolerance*1e6)/1e4),
			Advice: "find why the model answers otherwise in performance mode: verify_accuracy.txt lists the requests"})
	}
}
