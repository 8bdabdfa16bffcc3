package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// judgeTest07 judges the accuracy of a performance run on the test's own data set.
func (j *auditJudge) judgeTest07(ctx context.Context) (Verdict, error) {
	if !j.request.canScore() && !j.request.PerformanceOnly {
		return Verdict{}, fmt.Errorf("%w: TEST07 needs a scorer: the benchmark's, or a command (--accuracy-command)",
			ErrRequest)
	}
	threshold, err := j.accuracyThreshold()
	if err != nil {
		return Verdict{}, err
	}
	j.readLogs(false)
	if j.request.PerformanceOnly {
		return j.joinVerdict(nil), nil
	}
	j.checkEverySample(ctx, j.newPayloadFaults(j.request.Run.Accuracy), evidence.DType{Name: "byte", Size: 1},
		func(mllog.AccuracyEntry) {})
	text := ""
	if checkReadable(j.request.Run.Accuracy) == nil {
		text = j.scoreLog(ctx, threshold)
	}
	return j.joinVerdict(map[string]string{tree.VerifyAccuracy: text}), ctx.Err()
}

// accuracyThreshold returns the minimum accuracy from the request, an audit.config or the round.
func (j *auditJudge) accuracyThreshold() (float64, error) {
	own := math.NaN()
	if j.config != nil {
		own = j.config.Threshold
	}
	found := map[string]float64{}
	if j.request.AuditConfig != "" {
		var err error
		if found, err = j.readBounds(evidence.ThresholdKey); err != nil {
			return 0, err
		}
	}
	given := own
	if v, ok := found[evidence.ThresholdKey]; ok {
		given = v
	}
	if j.request.Threshold != nil {
		given = *j.request.Threshold
	}
	if math.IsNaN(given) {
		return 0, fmt.Errorf("%w: no threshold of TEST07 is known: name the model, or give one (--accuracy-threshold)",
			ErrRequest)
	}
	if given < own {
		j.addReason(&j.accuracyReasons, Reason{Check: "threshold", File: j.request.AuditConfig,
			Found: fmt.Sprintf("a threshold of %g",
				given),
			Want: fmt.Sprintf("%g or more", own), Advice: "leave out the threshold: the round's counts"})
	}
	return given, nil
}

// readBounds reads numbers for the verdict from the request's audit.config. Comments may follow the numbers.
func (j *auditJudge) readBounds(names ...string) (map[string]float64, error) {
	if err := checkReadable(j.request.AuditConfig); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	var faults []error
	found, err := evidence.ReadBounds(j.request.AuditConfig, names, true, func(name, value string) {
		faults = append(faults, fmt.Errorf("%w: %s: %s = %q is no number", ErrRequest, j.request.AuditConfig, name, value))
	})
	if err != nil {
		faults = append(faults, fmt.Errorf("%w: %s: %w", ErrRequest, j.request.AuditConfig, err))
	}
	return found, errors.Join(faults...)
}

// checkEverySample requires an entry for each sample of the data set and counts faults of the payloads.
func (j *auditJudge) checkEverySample(ctx context.Context, p *payloadFaults, d evidence.DType,
	use func(mllog.AccuracyEntry)) {
	seen, distinct := sampleSet{}, 0
	n := j.readAnswers(ctx, j.request.Run.Accuracy, auditLogName, func(e mllog.AccuracyEntry) {
		p.addEntry(d, e)
		if seen.addNew(e.QSLIndex) {
			distinct++
		}
		use(e)
	})
	j.checkSampleCount(n)
	p.judgePayloads(j)
	got, each := distinct, "one to each of the %d samples"
	if j.config != nil && !j.config.issuesOnce() {
		got, each = n, "as many as there are samples, %d" // samples are drawn at random, some repeatedly
	}
	if want := j.sampleCount(); n > 0 && got < want && !j.hasBrokenLog {
		j.addReason(&j.accuracyReasons, Reason{Check: "entries", File: j.request.Run.Accuracy,
			Found:  fmt.Sprintf("answers to %d samples in %d entries", distinct, n),
			Want:   fmt.Sprintf(each, want),
			Advice: "run the whole data set: performance_sample_count_override and target_qps must be large enough"})
	}
}

// sampleCount returns the number of samples in a test that requires every sample.
func (j *auditJudge) sampleCount() (n int) {
	if j.config == nil {
		return 0
	}
	for _, s := range j.config.Settings {
		if s.Key == countKey {
			n, _ = strconv.Atoi(s.Value)
		}
	}
	return n
}

// scoreLog scores the log, compares the score with the threshold, and returns the text of verify_accuracy.txt.
func (j *auditJudge) scoreLog(ctx context.Context, threshold float64) string {
	printed, metrics, err := j.request.scoreText(ctx, j.request.Run.Accuracy)
	if err != nil {
		j.addReason(&j.accuracyReasons, Reason{Check: "scorer", File: j.request.Run.Accuracy, Found: err.Error(),
			Want:   "a score",
			Advice: "mend what the scorer says"})
		return printed + evidence.ScoreSummary("Error: Could not parse accuracy score\n", false)
	}
	score, problem := chooseMetric(metrics), ""
	if score == nil {
		score, problem = evidence.FindScore(j.request.Pattern, printed)
	}
	if score == nil {
		j.addReason(&j.accuracyReasons, Reason{Check: "scorer", File: j.request.Run.Accuracy,
			Found: "no score in what the scorer printed: " + problem + fmt.Sprintf("%.200q", printed),
			Want:  evidence.PatternOr(j.request.Pattern), Advice: "print it so, or name the pattern: --score-pattern"})
		return printed + evidence.ScoreSummary("Error: Could not parse accuracy score\n", false)
	}
	switch {
	case !(*score >= threshold):
		j.addReason(&j.accuracyReasons, Reason{Check: "threshold", File: j.request.Run.Accuracy,
			Found: fmt.Sprintf("a score of %g",
				*score),
			Want: fmt.Sprintf("%g or more", threshold), Advice: "find why accuracy is lower in performance mode"})
	case *score > 100:
		j.addReason(&j.accuracyReasons, Reason{Check: "scorer", File: j.request.Run.Accuracy,
			Found: fmt.Sprintf("a score of %g", *score),
			Want:  "percent, 100 at most", Advice: "mend the scorer, or its pattern"})
	}
	pass := *score >= threshold
	return printed + evidence.ScoreSummary(fmt.Sprintf(
		"Accuracy score: %s\nAccuracy threshold: %s\nAccuracy check pass: %s\n",
		pyfloat.Repr(*score), pyfloat.Repr(threshold), evidence.BoolText(pass)), pass)
}

// chooseMetric returns the metric that TEST07 compares. It returns nil if the scorer returned no metric, or only
// several others.
func chooseMetric(metrics map[string]float64) *float64 {
	if v, ok := metrics["exact_match"]; ok {
		return &v
	}
	if len(metrics) != 1 {
		return nil
	}
	for _, v := range metrics {
		return &v
	}
	return nil
}
