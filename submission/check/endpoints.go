package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/jsonwords"
	"github.com/plumbline-ml/plumbline/serving/formats/unfold"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// endpointsResult is a result in the form of the endpoints harness, which has no logs of LoadGen.
type endpointsResult struct {
	config struct {
		Type  string `yaml:"type"`
		Mode  string `yaml:"benchmark_mode"` // of the type submission: the type that it stands for
		Model struct {
			Temperature *float64 `yaml:"temperature"`
			Seed        *float64 `yaml:"seed"`
		} `yaml:"model_params"`
		Settings struct {
			Runtime struct {
				MinDuration int64  `yaml:"min_duration_ms"`
				Schedule    uint64 `yaml:"scheduler_random_seed"`
				Data        uint64 `yaml:"dataloader_random_seed"`
			} `yaml:"runtime"`
			Load struct {
				Type        string `yaml:"type"`
				Concurrency int    `yaml:"target_concurrency"`
			} `yaml:"load_pattern"`
			Client struct {
				Workers     int `yaml:"num_workers"`
				Connections int `yaml:"max_connections"`
			} `yaml:"client"`
		} `yaml:"settings"`
	}
	summary struct {
		Issued    int      `json:"n_samples_issued"`
		Completed int      `json:"n_samples_completed"`
		Failed    int      `json:"n_samples_failed"`
		Complete  bool     `json:"complete"`
		Duration  *float64 `json:"duration_ns"`
		QPS       *float64 `json:"qps"`
		Latency   struct {
			Mean  *float64            `json:"avg"`
			Early map[string]*float64 `json:"early_stopping_percentiles"`
		} `json:"latency"`
	}
	accuracy struct {
		Scores []endpointsScore `json:"accuracy_scores"`
	}
	turns struct {
		Turns *struct{ Issued, Expected, Observed, Missing int } `json:"turns"`
	}
	caching struct {
		Test   string `json:"test"`
		Passed bool   `json:"passed"`
	}
}

// endpointsScore is the accuracy of a data set.
type endpointsScore struct {
	Dataset   string         `json:"dataset_name"`
	Type      string         `json:"dataset_type"`
	Score     *float64       `json:"score"`
	Samples   int            `json:"total_samples"`
	Breakdown map[string]any `json:"breakdown"`
}

// endpointsRules are what the endpoints harness's own ruleset wants of a model's replay. A model that is no replay has
// none: the round's rules judge it.
type endpointsRules struct {
	replay         bool
	videos         bool // its answers are videos, some of which are shown, and its audit is the harness's
	turns, samples int  // of the replay, and of the accuracy
	seed           uint64
	targets        []endpointsTarget
}

type endpointsTarget struct {
	metric string
	least  float64 // %
	text   string
}

// endpointsModels are the models whose results may have this form.
var endpointsModels = map[string]endpointsRules{
	"qwen3-vl-235b-a22b": {},
	"wan-2.2-t2v-a14b":   {videos: true},
	"qwen3.6-27b": {replay: true, turns: 1007, samples: 995, seed: 42, targets: []endpointsTarget{
		{"overall_accuracy", 0.97 * 86.23, "97 % of 86.23 %"},
		{"normalized_single_turn_score", 0.97 * 87.96, "97 % of 87.96 %"},
	}},
}

// Bounds of a configuration: how deep its values lie in each other, and how many it stands for.
const (
	deepestConfig = 50
	mostOfConfig  = 10_000
)

// readYAML reads a configuration that a stranger may have written.
func readYAML(text []byte, to any) error {
	if err := unfold.Check(text, deepestConfig, mostOfConfig); err != nil {
		return err
	}
	return yaml.Unmarshal(text, to)
}

// isEndpoints says that a result is in the form of the endpoints harness: it has its summary, and no log of LoadGen.
func (r *resultFolder) isEndpoints() bool {
	t := r.checker.tree
	_, known := endpointsModels[r.model]
	return known && t.HasFile(path.Join(r.Results(), tree.EndpointsSummary)) &&
		!t.HasFile(path.Join(r.Run(), tree.DetailLog))
}

// checkEndpoints holds a result in that form to the harness's own ruleset, and says what the official checker wants
// otherwise.
func (r *resultFolder) checkEndpoints() {
	var e endpointsResult
	read := func(name string, to any, parse func([]byte, any) error) bool {
		name = path.Join(r.Results(), name)
		if !r.checker.tree.HasFile(name) {
			r.reject(ruleFiles, name, "a file is missing", "", name, "file what the endpoints harness wrote")
			return false
		}
		text, err := r.checker.readBytes(name)
		if err == nil {
			err = parse(text, to)
		}
		if err != nil {
			r.reject(ruleLogFormat, name, "the file cannot be read", jsonwords.Fault("", err), "",
				"file it as the harness wrote it")
		}
		return err == nil
	}
	rules := endpointsModels[r.model]
	if read(tree.EndpointsConfig, &e.config, readYAML) {
		if rules.replay {
			r.checkEndpointsConfig(&e, rules)
		} else {
			r.checkRoundConfig(&e)
		}
	}
	if read(tree.EndpointsSummary, &e.summary, json.Unmarshal) {
		r.checkWhole(&e)
		if rules.replay {
			r.checkEndpointsSummary(&e, rules)
		} else {
			r.checkRoundSummary(&e)
		}
	}
	if read(tree.EndpointsAccuracy, &e.accuracy, json.Unmarshal) {
		if rules.replay {
			r.checkEndpointsAccuracy(&e, rules)
		} else {
			r.checkRoundAccuracy(&e)
		}
	}
	if rules.replay && read(tree.EndpointsScores, &e.turns, json.Unmarshal) {
		r.checkTurns(&e)
	}
	if rules.videos {
		r.checkShownFiles()
		if read(tree.EndpointsCaching, &e.caching, json.Unmarshal) {
			r.checkEndpointsCaching(&e)
		}
	}
	r.checkEndpointsFiles()
}

// checkEndpointsFiles wants no other files than those of the form.
func (r *resultFolder) checkEndpointsFiles() {
	for _, known := range []string{r.Results(), r.Run(), r.Place.Accuracy(), path.Dir(r.Run())} {
		for _, file := range r.checker.tree.Files(known) {
			if name := path.Join(known, file); !r.endpointsFile(name) {
				r.checker.stray(name, "the files of the endpoints harness")
			}
		}
	}
}

// cachingTest is what the endpoints harness calls TEST04.
const cachingTest = "output_caching_test"

// checkEndpointsCaching wants that audit to have passed.
func (r *resultFolder) checkEndpointsCaching(e *endpointsResult) {
	name := path.Join(r.Results(), tree.EndpointsCaching)
	if a := e.caching; a.Test != cachingTest || !a.Passed {
		r.reject(ruleAudit+"04", name, "the audit has not passed", fmt.Sprintf("%q, passed: %t", a.Test, a.Passed),
			cachingTest+", passed", "see what it says, mend that, and run the audit again")
	}
}

// checkTurns wants an answer of every turn of a replay.
func (r *resultFolder) checkTurns(e *endpointsResult) {
	if t := e.turns.Turns; t == nil || t.Missing != 0 || t.Observed != t.Expected {
		name := path.Join(r.Results(), tree.EndpointsScores)
		r.reject(ruleValidity, name, "turns are missing", fmt.Sprintf("%+v", t), "none", "run again until all are answered")
	}
}

// endpointsFile says whether a file is one of the form, or lies beside any result.
func (r *resultFolder) endpointsFile(name string) bool {
	below := strings.TrimPrefix(name, r.Results()+"/")
	return slices.Contains(tree.EndpointsFiles(endpointsModels[r.model].replay), below) ||
		slices.Contains([]string{tree.MeasurementFile, tree.UserConf, tree.Readme, tree.CalibrationFile}, below)
}

// checkEndpointsConfig wants what the ruleset locks, and says which seeds ran.
func (r *resultFolder) checkEndpointsConfig(e *endpointsResult, rules endpointsRules) {
	name := path.Join(r.Results(), tree.EndpointsConfig)
	c := &e.config
	if c.Model.Temperature == nil || *c.Model.Temperature != 0 {
		r.reject(ruleSettings, name, "tokens are drawn", shownNumber(c.Model.Temperature), "temperature 0", "run again")
	}
	one := c.Settings.Client.Workers == 1 && c.Settings.Client.Connections == 1 && c.Settings.Load.Concurrency == 1
	if !one {
		r.reject(ruleSettings, name, "more than one request at a time is possible",
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
		r.reject(ruleSeeds, name, "the seeds are nobody's", found, strconv.FormatUint(rules.seed, 10)+
			" by the endpoints harness's rules", "run again")
	case ours:
		r.warn(ruleSeeds, name, "the seeds are those of the endpoints harness's rules, and not the round's", found,
			fmt.Sprintf("dataloader %d, scheduler %d by the official checker", round.SampleIndex, round.Schedule),
			"ask the working group: no configuration satisfies both; the official checker refuses this one")
	default:
		r.warn(ruleSeeds, name, "the seeds are the round's, and not those of the endpoints harness's rules", found,
			strconv.FormatUint(rules.seed, 10)+" by the endpoints harness's rules",
			"ask the working group: no configuration satisfies both; the official checker takes this one")
	}
	if runtime.MinDuration < officialMinimum {
		r.warn(ruleDuration, name, "the official checker wants a longer min_duration_ms",
			strconv.FormatInt(runtime.MinDuration, 10), strconv.Itoa(officialMinimum),
			"the official configuration of the benchmark has 0, too: ask the working group")
	}
}

// officialMinimum is what the official checker wants of min_duration_ms.
const officialMinimum = 600_000

func shownNumber(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// checkWhole wants a run to its end, without failures.
func (r *resultFolder) checkWhole(e *endpointsResult) {
	name, s := path.Join(r.Results(), tree.EndpointsSummary), &e.summary
	if s.Failed != 0 || !s.Complete {
		r.reject(ruleValidity, name, "the run is not whole", fmt.Sprintf("%d failed, complete: %t", s.Failed, s.Complete),
			"no failure", "run again")
	}
}

// checkEndpointsSummary wants a whole replay.
func (r *resultFolder) checkEndpointsSummary(e *endpointsResult, rules endpointsRules) {
	name, s := path.Join(r.Results(), tree.EndpointsSummary), &e.summary
	if s.Issued != rules.turns || s.Completed != rules.turns {
		r.reject(ruleCounts, name, "it is not all turns", fmt.Sprintf("%d issued, %d completed", s.Issued, s.Completed),
			strconv.Itoa(rules.turns), "run on the official recording, whole; scores.json counts no turn that was not sent")
	}
	if s.Latency.Mean == nil || !(*s.Latency.Mean > 0) {
		r.reject(ruleMetric, name, "there is no result", shownNumber(s.Latency.Mean), "latency.avg above 0", "run again")
		return
	}
	r.metric, r.unit = *s.Latency.Mean/1e6, "Latency (ms)"
}

// checkEndpointsAccuracy judges by the targets of the ruleset: the official checker compares none in this form.
func (r *resultFolder) checkEndpointsAccuracy(e *endpointsResult, rules endpointsRules) {
	name := path.Join(r.Results(), tree.EndpointsAccuracy)
	i := slices.IndexFunc(e.accuracy.Scores, func(s endpointsScore) bool {
		return cmp.Or(s.Type, "accuracy") == "accuracy" && s.Breakdown != nil
	})
	if i < 0 {
		r.reject(ruleAccuracy, name, "there is no accuracy", "", "a data set with a breakdown", "run the accuracy part, too")
		return
	}
	of := e.accuracy.Scores[i]
	if of.Samples < rules.samples {
		r.reject(ruleAccuracy, name, "samples are missing", strconv.Itoa(of.Samples), strconv.Itoa(rules.samples),
			"run the accuracy part whole")
	}
	for _, t := range rules.targets {
		got, ok := of.Breakdown[t.metric].(float64)
		if !ok || got < t.least {
			add := r.reject
			if !r.closed() {
				add = r.warn
			}
			add(ruleAccuracy, name, "an accuracy is too low", t.metric+" "+fmt.Sprint(of.Breakdown[t.metric]),
				fmt.Sprintf("at least %.4f, %s", t.least, t.text),
				"take a better model; the official checker compares no accuracy of this form")
		}
	}
}
