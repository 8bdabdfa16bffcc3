package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// exampleSeed is the value of both seeds in the endpoints harness's example configurations.
const exampleSeed = 42

// checkRoundConfig checks a configuration against the round's rules, and notes the origin of the seeds.
func (r *resultFolder) checkRoundConfig(e *endpoints.Result) {
	name := path.Join(r.Results(), endpoints.ConfigFile)
	runtime, round := e.Config.Settings.Runtime, r.checker.rules.Seeds
	found := fmt.Sprintf("dataloader %d, scheduler %d", runtime.Data, runtime.Schedule)
	want := fmt.Sprintf("dataloader %d, scheduler %d, the round's", round.SampleIndex, round.Schedule)
	switch {
	case runtime.Data == round.SampleIndex && runtime.Schedule == round.Schedule:
		r.addFinding(Note, ruleSeeds, name, "the seeds are the round's", found, "",
			"nothing: the official checker takes them, and the harness's example files have 42")
	case runtime.Data == exampleSeed && runtime.Schedule == exampleSeed:
		r.addReject(ruleSeeds, name, "the seeds are those of the harness's example files", found, want,
			"set dataloader_random_seed and scheduler_random_seed, and run again: the official checker refuses 42")
	default:
		r.addReject(ruleSeeds, name, "the seeds are nobody's", found, want, "run again")
	}
	if runtime.MinDuration < officialMinimum {
		r.addReject(ruleDuration, name, "min_duration_ms is too short", strconv.FormatInt(runtime.MinDuration, 10),
			"at least "+strconv.Itoa(officialMinimum), "run again")
	}
	kind, load := "online", "poisson"
	switch r.scenario {
	case offlineScenario:
		kind, load = "offline", "max_throughput"
	case singleStreamScenario:
		load = "concurrency"
	}
	c := &e.Config
	if c.Type == "submission" && r.scenario == singleStreamScenario {
		// In Offline, the official checker uses Type as the scenario.
		c.Type = c.Mode
	}
	if c.Type != kind || c.Settings.Load.Type != load {
		r.addReject(ruleSettings, name, "the load is another scenario's", c.Type+", load_pattern "+c.Settings.Load.Type,
			kind+", "+load, "run "+r.scenario)
	}
	if users := c.Settings.Load.Concurrency; r.scenario == singleStreamScenario && users != 1 {
		r.addReject(ruleSettings, name, "more than one request at a time is possible",
			"target_concurrency "+strconv.Itoa(users), "1", "run again")
	}
}

const (
	offlineScenario      = "Offline"
	singleStreamScenario = "SingleStream"
)

// checkRoundSummary checks the number of samples and the latency limit, and sets the result.
func (r *resultFolder) checkRoundSummary(e *endpoints.Result) {
	name, s := path.Join(r.Results(), endpoints.SummaryFile), &e.Summary
	least := uint64(0)
	if r.scenario == offlineScenario {
		least = r.checker.rules.OfflineSamples(r.model)
	}
	if s.Completed != s.Issued || uint64(s.Issued) < least {
		r.addReject(ruleCounts, name, "samples are missing", fmt.Sprintf("%d issued, %d completed", s.Issued, s.Completed),
			fmt.Sprintf("at least %d, and all that were issued", max(least, 1)), "run again")
	}
	if limit := r.checker.rules.LatencyLimit(r.model, r.scenario); limit > 0 {
		got, want := s.Latency.Early["99.0"], "at most "+strconv.FormatInt(limit.Nanoseconds(), 10)
		switch {
		case got == nil:
			r.addReject(ruleLatency, name, "there is no early-stopping estimate of the 99th percentile", "nothing", want,
				"ask more samples: it takes 662")
		case *got > float64(limit):
			r.addReject(ruleLatency, name, "the latency is over the limit", shownNumber(got), want,
				"run again at a lower target_qps")
		}
	}
	if r.scenario == singleStreamScenario {
		r.checkSingleStream(e)
		return
	}
	result := s.QPS
	if r.scenario == offlineScenario && s.Duration != nil && *s.Duration > 0 {
		rate := float64(s.Issued) / (*s.Duration / 1e9) // the official checker's formula
		result = &rate
	}
	if result == nil || !(*result > 0) {
		r.addReject(ruleMetric, name, "there is no result", shownNumber(result), "qps above 0", "run again")
		return
	}
	r.metric, r.unit = *result, "Samples/s"
	if m, ok := r.checker.rules.Metric(r.model, r.scenario); ok {
		r.unit = m.Unit
	}
}

// checkSingleStream sets the mean latency as the result, like the official checker in this form.
func (r *resultFolder) checkSingleStream(e *endpoints.Result) {
	name, s := path.Join(r.Results(), endpoints.SummaryFile), &e.Summary
	if least := r.checker.rules.MinQueries(r.model, r.scenario); uint64(s.Issued) < least {
		r.addWarning(ruleCounts, name, "there are fewer queries than a run of LoadGen would have", strconv.Itoa(s.Issued),
			fmt.Sprintf("at least %d", least), "the official checker counts none in this form: ask the working group")
	}
	if s.Latency.Mean == nil || !(*s.Latency.Mean > 0) {
		r.addReject(ruleMetric, name, "there is no result", shownNumber(s.Latency.Mean), "latency.avg above 0", "run again")
		return
	}
	const nanoseconds = 1e9
	r.metric, r.unit = *s.Latency.Mean/nanoseconds, "Latency (s)"
}

// checkRoundAccuracy checks the accuracy against the round's target, like the official checker.
func (r *resultFolder) checkRoundAccuracy(e *endpoints.Result) {
	name := path.Join(r.Results(), endpoints.AccuracyFile)
	i := slices.IndexFunc(e.Accuracy.Scores, func(s endpoints.DatasetScore) bool { return s.Score != nil })
	if i < 0 {
		r.addReject(ruleAccuracy, name, "there is no accuracy", "", "a data set with a score", "run the accuracy part, too")
		return
	}
	samples := 0
	for _, s := range e.Accuracy.Scores {
		if cmp.Or(s.Type, "accuracy") == "accuracy" {
			samples += s.Samples
		}
	}
	want := r.checker.rules.AccuracySampleCount(r.model, r.scenario)
	if want > 0 && uint64(samples) != want && !r.checker.options.Skip.DatasetSize {
		r.addReject(ruleCounts, name, "the accuracy run is not over the whole data set", strconv.Itoa(samples),
			strconv.FormatUint(want, 10), "run it over the whole data set")
	}
	got := *e.Accuracy.Scores[i].Score
	if endpointsModels[r.model].videos && got <= 1 { // mean of VBench's dimensions, whose target is in percent
		r.addFinding(Note, ruleAccuracy, name, "the score is from 0 to 1, and read as percent here", shownNumber(&got), "",
			"nothing: the official checker compares no accuracy of this model in this form")
		got *= 100
	}
	for _, t := range r.checker.rules.Targets(r.model, r.scenario) {
		if r.isClosed() && !(got >= t.Value) {
			r.addReject(ruleAccuracy, name, "an accuracy is too low", shownNumber(&got),
				fmt.Sprintf("at least %.6f (%s)", t.Value, t.Metric), "take a better model")
		}
	}
}
