package main

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Facts contains the settings and accuracies of the runs in a round.
type Facts struct {
	Round      string
	Runs       map[factKey]*Counts  // VALID performance runs of results
	Audits     map[factKey]*Counts  // VALID performance runs of compliance tests
	Accuracies map[factKey]*Figures // figures in accuracy.txt
}

// factKey identifies a group of runs or figures that are counted together.
type factKey struct {
	Test     string `json:"test,omitempty"` // "TEST01", ...; empty: the result
	Model    string `json:"model"`          // name of its folder
	Scenario string `json:"scenario,omitempty"`
	Figure   string `json:"figure,omitempty"` // name that an accuracy script prints
}

func (k factKey) compare(l factKey) int {
	return cmp.Or(cmp.Compare(k.Test, l.Test), cmp.Compare(k.Model, l.Model), cmp.Compare(k.Scenario, l.Scenario),
		cmp.Compare(k.Figure, l.Figure))
}

// Counts contains the number of runs with each value of each setting.
type Counts struct {
	Runs     int               `json:"runs"`
	Settings map[string]Values `json:"settings"` // by name of the setting
}

// Values contains the number of runs by value: for the lowest value and the most frequent ones.
type Values map[string]int

// Figures contains numbers as printed.
type Figures struct {
	Texts  int      `json:"texts"`
	Lowest []string `json:"lowest"` // distinct figures, lowest first
	all    []string
}

// ruleSettings are the settings that rules determine. Submitters choose the others.
var ruleSettings = []string{
	"qsl_rng_seed", "sample_index_rng_seed", "schedule_rng_seed", "loadgen_version", "qsl_reported_total_count",
	"min_duration_ms", "min_query_count", "min_sample_count", "target_latency_ns", "target_latency_percentile",
	"samples_per_query", "target_qps", "performance_sample_count", "sample_concatenate_permutation",
	"use_token_latencies", "server_ttft_latency", "server_tpot_latency",
}

// auditSettings are the settings that configurations of compliance tests also determine.
var auditSettings = []string{
	"accuracy_log_rng_seed", "accuracy_log_probability", "accuracy_log_sampling_target", "performance_issue_unique",
	"performance_issue_same", "performance_issue_same_index", "qsl_rng_seed", "sample_index_rng_seed",
	"schedule_rng_seed",
}

// isRuleSetting reports whether the rules determine a setting in a scenario.
func isRuleSetting(name, scenario string) bool {
	switch name {
	case "target_qps":
		return scenario == "MultiStream"
	case "target_latency_ns":
		return scenario != "Offline" && scenario != "SingleStream"
	case "target_latency_percentile":
		return scenario != "Offline"
	case "samples_per_query":
		return scenario == "MultiStream"
	case "min_query_count":
		return scenario != "Offline" // Offline has only one query
	case "min_sample_count":
		return scenario == "Offline" // in other scenarios it follows from the number of queries
	}
	return true
}

func collectFacts(repository string) (*Facts, error) {
	o, err := openObjects(repository)
	if err != nil {
		return nil, err
	}
	f := &Facts{Runs: map[factKey]*Counts{}, Audits: map[factKey]*Counts{}, Accuracies: map[factKey]*Figures{}}
	for _, path := range slices.Sorted(maps.Keys(o.names)) {
		folder, is := strings.CutSuffix(path, "/mlperf_log_summary.txt")
		if !is {
			continue
		}
		if p, ok := placeOf(path); ok {
			if err := f.add(o, p, folder); err != nil {
				return nil, err
			}
		}
	}
	f.reduce()
	return f, o.close()
}

// reduce keeps the lowest and the most frequent values.
func (f *Facts) reduce() {
	for _, figures := range f.Accuracies {
		figures.sort()
	}
	for _, list := range []map[factKey]*Counts{f.Runs, f.Audits} {
		for _, counts := range list {
			for _, values := range counts.Settings {
				values.reduce()
			}
		}
	}
}

// maxValues is the maximum number of frequent values that are kept.
const maxValues = 5

func (v Values) reduce() {
	if len(v) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(v), func(a, b string) int {
		return cmp.Or(cmp.Compare(v[b], v[a]), cmp.Compare(a, b))
	})
	lowest := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(parseNumber(a), parseNumber(b)) })
	for i, name := range names {
		if i >= maxValues && name != lowest {
			delete(v, name)
		}
	}
}

// add counts the settings of a run, or the figures of an accuracy run.
func (f *Facts) add(o *gitObjects, p logPlace, folder string) error {
	if p.accuracy {
		text, ok, err := o.read(folder + "/accuracy.txt")
		if ok && p.audit == "" {
			f.addFigures(p.model, string(text))
		}
		return err
	}
	detail, _, err := o.read(folder + "/mlperf_log_detail.txt") // copies may lack the file, because it may be large
	if err != nil {
		return err
	}
	summary, _, err := o.read(folder + "/mlperf_log_summary.txt")
	if err != nil {
		return err
	}
	r := readRun(detail, summary)
	if !r.valid || r.mode != "PerformanceOnly" && r.mode != "Performance" {
		return nil
	}
	if p.interactive {
		r.scenario = "Interactive"
	}
	if k := (factKey{Test: p.audit, Model: p.model, Scenario: r.scenario}); p.audit == "" {
		countRun(f.Runs, k, r, ruleSettings)
	} else {
		countRun(f.Audits, k, r, auditSettings)
	}
	return nil
}

func countRun(into map[factKey]*Counts, k factKey, r loggedRun, names []string) {
	c := into[k]
	if c == nil {
		c = &Counts{Settings: map[string]Values{}}
		into[k] = c
	}
	c.Runs++
	for _, name := range names {
		value, ok := r.settings[name]
		if !ok || !isRuleSetting(name, r.scenario) {
			continue
		}
		if c.Settings[name] == nil {
			c.Settings[name] = Values{}
		}
		c.Settings[name][value]++
	}
}

// figureForm matches a name and a number in the output of accuracy scripts.
var figureForm = regexp.MustCompile(`\b(accuracy|mean-accuracy|mAP|BLEU|f1|AUC|mean|rouge1|rouge2|rougeL|rougeLsum|` +
	`gen_len|tokens_per_sample|CLIP_SCORE|FID_SCORE|gsm8k|mbxp|exact_match|Total|vbench_score)` +
	`["']?\s*[:=]\s*['"]?(\d+(?:\.\d+)?)`)

func (f *Facts) addFigures(model, text string) {
	last := map[string]string{}
	for _, m := range figureForm.FindAllStringSubmatch(text, -1) {
		last[m[1]] = m[2]
	}
	for name, value := range last {
		k := factKey{Model: model, Figure: name}
		of := f.Accuracies[k]
		if of == nil {
			of = &Figures{}
			f.Accuracies[k] = of
		}
		of.Texts++
		of.all = append(of.all, value)
	}
}

// maxLowest is the maximum number of figures that are kept.
const maxLowest = 4

func (f *Figures) sort() {
	slices.SortFunc(f.all, func(a, b string) int { return cmp.Compare(parseNumber(a), parseNumber(b)) })
	f.all = slices.Compact(f.all)
	f.Lowest = f.all[:min(len(f.all), maxLowest)]
}

func parseNumber(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64) // switches become 0
	return v
}
