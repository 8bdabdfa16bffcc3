package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/internal/modelfiles"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// datasets are the paths of the data sets that some models have beside the one of Options.Dataset, which all runs open
// that have none of their own; empty: there is none.
type datasets struct{ accuracy, audit string }

// UseOf is what the plugin opens its data for, in a run: sdk.Options.Use.
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

// DatasetFor is the path of the data set that a use opens; empty: the plugin's own.
func (p *Plan) DatasetFor(use string) string { return p.pick(use, p.Options.Dataset, p.datasets) }

// pick is the one of several paths that is of a use.
func (p *Plan) pick(use, all string, own datasets) string {
	switch _, has := p.Served.Model.DatasetOf(use); {
	case !has:
		return all
	case use == sdk.UseAccuracy:
		return cmp.Or(own.accuracy, all)
	}
	return cmp.Or(own.audit, all)
}

// datasetFlag is the flag that names the data set of a use.
func datasetFlag(use string) string {
	switch use {
	case sdk.UsePerformance:
		return "--dataset"
	case sdk.UseAccuracy:
		return "--accuracy-dataset"
	}
	return "--audit-dataset"
}

// chooseDatasets finds the data sets that the user names.
func (p *Plan) chooseDatasets(r Request) []error {
	m := p.Served.Model
	find := func(flag, path string, to *string) (err error) {
		if path != "" {
			*to, err = modelfiles.Dataset(flag, path)
		}
		return sdk.Data(err)
	}
	faults := []error{
		find("--dataset", r.Data.Path, &p.Options.Dataset),
		find("--accuracy-dataset", r.Data.AccuracyPath, &p.datasets.accuracy),
		find("--audit-dataset", r.Data.AuditPath, &p.datasets.audit),
	}
	if _, own := m.DatasetOf(sdk.UseAccuracy); r.Data.AccuracyPath != "" && !own {
		faults = append(faults, fmt.Errorf("--accuracy-dataset: %s measures performance and accuracy on one data set: give "+
			"--dataset alone", m.Name))
	}
	if r.Data.AuditPath != "" && !audited(m) {
		faults = append(faults, fmt.Errorf("--audit-dataset: no compliance test of %s has a data set of its own", m.Name))
	}
	return faults
}

// audited says whether some compliance test of a model has a data set of its own.
func audited(m sdk.ModelInfo) bool {
	return slices.ContainsFunc(m.Datasets, func(d sdk.DatasetInfo) bool {
		return d.Use != sdk.UsePerformance && d.Use != sdk.UseAccuracy
	})
}

// checkDatasets wants of runs that open different data sets none that are the plugin's own beside those of the user.
func (p *Plan) checkDatasets(r Request) error {
	var faults []error
	told := map[string]bool{}
	fault := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !told[text] {
			told[text] = true
			faults = append(faults, errors.New(text))
		}
	}
	given := datasets{r.Data.AccuracyPath, r.Data.AuditPath}
	others := r.Data.Path != "" || given != datasets{}
	for _, run := range p.Runs {
		use := p.UseOf(run)
		own, has := p.Served.Model.DatasetOf(use)
		switch {
		case use == run.Test && has && r.Data.Path != "" && r.Data.AuditPath == "":
			fault("%s of %s has a data set of its own, %s of %d samples: name it with --audit-dataset", use,
				p.Served.Model.Name, own.Name, own.Samples)
		case others && p.pick(use, r.Data.Path, given) == "":
			fault("the %s run would have the plugin's own data, beside data sets of yours: name one with %s", run.ModeName(),
				datasetFlag(use))
		}
	}
	return errors.Join(faults...)
}

// CheckSamples holds what was opened for an official run to the size of the data set that its use alone has: another
// one is hardly that. Where --official asks for the run, it does so of each set that is to be whole.
func (p *Plan) CheckSamples(r Run, opened sdk.WorkloadInfo) error {
	use := p.UseOf(r)
	want, sized := p.sized(use)
	if !sized || opened.DatasetSize == want.Samples {
		return nil
	}
	path := p.DatasetFor(use)
	otherwise := ""
	if want.Whole {
		otherwise = ", or leave --official out, or run with --division open"
	}
	return sdk.Usage(fmt.Errorf("%s has %d samples, and the %s run of %s wants the %d of %s: name it with %s%s", path,
		opened.DatasetSize, cmp.Or(r.Test, r.ModeName()), p.Served.Model.Name, want.Samples, want.Name, datasetFlag(want.Use),
		otherwise))
}

// sized is the data set of a use that an official run is held to; ok is false where it is held to none.
func (p *Plan) sized(use string) (want sdk.DatasetInfo, ok bool) {
	want, has := p.Served.Model.DatasetOf(use)
	if !has && p.Request.Rules.Official {
		all := p.Served.Model.DatasetsFor(use, false)
		if i := slices.IndexFunc(all, func(d sdk.DatasetInfo) bool { return d.Whole }); i >= 0 {
			want, has = all[i], true
		}
	}
	return want, has && p.DatasetFor(use) != "" && p.Options.Count == 0 && p.Profile == settings.Official &&
		p.Division != division.Open
}

// SizedLater are runs, one for each use, whose own data sets CheckSamples holds to a size, and which a run does not
// open.
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
