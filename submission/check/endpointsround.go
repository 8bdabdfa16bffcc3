package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// exampleSeed is both seeds of the configurations that come with the endpoints harness.
const exampleSeed = 42

// checkRoundConfig holds a configuration to the round's rules, and says whose seeds ran.
func (r *resultFolder) checkRoundConfig(e *endpointsResult) {
	name := path.Join(r.Results(), tree.EndpointsConfig)
	runtime, round := e.config.Settings.Runtime, r.checker.rules.Seeds
	found := fmt.Sprintf("dataloader %d, scheduler %d", runtime.Data, runtime.Schedule)
	want := fmt.Sprintf("dataloader %d, scheduler %d, the round's", round.SampleIndex, round.Schedule)
	switch {
	case runtime.Data == round.SampleIndex && runtime.Schedule == round.Schedule:
		r.add(Note, ruleSeeds, name, "the seeds are the round's", found, "",
			"nothing: the official checker takes them, and the harness's example files have 42")
	case runtime.Data == exampleSeed && runtime.Schedule == exampleSeed:
		r.reject(ruleSeeds, name, "the seeds are those of the harness's example files", found, want,
			"set dataloader_random_seed and scheduler_random_seed, and run again: the official checker refuses 42")
	default:
		r.reject(ruleSeeds, name, "the seeds are nobody's", found, want, "run again")
	}
	if runtime.MinDuration < officialMinimum {
		r.reject(ruleDuration, name, "min_duration_ms is too short", strconv.FormatInt(runtime.MinDuration, 10),
			"at least "+strconv.Itoa(officialMinimum), "run again")
	}
	kind, load := "online", "poisson"
	if r.scenario == offline {
		kind, load = "offline", "max_throughput"
	}
	if c := &e.config; c.Type != kind || c.Settings.Load.Type != load {
		r.reject(ruleSettings, name, "the load is another scenario's", c.Type+", load_pattern "+c.Settings.Load.Type,
			kind+", "+load, "run "+r.scenario)
	}
}

const offline = "Offline"

// checkRoundSummary wants enough samples, a latency within the limit, and a result.
func (r *resultFolder) checkRoundSummary(e *endpointsResult) {
	name, s := path.Join(r.Results(), tree.EndpointsSummary), &e.summary
	least := uint64(0)
	if r.scenario == offline {
		least = r.checker.rules.OfflineSamples(r.model)
	}
	if s.Completed != s.Issued || uint64(s.Issued) < least {
		r.reject(ruleCounts, name, "samples are missing", fmt.Sprintf("%d issued, %d completed", s.Issued, s.Completed),
			fmt.Sprintf("at least %d, and all that were issued", max(least, 1)), "run again")
	}
	if limit := r.checker.rules.LatencyLimit(r.model, r.scenario); limit > 0 {
		got, want := s.Latency.Early["99.0"], "at most "+strconv.FormatInt(limit.Nanoseconds(), 10)
		switch {
		case got == nil:
			r.reject(ruleLatency, name, "there is no early-stopping estimate of the 99th percentile", "nothing", want,
				"ask more samples: it takes 662")
		case *got > float64(limit):
			r.reject(ruleLatency, name, "the latency is over the limit", shownNumber(got), want,
				"run again at a lower target_qps")
		}
	}
	result := s.QPS
	if r.scenario == offline && s.Duration != nil && *s.Duration > 0 {
		rate := float64(s.Issued) / (*s.Duration / 1e9) // as the official checker finds it
		result = &rate
	}
	if result == nil || !(*result > 0) {
		r.reject(ruleMetric, name, "there is no result", shownNumber(result), "qps above 0", "run again")
		return
	}
	r.metric, r.unit = *result, "Samples/s"
	if m, ok := r.checker.rules.Metric(r.model, r.scenario); ok {
		r.unit = m.Unit
	}
}

// checkRoundAccuracy judges by the round's target, which the official checker compares in this form, too.
func (r *resultFolder) checkRoundAccuracy(e *endpointsResult) {
	name := path.Join(r.Results(), tree.EndpointsAccuracy)
	i := slices.IndexFunc(e.accuracy.Scores, func(s endpointsScore) bool { return s.Score != nil })
	if i < 0 {
		r.reject(ruleAccuracy, name, "there is no accuracy", "", "a data set with a score", "run the accuracy part, too")
		return
	}
	samples := 0
	for _, s := range e.accuracy.Scores {
		if cmp.Or(s.Type, "accuracy") == "accuracy" {
			samples += s.Samples
		}
	}
	want := r.checker.rules.AccuracySampleCount(r.model, r.scenario)
	if want > 0 && uint64(samples) != want && !r.checker.options.Skip.DatasetSize {
		r.reject(ruleCounts, name, "the accuracy run is not over the whole data set", strconv.Itoa(samples),
			strconv.FormatUint(want, 10), "run it over the whole data set")
	}
	got := *e.accuracy.Scores[i].Score
	for _, t := range r.checker.rules.Targets(r.model, r.scenario) {
		if r.closed() && !(got >= t.Value) {
			r.reject(ruleAccuracy, name, "an accuracy is too low", shownNumber(&got),
				fmt.Sprintf("at least %.6f (%s)", t.Value, t.Metric), "take a better model")
		}
	}
}
