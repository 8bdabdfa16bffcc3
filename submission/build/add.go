package build

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/report"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// AddOptions say what runs are taken for.
type AddOptions struct {
	System    string // empty: the only one that there is
	Benchmark string // the name of the folder; empty: the rules' name of the model
	// AllowRehearsal takes runs of this project's LoadGen, AllowSmoke those of shorter durations or other settings than
	// the rules', AllowEmbedded those of a plugin's own model or data. They are marked: no check accepts them.
	AllowRehearsal, AllowSmoke, AllowEmbedded bool
	Replace                                   bool // the run that has the place of a new one goes
	Now                                       time.Time
}

// Added is what became of folders.
type Added struct {
	Results []Result // that are new
	Skipped []string // runs that are none of a submission, and why
}

// Add takes the runs of output directories in. Either all are taken or, with every fault said, none.
func (w *Workspace) Add(folders []string, o AddOptions) (*Added, error) {
	name, err := w.chooseSystem(o.System)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(w.Systems(), name) {
		return nil, fmt.Errorf("system %s has no description; make one with harness submission init --system %s", name, name)
	}
	o.System = name
	a := &adding{workspace: w, options: o, results: slices.Clone(w.Results), done: &Added{}}
	for _, folder := range folders {
		a.folder(folder)
	}
	for _, r := range a.reserved {
		a.faults = append(a.faults, r.err())
	}
	if err := errors.Join(a.faults...); err != nil {
		return nil, err
	}
	if len(a.done.Results) == 0 {
		return nil, fmt.Errorf("%s: %w for a submission: %s", strings.Join(folders, ", "), ErrNoRun,
			strings.Join(a.done.Skipped, "; "))
	}
	w.Results = a.results
	known := map[string]string{"framework": a.framework}
	completed := &Initialized{Workspace: w}
	return a.done, errors.Join(w.save(), completed.complete(w.systemFile(name), w.systemFields(), known))
}

// adding is an Add under way.
type adding struct {
	workspace *Workspace
	options   AddOptions
	results   []Result
	done      *Added
	faults    []error
	reserved  []reservation
	framework string // what ran the models
}

func (a *adding) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Errorf(format, args...))
}

func (a *adding) folder(folder string) {
	out, err := readOutputs(folder)
	if err != nil {
		a.faults = append(a.faults, err)
		return
	}
	for _, run := range out.runs {
		switch {
		case run.Test != "" && !slices.Contains(tree.AuditTests(), run.Test):
			a.done.Skipped = append(a.done.Skipped, fmt.Sprintf("%s/%s is of %s, which has no place in a tree", run.Model,
				run.Scenario, run.Test))
		case run.Mode == bench.ModePerformance, run.Mode == bench.ModeAccuracy:
			a.run(out.root, run)
		case run.Mode == bench.ModeRanging: // goes with the performance run that it came before
		default:
			a.done.Skipped = append(a.done.Skipped, fmt.Sprintf("%s/%s is of mode %s", run.Model, run.Scenario, run.Mode))
		}
	}
}

// run takes one run.
func (a *adding) run(root string, run report.Run) {
	where := filepath.Join(root, filepath.FromSlash(run.Dir))
	if run.Status != report.Complete {
		a.fault("%s: the run is %s; run it again", where, run.Status)
		return
	}
	log := logPath(root, run.Dir)
	sum, _, err := checksum.File(log)
	if err != nil {
		a.fault("the log of a run: %w", err)
		return
	}
	round, err := mlconf.Round(run.Rules)
	if err != nil {
		a.fault("%s: %w", where, err)
		return
	}
	r := Result{
		System: a.options.System, Benchmark: a.benchmark(round, run), Scenario: scenarioOf(run), Test: run.Test,
		Mode: run.Mode, Model: run.Model, Rules: round.Name, Out: root, Dir: run.Dir, Log: sum,
		Added: a.options.Now.UTC().Format(time.RFC3339),
	}
	before := len(a.faults)
	a.judge(r, run)
	a.name(round, r, run)
	a.place(&r)
	if r.Marks = a.marks(run, log); len(a.faults) > before {
		return
	}
	if run.Workload != nil {
		a.framework = run.Workload.BackendInfo["version"]
	}
	a.results = append(a.results, r)
	a.done.Results = append(a.done.Results, r)
}

// benchmark is the name of the run's folder.
func (a *adding) benchmark(round *mlconf.Rules, run report.Run) string {
	if a.options.Benchmark != "" {
		return a.options.Benchmark
	}
	return rulesModel(round, run)
}

// rulesModel is the rules' name of a run's model.
func rulesModel(round *mlconf.Rules, run report.Run) string {
	if run.RulesKey != "" {
		return round.Canonical(run.RulesKey)
	}
	return round.Canonical(run.Model)
}

// scenarioOf is the name of a run's scenario folder: Interactive runs are Server runs with limits of their own.
func scenarioOf(run report.Run) string {
	if run.Scenario == "Server" && strings.HasSuffix(run.LoadGenKey, "-interactive") {
		return "Interactive"
	}
	return run.Scenario
}

// judge refuses what is no result of this submission, whatever is allowed.
func (a *adding) judge(r Result, run report.Run) {
	if rules := a.rules(); rules != "" && rules != r.Rules {
		a.fault("%v: a run of rules %s, and the submission's are of %s; a tree has runs of one round", r, r.Rules, rules)
	}
	if p := run.Performance; p != nil && !p.Valid && run.Test == "" {
		a.fault("%v: INVALID: %s", r, reasons(run))
	}
	if division := a.workspace.Division; division != tree.DivisionOpen {
		if run.Division != "" && run.Division != division {
			a.fault("%v: a run of the %s division, and the submission is of the %s division: %s", r, run.Division, division,
				strings.Join(run.DivisionReasons, "; "))
		}
		if run.Accuracy != nil && !run.Accuracy.OK() {
			a.fault("%v: the accuracy is %s", r, run.Verdict)
		}
	}
}

func (a *adding) rules() string {
	if len(a.results) == 0 {
		return ""
	}
	return a.results[0].Rules
}

// reasons are why a run is INVALID.
func reasons(run report.Run) string {
	var list []string
	for _, r := range run.Reasons {
		list = append(list, fmt.Sprintf("%s %s, needed: %s", r.Rule, r.Measured, r.Needed))
	}
	return strings.Join(list, "; ")
}

// name wants a folder's name that the division allows for the run's model.
func (a *adding) name(round *mlconf.Rules, r Result, run report.Run) {
	if err := CheckName("benchmark", r.Benchmark); err != nil {
		a.faults = append(a.faults, err)
		return
	}
	if a.workspace.Division == tree.DivisionOpen {
		return
	}
	model := rulesModel(round, run)
	switch folder := round.Canonical(r.Benchmark); {
	case !round.Has(folder):
		a.fault("%v: rules %s have no benchmark %s; they have %s", r, round.Name, folder, strings.Join(round.Models(), ", "))
	case family(folder) != family(model):
		a.fault("%v: a run of %s, whose benchmark is %s", r, run.Model, model)
	}
}

// family is a benchmark's name without the share of the reference accuracy: bert of bert-99.9.
func family(benchmark string) string {
	for _, share := range []string{"-99.9", "-99", "-95"} {
		if name, ok := strings.CutSuffix(benchmark, share); ok {
			return name
		}
	}
	return benchmark
}

// place finds whether a run, or another in its place, is there already.
func (a *adding) place(r *Result) {
	for i := 0; i < len(a.results); i++ {
		o := a.results[i]
		switch {
		case a.options.Replace && !a.isNew(o) && (o.same(*r) || o.Log == r.Log && o.Out == r.Out):
			a.results = slices.Delete(a.results, i, i+1)
			i--
		case o.Log == r.Log && o.Out == r.Out:
			a.fault("%v: %s was added already; take it in anew with --replace", *r,
				filepath.Join(r.Out, filepath.FromSlash(r.Dir)))
			return
		case o.Log == r.Log:
			a.fault("%v: the logs in %s are those that were added from %s as %v", *r, r.Out, o.Out, o)
			return
		case o.same(*r):
			a.fault("%v: there is one from %s; put this in its place with --replace", *r, o.Out)
			return
		}
	}
}

// isNew says whether a run was taken in just now.
func (a *adding) isNew(r Result) bool {
	return slices.ContainsFunc(a.done.Results, func(n Result) bool { return n.Log == r.Log && n.Out == r.Out })
}
