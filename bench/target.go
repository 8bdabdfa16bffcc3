package bench

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Wanted is what the user wants of an accuracy, beside or in place of the rules' targets.
type Wanted struct {
	Targets map[string]float64 // the least value of a metric, in its unit
	Expect  string             // path of a file of expected answers; empty: none
}

// Params are the parameters of scoring: the benchmark's own, and the file of expected answers.
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

// readWanted reads METRIC=VALUE texts and the path of a file of expected answers, for a model. It names every fault.
func readWanted(model sdk.ModelInfo, targets []string, expect string) (Wanted, error) {
	w := Wanted{Targets: map[string]float64{}}
	var faults []error
	if expect != "" {
		path, err := regular(expect)
		if err != nil {
			faults = append(faults, sdk.Data(fmt.Errorf("--expect %s: %w", expect, err)))
		}
		w.Expect = path
		if !slices.ContainsFunc(model.Params, func(p sdk.ParamInfo) bool { return p.Name == sdk.ExpectParam }) {
			faults = append(faults,
				fmt.Errorf("--expect: %s does not compare single answers; --target METRIC=VALUE judges its metric", model.Name))
		}
	}
	texts, wrong := pairs("--target", targets)
	faults = append(faults, wrong...)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		value, err := strconv.ParseFloat(texts[name], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			faults = append(faults, fmt.Errorf("--target %s=%s: want a number, in the metric's unit", name, texts[name]))
		}
		if known := metrics(model, expect); len(known) > 0 && !slices.Contains(known, name) {
			faults = append(faults, fmt.Errorf("--target: %w", suggest.Unknown("metric", name, known)))
		}
		w.Targets[name] = value
	}
	return w, usage(faults)
}

// metrics are the names of all metrics that a model says it has.
func metrics(model sdk.ModelInfo, expect string) []string {
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

// chooseWanted reads what the user wants of the accuracy, of which there must be a run.
func (p *Plan) chooseWanted(r Request) (err error) {
	if len(r.Targets) == 0 && r.Expect == "" {
		return nil
	}
	if p.Wanted, err = readWanted(p.Served.Model, r.Targets, r.Expect); err != nil {
		return err
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, func(t PlannedRun) bool { return t.Mode == loadgen.AccuracyOnly }) {
		return errors.New("--target and --expect judge an accuracy, and no run of this plan measures one: leave --mode " +
			"out, or give --mode accuracy or submission")
	}
	return nil
}
