package audit

import (
	"fmt"
	"math"
)

// checkSampleCount checks that the audit's accuracy log has the number of entries that its run should have logged.
func (j *auditJudge) checkSampleCount(entries int) {
	if j.run == nil || entries == 0 || j.hasBrokenLog {
		return
	}
	issued, share := j.issuedSamples(), j.loggedShare()
	if issued == 0 || share == 0 {
		return
	}
	least, most := binomialBounds(issued, share)
	if float64(entries) >= least && float64(entries) <= most {
		return
	}
	want := fmt.Sprintf("%.0f to %.0f", least, most)
	if least == most {
		want = fmt.Sprintf("%.0f", least)
	}
	j.addReason(&j.accuracyReasons, Reason{Check: "entries", File: j.request.Run.Accuracy,
		Found:  fmt.Sprintf("%d entries", entries),
		Want:   fmt.Sprintf("%s of a run of %.0f samples of which %.4g %% are logged", want, issued, share*100),
		Advice: "take the log of the same run, whole"})
}

// maxEntries returns the maximum number of compared entries of the audit's accuracy log. A run cannot log more, so
// further entries are only counted.
func (j *auditJudge) maxEntries() int {
	if j.run != nil {
		if issued := j.issuedSamples(); issued > 0 && issued < math.MaxInt32 {
			return int(issued)
		}
	}
	return math.MaxInt
}

// issuedSamples returns the number of samples that the run answered; 0: unknown.
func (j *auditJudge) issuedSamples() float64 {
	return logCount(j.run, "result_query_count") * logCount(j.run, "effective_samples_per_query")
}

// loggedShare returns the share of answers that LoadGen logs: the requested share, or the target divided by the
// expected number of issued samples.
func (j *auditJudge) loggedShare() float64 {
	target := logCount(j.run, "effective_accuracy_log_sampling_target")
	if share := logCount(j.run, "effective_"+logShareKey); target == 0 && share > 0 {
		return min(1, share)
	}
	each := logCount(j.run, "effective_samples_per_query")
	expected := math.Floor(logCount(j.run, "effective_target_qps") * logCount(j.run, "effective_min_duration_ms") / 1000)
	least := logCount(j.run, "effective_min_query_count") * each
	if j.scenario == "Offline" {
		least = logCount(j.run, "effective_min_sample_count")
	} else {
		expected *= each
	}
	if most := max(expected, least); most > 0 {
		return min(1, target/most)
	}
	return 0
}

// binomialBounds returns the limits of the number of entries drawn from n with the probability share: five standard
// deviations around the mean. For a probability of 1, both limits are n.
func binomialBounds(n, share float64) (least, most float64) {
	if share == 1 {
		return n, n
	}
	spread := 5*math.Sqrt(n*share*(1-share)) + 1
	return max(1, math.Ceil(n*share-spread)), min(n, math.Floor(n*share+spread))
}
