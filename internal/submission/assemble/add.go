package assemble

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// AddOptions contains the options for adding runs.
type AddOptions struct {
	System        string   // empty: the workspace's only system
	Division      string   // empty: the system's division
	Benchmark     string   // name of the benchmark's folder; empty: the rules' name of the model
	OnlyScenarios []string // take only runs of these scenarios; empty: all
	// Rehearsal also takes runs that cannot be submitted (see marks.go). They are marked, and no check accepts them.
	Rehearsal bool
	Replace   bool // replace an earlier run in the same place
	Now       time.Time
}

// Added is the result of adding folders.
type Added struct {
	Results []Result // new results
	Skipped []string // runs that do not belong to this submission, with reasons
}

// Add adds the runs of output directories to the workspace. If there is any fault, it adds none and returns all faults.
func (w *Workspace) Add(folders []string, o AddOptions) (*Added, error) {
	name, err := w.chooseSystem(o.System)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(w.Systems(), name) {
		return nil, fmt.Errorf("system %s has no description; make one with harness submission init --system %s", name, name)
	}
	if o.System = name; o.Division == "" {
		o.Division = w.systemGoal(name).Division
	}
	o.OnlyScenarios, err = folderScenarios(o.OnlyScenarios)
	if err := errors.Join(err, checkDivision(o.Division)); err != nil {
		return nil, err
	}
	a := &addRequest{workspace: w, options: o, results: slices.Clone(w.Results), result: &Added{}}
	for _, folder := range folders {
		a.addFolder(folder)
	}
	for _, r := range a.unsubmittable {
		a.faults = append(a.faults, r.err())
	}
	if err := errors.Join(dedupeErrors(a.faults)...); err != nil {
		return nil, err
	}
	if len(a.result.Results) == 0 {
		return nil, fmt.Errorf("%s: %w for a submission: %s", strings.Join(folders, ", "), ErrNoRun,
			strings.Join(a.result.Skipped, "; "))
	}
	w.Results = a.results
	return a.result, errors.Join(w.saveFile(), a.completeSheets())
}

// completeSheets adds what the runs report to the description of the system, and creates the files for what they do not
// report.
func (a *addRequest) completeSheets() error {
	w, name := a.workspace, a.options.System
	known := map[string]string{"framework": a.framework, system.IsNetwork: "true"}
	completed := &Initialized{Workspace: w}
	err := completed.completeSheet(w.systemFile(name), systemFields(w.isNetworked(name)), known)
	return errors.Join(err, w.writeOpenMeasurements())
}

// folderScenarios converts names of scenarios to the names of their folders.
func folderScenarios(names []string) ([]string, error) {
	var all []string
	for _, name := range names {
		i := slices.IndexFunc(tree.Scenarios(), func(s string) bool { return strings.EqualFold(s, name) })
		if i < 0 {
			return nil, fmt.Errorf("the scenario %q: want some of %s", name, strings.Join(tree.Scenarios(), ", "))
		}
		all = append(all, tree.Scenarios()[i])
	}
	return all, nil
}

// dedupeErrors removes errors with the same text as an earlier one.
func dedupeErrors(faults []error) []error {
	said := map[string]bool{}
	return slices.DeleteFunc(faults, func(err error) bool {
		text := err.Error()
		defer func() { said[text] = true }()
		return said[text]
	})
}

// addRequest is the state of an Add.
type addRequest struct {
	workspace     *Workspace
	options       AddOptions
	results       []Result
	result        *Added
	faults        []error
	unsubmittable []unsubmittable
	framework     string // framework that ran the models
}

func (a *addRequest) addFaultf(format string, args ...any) {
	a.faults = append(a.faults, fmt.Errorf(format, args...))
}

func (a *addRequest) addFolder(folder string) {
	outs, err := readOutputs(folder)
	if err != nil {
		a.faults = append(a.faults, err)
		return
	}
	for _, out := range outs {
		for _, run := range out.runs {
			a.takeRun(out.root, run)
		}
	}
}

// noteSkipped records a run that is not taken.
func (a *addRequest) noteSkipped(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.result.Skipped, text) {
		a.result.Skipped = append(a.result.Skipped, text)
	}
}

// takeRun takes a run if it belongs to this submission.
func (a *addRequest) takeRun(root string, run record.Run) {
	round, err := mlconf.Round(run.Rules)
	if err != nil {
		a.addFaultf("%s: %w", filepath.Join(root, filepath.FromSlash(run.Dir)), err)
		return
	}
	scenario := mlconf.ScenarioOf(run.Scenario, run.LoadGenKey)
	kind, folder := a.workspace.systemGoal(a.options.System).SystemType, round.Canonical(a.benchmarkFolder(round, run))
	switch {
	case run.Test != "" && !slices.Contains(tree.AuditTests(), run.Test):
		a.noteSkipped("%s/%s is of %s, which has no place in a tree", run.Model, scenario, run.Test)
	case run.Mode == bench.ModeRanging: // ranging is part of the performance run that follows it
	case run.Serving != nil && run.Serving.Replay == nil:
		a.noteSkipped("%s, a run of mode %s: a submission has runs that LoadGen drove, and this one says %q", run.Model,
			run.Mode,
			run.Serving.Label)
	case run.Mode != bench.ModePerformance && run.Mode != bench.ModeAccuracy && run.Serving == nil:
		a.noteSkipped("%s/%s is of mode %s", run.Model, scenario, run.Mode)
	case len(a.options.OnlyScenarios) > 0 && !slices.Contains(a.options.OnlyScenarios, scenario):
		a.noteSkipped("%s/%s: only %s was asked for", run.Model, scenario, strings.Join(a.options.OnlyScenarios, ", "))
	case unfitReason(round, folder, scenario, a.options.Division, kind) != "":
		a.noteSkipped("%s/%s: %s", run.Model, scenario, unfitReason(round, folder, scenario, a.options.Division, kind))
	default:
		a.addRun(root, round, run)
	}
}

// unfitReason returns the reason why a system cannot have results of a benchmark in a scenario. It returns an empty
// string if it can, and also if the benchmark itself is unknown.
func unfitReason(round *mlconf.Rules, benchmark, scenario, division string, kind mlconf.SystemType) string {
	has := round.Scenarios(benchmark, kind)
	if division == tree.DivisionOpen || len(has) == 0 || slices.Contains(has, scenario) {
		return ""
	}
	return fmt.Sprintf("rules %s have none of %s for systems of type %s", round.Name, benchmark, kind)
}

// addRun adds one run.
func (a *addRequest) addRun(root string, round *mlconf.Rules, run record.Run) {
	where := filepath.Join(root, filepath.FromSlash(run.Dir))
	if run.Status != record.Complete {
		if run.Status == record.NotRun {
			a.addFaultf("%s: the run was not made; make it", where)
			return
		}
		a.addFaultf("%s: the run is %s; run it again", where, run.Status)
		return
	}
	log := identifyingLog(root, run.Dir, run.Mode)
	sum, _, err := checksum.File(log)
	if err != nil {
		a.addFaultf("the log of a run: %w", err)
		return
	}
	r := Result{
		Division: a.options.Division, System: a.options.System, Benchmark: a.benchmarkFolder(round, run),
		Scenario: mlconf.ScenarioOf(run.Scenario, run.LoadGenKey), Test: run.Test,
		Mode: run.Mode, Model: run.Model, Rules: round.Name, Out: root, Dir: run.Dir, Log: sum,
		Added: a.options.Now.UTC().Format(time.RFC3339),
	}
	before := len(a.faults)
	if rules := a.rulesVersion(); rules != "" && rules != r.Rules {
		a.addFaultf("%v: a run of rules %s, and the submission's are of %s; a tree has runs of one round", r, r.Rules, rules)
	}
	a.checkResultName(round, r, run)
	a.checkPlace(&r)
	if r.Marks = a.findMarks(r, run, log); len(a.faults) > before {
		return
	}
	if run.Workload != nil {
		a.framework = run.Workload.BackendInfo["version"]
	}
	a.results = append(a.results, r)
	a.result.Results = append(a.result.Results, r)
}

// benchmarkFolder returns the name of the run's benchmark folder.
func (a *addRequest) benchmarkFolder(round *mlconf.Rules, run record.Run) string {
	if a.options.Benchmark != "" {
		return a.options.Benchmark
	}
	return rulesModel(round, run)
}

// rulesModel returns the rules' name of a run's model.
func rulesModel(round *mlconf.Rules, run record.Run) string {
	if run.RulesKey != "" {
		return round.Canonical(run.RulesKey)
	}
	return round.Canonical(run.Model)
}

func (a *addRequest) rulesVersion() string {
	if len(a.results) == 0 {
		return ""
	}
	return a.results[0].Rules
}

// checkResultName reports a fault if the division does not allow the folder's name for the run's model.
func (a *addRequest) checkResultName(round *mlconf.Rules, r Result, run record.Run) {
	if err := CheckName("benchmark", r.Benchmark); err != nil {
		a.faults = append(a.faults, err)
		return
	}
	if r.Division == tree.DivisionOpen {
		return
	}
	model, kind := rulesModel(round, run), a.workspace.systemGoal(r.System).SystemType
	switch folder := round.Canonical(r.Benchmark); {
	case !round.Has(folder):
		a.addFaultf("%v: rules %s have no benchmark %s; they have %s", r, round.Name, folder, strings.Join(round.Models(),
			", "))
	case kind != "" && len(round.Scenarios(folder, kind)) == 0:
		a.faults = append(a.faults, errNoBenchmark(round, folder, r.System, kind))
	case mlconf.Family(folder) != mlconf.Family(model):
		a.addFaultf("%v: a run of %s, whose benchmark is %s", r, run.Model, model)
	}
}

// errNoBenchmark returns the error for a benchmark that a round does not define for a system's type.
func errNoBenchmark(round *mlconf.Rules, benchmark, name string, kind mlconf.SystemType) error {
	return fmt.Errorf("rules %s have no %s for systems of type %s, as %s is; they have %s. The official checker dies of "+
		"it, and with it the whole submission", round.Name, benchmark, kind, name, strings.Join(round.ModelsFor(kind), ", "))
}

// checkPlace checks whether the run, or another run in its place, has been added before.
func (a *addRequest) checkPlace(r *Result) {
	for i := 0; i < len(a.results); i++ {
		o := a.results[i]
		switch {
		case a.options.Replace && !a.isNew(o) && (o.hasSamePlace(*r) || o.Log == r.Log && o.Out == r.Out):
			a.results = slices.Delete(a.results, i, i+1)
			i--
		case o.Log == r.Log && o.Out == r.Out:
			a.addFaultf("%v: %s was added already; take it in anew with --replace", *r,
				filepath.Join(r.Out, filepath.FromSlash(r.Dir)))
			return
		case o.Log == r.Log:
			a.addFaultf("%v: the logs in %s are those that were added from %s as %v", *r, r.Out, o.Out, o)
			return
		case o.hasSamePlace(*r):
			a.addFaultf("%v: there is one from %s; put this in its place with --replace", *r, o.Out)
			return
		}
	}
}

// isNew reports whether a run was added by this Add.
func (a *addRequest) isNew(r Result) bool {
	return slices.ContainsFunc(a.result.Results, func(n Result) bool { return n.Log == r.Log && n.Out == r.Out })
}
