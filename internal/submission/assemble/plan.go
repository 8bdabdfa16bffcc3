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
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/wholetree"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// PlanOptions selects the tree to make.
type PlanOptions struct {
	Rules         string // the round, and its layout; empty: that of the runs
	NoInfer       bool   // make no result of another scenario's run
	NoLower       bool   // make no result of X-99 of that of
	AllowUnfilled bool   // write fields that are to be filled in as they are
}

// File is a file of the tree with its origin.
type File = wholetree.File

// Derived is a result that is a copy of another.
type Derived struct {
	Place  string // its folder
	From   string // the folder that it is a copy of
	Reason string
}

// Plan is a tree before it is written.
type Plan struct {
	Layout    tree.Layout
	Submitter string
	Divisions []string // that have results, sorted
	Files     []File   // sorted by path
	Derived   []Derived
	Missing   []string // what the rules ask for and is not there; the check refuses it
	Left      []string // runs that were added and are not in the tree, and why
	Lacking   []string // what a reviewer will ask for, and the tree can be without
	Open      []Unfilled

	workspace *Workspace
	rules     *mlconf.Rules
	results   map[tree.Place]*placedResult
}

// placedResult is all that has one place: a benchmark in a scenario on a system.
type placedResult struct {
	place       tree.Place
	performance *measuredRun
	accuracy    *measuredRun
	audits      map[string][]measuredRun // by test
	from        tree.Place               // of a derived result: what it is a copy of
	reason      string
}

// measuredRun is a registered run with what is known of it.
type measuredRun struct {
	Result
	run *record.Run
}

// ErrUnfilled is in the chain of an error about fields that a person must fill in.
var ErrUnfilled = errors.New("not filled in yet")

// NewPlan says what a tree will hold. The error has every fault.
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
	p.Open = open
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

// usedSystems are the systems that have runs, sorted.
func (w *Workspace) usedSystems() []string {
	names := lists.Distinct(lists.Map(w.Results, func(r Result) string { return r.System }))
	return slices.Sorted(slices.Values(names))
}

// errUnfilled says which fields are open.
func errUnfilled(w *Workspace, open []Unfilled) error {
	lines := lists.Map(open, func(u Unfilled) string { return "\n  " + u.String() })
	return fmt.Errorf("%d fields in %s are %w:%s", len(open), w.Dir, ErrUnfilled, strings.Join(lines, ""))
}

// chooseRound chooses the round, which must be that of the runs.
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

// gatherRuns reads the runs and puts each into its place.
func (p *Plan) gatherRuns() error {
	var faults []error
	for _, r := range p.workspace.Results {
		if p.leavesOut(r) {
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
		p.results[place].takeMeasured(measuredRun{r, run})
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	p.listDivisions()
	return errors.Join(lists.Map(p.resultPlaces(),
		func(place tree.Place) error { return p.results[place].checkComplete() })...)
}

// leavesOut says whether a run has no place in the tree, and notes it: its scenario is none that the system's type has.
// Such runs are left out when they are added; what the description says may have changed since.
func (p *Plan) leavesOut(r Result) bool {
	kind := p.workspace.goalOf(r.System).SystemType
	why := whyUnfit(p.rules, p.rules.Canonical(r.Benchmark), r.Scenario, r.Division, kind)
	if why != "" {
		p.Left = append(p.Left, fmt.Sprintf("%v: %s", r, why))
	}
	return why != ""
}

// listDivisions lists the divisions of the results.
func (p *Plan) listDivisions() {
	for place := range p.results {
		if !slices.Contains(p.Divisions, place.Division) {
			p.Divisions = append(p.Divisions, place.Division)
		}
	}
	slices.Sort(p.Divisions)
}

func (r *placedResult) takeMeasured(m measuredRun) {
	switch {
	case m.Test != "":
		r.audits[m.Test] = append(r.audits[m.Test], m)
	case m.Mode == "accuracy":
		r.accuracy = &m
	default:
		r.performance = &m
	}
}

// checkComplete wants both runs of a result.
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

// resultPlaces are those of the results, sorted.
func (p *Plan) resultPlaces() []tree.Place {
	return slices.SortedFunc(maps.Keys(p.results), func(a, b tree.Place) int {
		return strings.Compare(a.String(), b.String())
	})
}

// systemPlaces are those that have results, each without a benchmark, sorted.
func (p *Plan) systemPlaces() []tree.Place {
	all := map[tree.Place]bool{}
	for place := range p.results {
		place.Benchmark, place.Scenario = "", ""
		all[place] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b tree.Place) int { return strings.Compare(a.String(), b.String()) })
}

// submitterPlaces are the submitter's folders, one of each division.
func (p *Plan) submitterPlaces() []tree.Place {
	return lists.Map(p.Divisions, func(division string) tree.Place {
		return tree.Place{Division: division, Submitter: p.Submitter}
	})
}

// modelOf is the rules' model of a benchmark folder.
func (p *Plan) modelOf(r *placedResult) string { return rulesModel(p.rules, *r.performance.run) }

func (p *Plan) addFile(f File) { p.Files = append(p.Files, f) }

// addText adds a file that is written.
func (p *Plan) addText(name, origin string, text []byte) {
	p.addFile(File{Path: name, Origin: origin, Text: text})
}

// addCopy adds a copy of a file.
func (p *Plan) addCopy(name, from string) {
	p.addFile(File{Path: name, Origin: "copy of " + from, From: from})
}

// addCopiesInto adds copies of a folder's files, by their names; those that are not there are left out.
func (p *Plan) addCopiesInto(folder string, from func(name string) (string, bool), names []string) {
	for _, name := range names {
		if source, there := from(name); there {
			p.addCopy(path.Join(folder, name), source)
		}
	}
}
