package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
	"github.com/plumbline-ml/plumbline/bench/internal/score"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// Data contains the data set of a model and the criteria for its accuracy.
type Data struct {
	Path string `flag:"dataset"` // of a data set; "": the plugin's own
	// AccuracyPath and AuditPath name separate data sets of accuracy runs and compliance tests, for models that have them
	// (sdk.DatasetInfo.Use). Empty means Path.
	AccuracyPath string `flag:"accuracy-dataset"`
	AuditPath    string `flag:"audit-dataset"`
	Count        int    `flag:"count,positive"`
	CountAtMost  bool   // if the data set has fewer samples than Count, all run

	Targets []string `flag:"target"` // metric=value: the minimum that an accuracy run must reach
	Expect  string   `flag:"expect"` // path of a file of expected answers; "": none
	// ScorerModels contains the models of the scorer, if it runs any, as PART=PATH. Missing parts use embedded models.
	ScorerModels []string `flag:"scorer-model"`
}

// datasets contains the paths of separate data sets of some models. Other runs open Options.Dataset. An empty path
// means that there is no separate data set.
type datasets struct{ accuracy, audit string }

// resolve finds the data sets that the user names and reads the criteria for the accuracy. The runs must have been
// chosen. datasets contains the faults of the data sets, scoring that of the criteria, and runs that of data sets that
// do not fit the runs.
func (d Data) resolve(p *Plan, files Files) (datasets []error, scoring, runs error) {
	datasets = d.findDatasets(p)
	return datasets, d.resolveScoring(p, files), p.checkDatasets(d)
}

// findDatasets finds the data sets that the user names.
func (d Data) findDatasets(p *Plan) []error {
	p.Options.Count, p.Options.CountAtMost = d.Count, d.CountAtMost && d.Count > 0
	m := p.Served.Model
	find := func(flag, path string, to *string) (err error) {
		if path != "" {
			*to, err = flagtext.DatasetPath(flag, path)
		}
		return sdk.Data(err)
	}
	faults := []error{
		find("--dataset", d.Path, &p.Options.Dataset),
		find("--accuracy-dataset", d.AccuracyPath, &p.datasets.accuracy),
		find("--audit-dataset", d.AuditPath, &p.datasets.audit),
	}
	if _, own := m.DatasetOf(sdk.UseAccuracy); d.AccuracyPath != "" && !own {
		faults = append(faults, fmt.Errorf("--accuracy-dataset: %s measures performance and accuracy on one data set: give "+
			"--dataset alone", m.Name))
	}
	if d.AuditPath != "" && !audited(m) {
		faults = append(faults, fmt.Errorf("--audit-dataset: no compliance test of %s has a data set of its own", m.Name))
	}
	return faults
}

// audited reports whether a compliance test of a model has its own data set.
func audited(m sdk.ModelInfo) bool {
	return slices.ContainsFunc(m.Datasets, func(d sdk.DatasetInfo) bool {
		return d.Use != sdk.UsePerformance && d.Use != sdk.UseAccuracy
	})
}

// checkDatasets checks that the user names all data sets that the runs open, or none. A data set of the plugin must not
// be mixed with the user's.
func (p *Plan) checkDatasets(d Data) error {
	var faults []error
	told := map[string]bool{}
	fault := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !told[text] {
			told[text] = true
			faults = append(faults, errors.New(text))
		}
	}
	given := datasets{d.AccuracyPath, d.AuditPath}
	others := d.Path != "" || given != datasets{}
	for _, run := range p.Runs {
		use := p.UseOf(run)
		own, has := p.Served.Model.DatasetOf(use)
		switch {
		case use == run.Test && has && d.Path != "" && d.AuditPath == "":
			fault("%s of %s has a data set of its own, %s of %d samples: name it with --audit-dataset", use,
				p.Served.Model.Name, own.Name, own.Samples)
		case others && p.pick(use, d.Path, given) == "":
			fault("the %s run would have the plugin's own data, beside data sets of yours: name one with %s", run.ModeName(),
				datasetFlag(use))
		}
	}
	return errors.Join(faults...)
}

// UseOf returns the purpose for which the plugin opens its data in a run: sdk.Options.Use.
func (p *Plan) UseOf(r Run) string {
	if r.Mode == loadgen.AccuracyOnly {
		return sdk.UseAccuracy
	}
	for _, d := range p.Served.Model.Datasets {
		if r.Test != "" && d.Use == r.Test {
			return r.Test
		}
	}
	return sdk.UsePerformance
}

// DatasetPath returns the path of the data set that a use opens, or "" for the plugin's own.
func (p *Plan) DatasetPath(use string) string { return p.pick(use, p.Options.Dataset, p.datasets) }

// pick returns the path for a use.
func (p *Plan) pick(use, all string, own datasets) string {
	switch _, has := p.Served.Model.DatasetOf(use); {
	case !has:
		return all
	case use == sdk.UseAccuracy:
		return cmp.Or(own.accuracy, all)
	}
	return cmp.Or(own.audit, all)
}

// datasetFlag returns the flag that names the data set of a use.
func datasetFlag(use string) string {
	switch use {
	case sdk.UsePerformance:
		return "--dataset"
	case sdk.UseAccuracy:
		return "--accuracy-dataset"
	}
	return "--audit-dataset"
}

// CheckSamples checks that the data set opened for an official run has the size that its use requires. With --official,
// it checks each data set that must be complete.
func (p *Plan) CheckSamples(r Run, opened sdk.WorkloadInfo) error {
	use := p.UseOf(r)
	want, sized := p.sized(use)
	if !sized || opened.DatasetSize == want.Samples {
		return nil
	}
	path := p.DatasetPath(use)
	otherwise := ""
	if want.Whole {
		otherwise = ", or leave --official out, or run with --division open"
	}
	return sdk.Usage(fmt.Errorf("%s has %d samples, and the %s run of %s wants the %d of %s: name it with %s%s", path,
		opened.DatasetSize, cmp.Or(r.Test, r.ModeName()), p.Served.Model.Name, want.Samples, want.Name, datasetFlag(want.Use),
		otherwise))
}

// sized returns the data set whose size a use must match. ok is false if the size is not checked.
func (p *Plan) sized(use string) (want sdk.DatasetInfo, ok bool) {
	want, has := p.Served.Model.DatasetOf(use)
	if !has && p.Request.Rules.Official {
		all := p.Served.Model.DatasetsFor(use, false)
		if i := slices.IndexFunc(all, func(d sdk.DatasetInfo) bool { return d.Whole }); i >= 0 {
			want, has = all[i], true
		}
	}
	return want, has && p.DatasetPath(use) != "" && p.Options.Count == 0 && p.Profile == settings.Official &&
		p.Division != division.Open
}

// SizedLater returns one run for each use whose separate data set has a size that CheckSamples checks, except the use
// of the run now.
func (p *Plan) SizedLater(now Run) []Run {
	var all []Run
	seen := map[string]bool{p.UseOf(now): true}
	for _, r := range p.Runs {
		use := p.UseOf(r)
		if want, ok := p.sized(use); ok && want.Use != "" && !seen[use] {
			all = append(all, r)
		}
		seen[use] = true
	}
	return all
}

// Wanted contains the user's requirements on accuracy, in addition to or instead of the rules' targets.
type Wanted = score.Wanted

// resolveScoring reads the user's requirements on accuracy, which need an accuracy run. It finds the scorer's models if
// a log is scored or the user names some.
func (d Data) resolveScoring(p *Plan, files Files) (err error) {
	scored := slices.ContainsFunc(p.Runs, func(t Run) bool { return t.Mode == loadgen.AccuracyOnly })
	p.Wanted, p.ScorerFiles, err = score.Ask{
		Targets: d.Targets, Expect: d.Expect, ScorerModels: d.ScorerModels, Files: files,
		Own: p.DatasetPath(sdk.UseAccuracy) != "", Unscored: !scored,
	}.Read(p.Served.Model)
	if err == nil && !scored && len(p.Runs) > 0 && (len(d.Targets) > 0 || d.Expect != "") {
		err = errors.New("--target and --expect judge an accuracy, and no run of this plan measures one: leave --mode " +
			"out, or give --mode accuracy or submission")
	}
	return err
}

// Scoring returns how to score the logs of the plan's accuracy runs.
func (p *Plan) Scoring() score.Scoring {
	return score.Scoring{
		Model: p.Served.Model, Dataset: p.DatasetPath(sdk.UseAccuracy), Count: p.Options.Count, AtMost: p.Options.CountAtMost,
		Params: p.Options.Params, Rules: p.Rules, Wanted: p.Wanted, Files: p.ScorerFiles,
		Progress: p.Request.Output.Watch.Scoring,
	}
}
