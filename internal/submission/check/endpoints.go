package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// endpointsRules contains the requirements of the endpoints harness's ruleset on a model's replay. For other models,
// the round's rules apply.
type endpointsRules struct {
	replay         bool
	videos         bool // answers are videos, some of which must be included, and the audit is the harness's
	turns, samples int  // numbers of turns in the replay, and of samples in the accuracy run
	seed           uint64
	targets        []endpointsTarget
}

type endpointsTarget struct {
	metric string
	least  float64 // minimum in percent
	text   string
}

// endpointsModels lists the models whose results can have the form of the endpoints harness.
var endpointsModels = map[string]endpointsRules{
	"qwen3-vl-235b-a22b": {},
	"wan-2.2-t2v-a14b":   {videos: true},
	"qwen3.6-27b": {replay: true, turns: 1007, samples: 995, seed: 42, targets: []endpointsTarget{
		{"overall_accuracy", 0.97 * 86.23, "97 % of 86.23 %"},
		{"normalized_single_turn_score", 0.97 * 87.96, "97 % of 87.96 %"},
	}},
}

// isEndpoints reports whether a result has the form of the endpoints harness: it contains that harness's summary and no
// log of LoadGen.
func (r *resultFolder) isEndpoints() bool {
	t := r.checker.tree
	_, known := endpointsModels[r.model]
	return known && t.HasFile(path.Join(r.Results(), endpoints.SummaryFile)) &&
		!t.HasFile(path.Join(r.Run(), tree.DetailLog))
}

// checkEndpoints checks a result in that form against the harness's ruleset. It notes where the official checker
// differs.
func (r *resultFolder) checkEndpoints() {
	var e endpoints.Result
	read := func(file string) bool {
		name := path.Join(r.Results(), file)
		if !r.checker.tree.HasFile(name) {
			r.addReject(ruleFiles, name, "a file is missing", "", name, "file what the endpoints harness wrote")
			return false
		}
		text, err := r.checker.readBytes(name)
		if err == nil {
			err = e.Parse(file, text)
		}
		if err != nil {
			r.addReject(ruleLogFormat, name, "the file cannot be read", bounded.ExplainJSONError("", err), "",
				"file it as the harness wrote it")
		}
		return err == nil
	}
	rules := endpointsModels[r.model]
	if read(endpoints.ConfigFile) {
		if rules.replay {
			r.checkEndpointsConfig(&e, rules)
		} else {
			r.checkRoundConfig(&e)
		}
	}
	if read(endpoints.SummaryFile) {
		r.checkWhole(&e)
		if rules.replay {
			r.checkEndpointsSummary(&e, rules)
		} else {
			r.checkRoundSummary(&e)
		}
	}
	if read(endpoints.AccuracyFile) {
		if rules.replay {
			r.checkEndpointsAccuracy(&e, rules)
		} else {
			r.checkRoundAccuracy(&e)
		}
	}
	if rules.replay && read(endpoints.ScoresFile) {
		r.checkTurns(&e)
	}
	if rules.videos {
		r.checkShownFiles()
		if read(endpoints.CachingFile) {
			r.checkEndpointsCaching(&e)
		}
	}
	r.checkEndpointsFiles()
}

// checkEndpointsFiles warns of files that do not belong to the form.
func (r *resultFolder) checkEndpointsFiles() {
	for _, known := range []string{r.Results(), r.Run(), r.Place.Accuracy(), path.Dir(r.Run())} {
		for _, file := range r.checker.tree.Files(known) {
			if name := path.Join(known, file); !r.endpointsFile(name) {
				r.checker.warnStray(name, "the files of the endpoints harness")
			}
		}
	}
}

// cachingTest is the endpoints harness's name of TEST04.
const cachingTest = "output_caching_test"

// checkEndpointsCaching checks that the audit passed.
func (r *resultFolder) checkEndpointsCaching(e *endpoints.Result) {
	name := path.Join(r.Results(), endpoints.CachingFile)
	if a := e.Caching; a.Test != cachingTest || !a.Passed {
		r.addReject(ruleAudit+"04", name, "the audit has not passed", fmt.Sprintf("%q, passed: %t", a.Test, a.Passed),
			cachingTest+", passed", "see what it says, mend that, and run the audit again")
	}
}

// checkTurns checks that every turn of a replay has an answer.
func (r *resultFolder) checkTurns(e *endpoints.Result) {
	if t := e.Turns.Turns; t == nil || t.Missing != 0 || t.Observed != t.Expected {
		name := path.Join(r.Results(), endpoints.ScoresFile)
		r.addReject(ruleValidity, name, "turns are missing", fmt.Sprintf("%+v", t), "none",
			"run again until all are answered")
	}
}

// endpointsFile reports whether a file belongs to the form or to every result.
func (r *resultFolder) endpointsFile(name string) bool {
	below := strings.TrimPrefix(name, r.Results()+"/")
	return slices.Contains(endpoints.ResultFiles(endpointsModels[r.model].replay), below) ||
		slices.Contains([]string{tree.MeasurementFile, tree.UserConf, tree.Readme, tree.CalibrationFile}, below)
}

// checkEndpointsConfig checks the settings that the ruleset fixes, and notes the seeds.
func (r *resultFolder) checkEndpointsConfig(e *endpoints.Result, rules endpointsRules) {
	name := path.Join(r.Results(), endpoints.ConfigFile)
	c := &e.Config
	if c.Model.Temperature == nil || *c.Model.Temperature != 0 {
		r.addReject(ruleSettings, name, "tokens are drawn", shownNumber(c.Model.Temperature), "temperature 0", "run again")
	}
	one := c.Settings.Client.Workers == 1 && c.Settings.Client.Connections == 1 && c.Settings.Load.Concurrency == 1
	if !one {
		r.addReject(ruleSettings, name, "more than one request at a time is possible",
			fmt.Sprintf("num_workers %d, max_connections %d, target_concurrency %d", c.Settings.Client.Workers,
				c.Settings.Client.Connections, c.Settings.Load.Concurrency), "1 of each", "run again")
	}
	runtime, round := c.Settings.Runtime, r.checker.rules.Seeds
	ours := c.Model.Seed != nil && *c.Model.Seed == float64(rules.seed) && runtime.Data == rules.seed
	theirs := runtime.Data == round.SampleIndex && runtime.Schedule == round.Schedule
	found := fmt.Sprintf("dataloader %d, scheduler %d", runtime.Data, runtime.Schedule)
	if c.Model.Seed != nil {
		found += ", model " + shownNumber(c.Model.Seed)
	}
	switch {
	case !ours && !theirs:
		r.addReject(ruleSeeds, name, "the seeds are nobody's", found, strconv.FormatUint(rules.seed, 10)+
			" by the endpoints harness's rules", "run again")
	case ours:
		r.addWarning(ruleSeeds, name, "the seeds are those of the endpoints harness's rules, and not the round's", found,
			fmt.Sprintf("dataloader %d, scheduler %d by the official checker", round.SampleIndex, round.Schedule),
			"ask the working group: no configuration satisfies both; the official checker refuses this one")
	default:
		r.addWarning(ruleSeeds, name, "the seeds are the round's, and not those of the endpoints harness's rules", found,
			strconv.FormatUint(rules.seed, 10)+" by the endpoints harness's rules",
			"ask the working group: no configuration satisfies both; the official checker takes this one")
	}
	if runtime.MinDuration < officialMinimum {
		r.addWarning(ruleDuration, name, "the official checker wants a longer min_duration_ms",
			strconv.FormatInt(runtime.MinDuration, 10), strconv.Itoa(officialMinimum),
			"the official configuration of the benchmark has 0, too: ask the working group")
	}
}

// officialMinimum is the official checker's minimum of min_duration_ms.
const officialMinimum = 600_000

func shownNumber(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// checkWhole checks that the run is complete and without failures.
func (r *resultFolder) checkWhole(e *endpoints.Result) {
	name, s := path.Join(r.Results(), endpoints.SummaryFile), &e.Summary
	if s.Failed != 0 || !s.Complete {
		r.addReject(ruleValidity, name, "the run is not whole", fmt.Sprintf("%d failed, complete: %t", s.Failed, s.Complete),
			"no failure", "run again")
	}
}

// checkEndpointsSummary checks that the replay covers all turns, and sets the result.
func (r *resultFolder) checkEndpointsSummary(e *endpoints.Result, rules endpointsRules) {
	name, s := path.Join(r.Results(), endpoints.SummaryFile), &e.Summary
	if s.Issued != rules.turns || s.Completed != rules.turns {
		r.addReject(ruleCounts, name, "it is not all turns", fmt.Sprintf("%d issued, %d completed", s.Issued, s.Completed),
			strconv.Itoa(rules.turns), "run on the official recording, whole; scores.json counts no turn that was not sent")
	}
	if s.Latency.Mean == nil || !(*s.Latency.Mean > 0) {
		r.addReject(ruleMetric, name, "there is no result", shownNumber(s.Latency.Mean), "latency.avg above 0", "run again")
		return
	}
	r.metric, r.unit = *s.Latency.Mean/1e6, "Latency (ms)"
}

// checkEndpointsAccuracy checks the accuracy against the ruleset's targets. The official checker compares no accuracy
// in this form.
func (r *resultFolder) checkEndpointsAccuracy(e *endpoints.Result, rules endpointsRules) {
	name := path.Join(r.Results(), endpoints.AccuracyFile)
	i := slices.IndexFunc(e.Accuracy.Scores, func(s endpoints.DatasetScore) bool {
		return cmp.Or(s.Type, "accuracy") == "accuracy" && s.Breakdown != nil
	})
	if i < 0 {
		r.addReject(ruleAccuracy, name, "there is no accuracy", "", "a data set with a breakdown",
			"run the accuracy part, too")
		return
	}
	of := e.Accuracy.Scores[i]
	if of.Samples < rules.samples {
		r.addReject(ruleAccuracy, name, "samples are missing", strconv.Itoa(of.Samples), strconv.Itoa(rules.samples),
			"run the accuracy part whole")
	}
	for _, t := range rules.targets {
		got, ok := of.Breakdown[t.metric].(float64)
		if !ok || got < t.least {
			add := r.addReject
			if !r.isClosed() {
				add = r.addWarning
			}
			add(ruleAccuracy, name, "an accuracy is too low", t.metric+" "+fmt.Sprint(of.Breakdown[t.metric]),
				fmt.Sprintf("at least %.4f, %s", t.least, t.text),
				"take a better model; the official checker compares no accuracy of this form")
		}
	}
}
