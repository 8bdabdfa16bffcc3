package assemble

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/wholetree"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// PlanOptions selects the tree to make.
type PlanOptions struct {
	Rules         string // round and layout; empty: those of the runs
	NoInfer       bool   // do not infer results from runs of other scenarios
	NoLower       bool   // do not copy results of
	AllowUnfilled bool   // write fields that are not filled in as they are
}

// File is a file of the tree with its origin.
type File = wholetree.File

// Derived is a result that is a copy of another.
type Derived struct {
	Place  string // its folder
	From   string // folder of the original
	Reason string
}

// Plan is a tree before it is written.
type Plan struct {
	Layout          tree.Layout
	Submitter       string
	Divisions       []string // divisions with results, sorted
	Files           []File   // sorted by path
	Derived         []Derived
	Missing         []string // what the rules require and the tree lacks; the check refuses it
	LeftOut         []string // added runs that are not in the tree, with reasons
	OptionalMissing []string // optional parts that reviewers will ask for
	OpenFields      []Unfilled

	workspace *Workspace
	rules     *mlconf.Rules
	results   map[tree.Place]*placedResult
}

// placedResult contains all runs in one place: of a benchmark in a scenario on a system.
type placedResult struct {
	place       tree.Place
	performance *measuredRun
	accuracy    *measuredRun
	audits      map[string][]measuredRun // by test
	original    tree.Place               // original of a derived result
	reason      string
}

// measuredRun is an added run with its record.
type measuredRun struct {
	Result
	run *record.Run
}

// ErrUnfilled reports fields that a person must fill in.
var ErrUnfilled = errors.New("not filled in yet")

// NewPlan lists the contents of a tree. Its error contains all faults.
func (w *Workspace) NewPlan(o PlanOptions) (*Plan, error) {
	if len(w.Results) == 0 {
		return nil, fmt.Errorf("%s lists no run; add them with harness submission add RUNDIR",
			filepath.Join(w.Dir, WorkspaceFile))
	}
	p := &Plan{Submitter: w.Submitter, workspace: w, results: map[tree.Place]*placedResult{}}
	if err := p.chooseRound(o.Rules); err != nil {
		return nil, err
	}
	open, err := w.unfilledFields(w.usedSystems())
	if err != nil {
		return nil, err
	}
	p.OpenFields = open
	if len(open) > 0 && !o.AllowUnfilled {
		return nil, errUnfilled(w, open)
	}
	if !w.SubmitterKnown() {
		p.Submitter = "unnamed"
	}
	if err := p.gatherRuns(); err != nil {
		return nil, err
	}
	p.deriveResults(o)
	if err := p.planFiles(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// usedSystems returns the systems with runs, sorted.
func (w *Workspace) usedSystems() []string {
	names := map[string]bool{}
	for _, r := range w.Results {
		names[r.System] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// errUnfilled returns an error that lists the open fields.
func errUnfilled(w *Workspace, open []Unfilled) error {
	lines := make([]string, len(open))
	for i, u := range open {
		lines[i] = "\n  " + u.String()
	}
	return fmt.Errorf("%d fields in %s are %w:%s", len(open), w.Dir, ErrUnfilled, strings.Join(lines, ""))
}

// chooseRound sets the round, which must be the round of the runs.
func (p *Plan) chooseRound(name string) (err error) {
	of := p.workspace.Rules()
	name = cmp.Or(name, of)
	if p.Layout, err = tree.LayoutFor(name, mlconf.ToMake); err != nil {
		return err
	}
	var faults []error
	for _, r := range p.workspace.Results {
		if r.Rules != name {
			faults = append(faults, fmt.Errorf("%v: a run of rules %s, and the tree is of %s", r, r.Rules, name))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	p.rules, err = mlconf.Round(name)
	return err
}

// gatherRuns reads the records of the runs and assigns each run to its place.
func (p *Plan) gatherRuns() error {
	var faults []error
	for _, r := range p.workspace.Results {
		if p.isLeftOut(r) {
			continue
		}
		run, err := r.readRecord()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		place := tree.Place{
			Division: r.Division, Submitter: p.Submitter, System: r.System, Benchmark: r.Benchmark, Scenario: r.Scenario,
		}
		if p.results[place] == nil {
			p.results[place] = &placedResult{place: place, audits: map[string][]measuredRun{}}
		}
		p.results[place].addMeasured(measuredRun{r, run})
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	p.listDivisions()
	incomplete := []error{}
	for _, place := range p.resultPlaces() {
		incomplete = append(incomplete, p.results[place].checkComplete())
	}
	return errors.Join(incomplete...)
}

// isLeftOut reports whether a run cannot be in the tree because the system's type does not include its scenario, and
// records the reason. Add already leaves out such runs, but the system's description can change later.
func (p *Plan) isLeftOut(r Result) bool {
	kind := p.workspace.systemGoal(r.System).SystemType
	why := unfitReason(p.rules, p.rules.Canonical(r.Benchmark), r.Scenario, r.Division, kind)
	if why != "" {
		p.LeftOut = append(p.LeftOut, fmt.Sprintf("%v: %s", r, why))
	}
	return why != ""
}

// listDivisions sets the divisions of the results.
func (p *Plan) listDivisions() {
	for place := range p.results {
		if !slices.Contains(p.Divisions, place.Division) {
			p.Divisions = append(p.Divisions, place.Division)
		}
	}
	slices.Sort(p.Divisions)
}

func (r *placedResult) addMeasured(m measuredRun) {
	switch {
	case m.Test != "":
		r.audits[m.Test] = append(r.audits[m.Test], m)
	case m.Mode == "accuracy":
		r.accuracy = &m
	default:
		r.performance = &m
	}
}

// checkComplete returns an error if a result lacks its performance or accuracy run.
func (r *placedResult) checkComplete() error {
	is := r.place.System + "/" + r.place.Benchmark + "/" + r.place.Scenario
	const how = "harness run --mode submission makes both, harness submission add takes them in"
	switch {
	case r.performance == nil:
		return fmt.Errorf("%s has no performance run; %s", is, how)
	case r.accuracy == nil:
		return fmt.Errorf("%s has no accuracy run; %s", is, how)
	}
	return nil
}

// resultPlaces returns the places of the results, sorted.
func (p *Plan) resultPlaces() []tree.Place {
	return slices.SortedFunc(maps.Keys(p.results), func(a, b tree.Place) int {
		return strings.Compare(a.String(), b.String())
	})
}

// systemPlaces returns the places of systems with results, without benchmarks, sorted.
func (p *Plan) systemPlaces() []tree.Place {
	all := map[tree.Place]bool{}
	for place := range p.results {
		place.Benchmark, place.Scenario = "", ""
		all[place] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b tree.Place) int { return strings.Compare(a.String(), b.String()) })
}

// submitterPlaces returns the submitter's folder in each division.
func (p *Plan) submitterPlaces() []tree.Place {
	places := make([]tree.Place, len(p.Divisions))
	for i, division := range p.Divisions {
		places[i] = tree.Place{Division: division, Submitter: p.Submitter}
	}
	return places
}

// modelOf returns the rules' model of a result.
func (p *Plan) modelOf(r *placedResult) string { return rulesModel(p.rules, *r.performance.run) }

func (p *Plan) addFile(f File) { p.Files = append(p.Files, f) }

// addText adds a file with the given content.
func (p *Plan) addText(name, origin string, text []byte) {
	p.addFile(File{Path: name, Origin: origin, Text: text})
}

// addCopy adds a copy of a file.
func (p *Plan) addCopy(name, from string) {
	p.addFile(File{Path: name, Origin: "copy of " + from, From: from})
}

// addCopiesInto adds copies of the named files to a folder. It skips missing files.
func (p *Plan) addCopiesInto(folder string, from func(name string) (string, bool), names []string) {
	for _, name := range names {
		if source, there := from(name); there {
			p.addCopy(path.Join(folder, name), source)
		}
	}
}
