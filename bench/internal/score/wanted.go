package score

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
)

// Wanted contains the user's requirements on accuracy, in addition to or instead of the rules' targets.
type Wanted struct {
	Targets map[string]float64 // the minimum of a metric, in its unit
	Expect  string             // path of a file of expected answers; "": none
}

// Params returns the parameters of scoring: own, and the file of expected answers.
func (w Wanted) Params(own map[string]string) map[string]string {
	if w.Expect == "" {
		return own
	}
	all := maps.Clone(own)
	if all == nil {
		all = map[string]string{}
	}
	all[sdk.ExpectParam] = w.Expect
	return all
}

// Ask contains the user's flags for scoring one log or the accuracy runs of a plan.
type Ask struct {
	Targets []string // metric=value: the minimum, instead of the rules'
	Expect  string   // path of a file of expected answers; "": none
	// ScorerModels contains the models that the scorer runs, as PART=PATH. Files finds the files of a manifest.
	ScorerModels []string
	Files        flagtext.Finder
	Own          bool // the user named the data set
	Unscored     bool // no log is scored; only models of the scorer that the user names are located
}

// Read checks the requirements for a model and returns the files of the scorer's models by part. The error lists all
// faults.
func (a Ask) Read(model sdk.ModelInfo) (w Wanted, files map[string]string, err error) {
	w, fault := a.wantedOf(model)
	if !a.Unscored || len(a.ScorerModels) > 0 {
		files, err = flagtext.FindScorer(model, a.ScorerModels, a.Own, a.Files)
	}
	return w, files, exitcode.Join([]error{err, fault})
}

func (a Ask) wantedOf(model sdk.ModelInfo) (Wanted, error) {
	w := Wanted{Targets: map[string]float64{}}
	known := metricNames(model, a.Expect)
	texts, faults := readTargets(a.Targets, known)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		value, err := strconv.ParseFloat(texts[name], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			faults = append(faults, fmt.Errorf("--target %s=%s: want a number, in the metric's unit", name, texts[name]))
		}
		if len(known) > 0 && !slices.Contains(known, name) {
			faults = append(faults, fmt.Errorf("--target: %w", suggest.Unknown("metric", name, known)))
		}
		w.Targets[name] = value
	}
	if a.Expect == "" {
		return w, exitcode.OfRequest(faults)
	}
	if !slices.ContainsFunc(model.Params, func(p sdk.ParamInfo) bool { return p.Name == sdk.ExpectParam }) {
		faults = append([]error{
			fmt.Errorf("--expect: %s does not compare single answers; --target METRIC=VALUE judges its metric", model.Name),
		}, faults...)
	}
	path, err := flagtext.FilePath(a.Expect)
	if err != nil {
		faults = append([]error{sdk.Data(fmt.Errorf("--expect %s: %w", a.Expect, err))}, faults...)
	}
	w.Expect = path
	return w, exitcode.OfRequest(faults)
}

// readTargets parses the texts of --target. If a text is only a number, or has another sign between name and number,
// the fault suggests the correct form. The first of the known metrics is the one that the rules judge.
func readTargets(given, known []string) (texts map[string]string, faults []error) {
	var pairs []string
	for _, text := range given {
		if strings.Contains(text, "=") {
			pairs = append(pairs, text)
			continue
		}
		metric, number := "METRIC", "VALUE"
		if at := strings.IndexAny(text, "0123456789"); at >= 0 {
			number = strings.TrimRight(text[at:], " %")
		}
		if len(known) > 0 {
			metric = known[0]
		}
		for _, name := range known {
			if strings.HasPrefix(strings.ToLower(text), strings.ToLower(name)) {
				metric = name
			}
		}
		faults = append(faults, fmt.Errorf("--target %q: want METRIC=VALUE, such as %s=%s", text, metric, number))
	}
	texts, more := flagtext.ParsePairs("--target", pairs)
	return texts, append(faults, more...)
}

// metricNames returns the names of all metrics that a model documents.
func metricNames(model sdk.ModelInfo, expect string) []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, m := range model.Metrics {
		add(m.Name)
	}
	for _, f := range model.Files {
		for _, m := range f.Reference {
			add(m.Name)
		}
	}
	if expect != "" && len(names) > 0 {
		add(sdk.Agreement)
	}
	return names
}
