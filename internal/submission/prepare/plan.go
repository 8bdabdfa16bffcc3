package prepare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Step is a change of a tree. Paths are relative to the tree, with slashes.
type Step struct {
	From, To string
	Rename   bool // rename instead of copy
	Why      string
}

// Plan lists the changes that complete a tree.
type Plan struct {
	Steps   []Step   // in order of execution
	Missing []string // required scenarios that must be measured, with reasons
}

// ReadPlan plans the completion of all results of a tree in the closed and network divisions, or only those of one
// submitter. The open division has no required scenarios. Scenario folders in lower case are renamed to the rules'
// names. A folder counts as measured if its log contains the folder's scenario. The error contains all faults:
// unreadable descriptions and logs, and folders of one scenario in two spellings.
func ReadPlan(t *tree.Tree, rules *mlconf.Rules, submitter string) (Plan, error) {
	r := planReader{tree: t, rules: rules, faults: t.Unread()}
	for _, s := range t.Submitters {
		if submitter != "" && s.Submitter != submitter {
			continue
		}
		for _, system := range s.Systems {
			r.planSystem(system)
		}
	}
	return r.plan, errors.Join(r.faults...)
}

type planReader struct {
	tree   *tree.Tree
	rules  *mlconf.Rules
	plan   Plan
	faults []error
}

func (r *planReader) planSystem(s tree.System) {
	for _, b := range s.Benchmarks {
		r.planRename(b)
	}
	if s.Division == tree.DivisionOpen {
		return
	}
	kind, err := r.systemType(s.Place)
	if err != nil {
		r.faults = append(r.faults, err)
		return
	}
	for _, b := range s.Benchmarks {
		r.planBenchmark(b, kind)
	}
	for _, b := range s.Benchmarks {
		r.planLowAccuracy(s, b.Place, kind)
	}
}

// planRename plans the renaming of folders in lower case to the rules' names.
func (r *planReader) planRename(b tree.Benchmark) {
	for _, p := range b.Scenarios {
		name, ok := tree.CanonicalScenario(p.Scenario)
		if !ok || name == p.Scenario {
			continue
		}
		to := p
		to.Scenario = name
		if slices.Contains(b.Scenarios, to) {
			r.faults = append(r.faults, fmt.Errorf("%s and %s are of one scenario: remove one of them",
				r.tree.OSPath(p.Results()), r.tree.OSPath(to.Results())))
			continue
		}
		r.addStep(Step{Rename: true, Why: "the rules' name of the scenario"}, p, p, to)
	}
}

// addStep plans a step for each folder of a result. found is the place before the renaming.
func (r *planReader) addStep(s Step, found, from, to tree.Place) {
	l := r.tree.Layout
	places := []func(tree.Place) string{tree.Place.Results}
	if l.Apart {
		places = append(places, l.Measurements, l.Audits)
	}
	for _, at := range places {
		if r.tree.HasDir(at(found)) {
			s.From, s.To = at(from), at(to)
			r.plan.Steps = append(r.plan.Steps, s)
		}
	}
}

// systemType returns the type of a system from its description.
func (r *planReader) systemType(p tree.Place) (mlconf.SystemType, error) {
	f, err := r.tree.Open(p.SystemFile())
	if err != nil {
		return "", fmt.Errorf("the description of %s: %w", r.tree.OSPath(p.Results()), err)
	}
	defer f.Close()
	var description struct {
		SystemType string `json:"system_type"`
	}
	if err := json.NewDecoder(io.LimitReader(f, maxDescription)).Decode(&description); err != nil {
		return "", fmt.Errorf("%s: %w", r.tree.OSPath(p.SystemFile()), err)
	}
	kind, ok := system.ParseType(description.SystemType)
	if !ok {
		return "", fmt.Errorf("%s: system_type is %q, want edge, datacenter or datacenter,edge",
			r.tree.OSPath(p.SystemFile()),
			description.SystemType)
	}
	return kind, nil
}

// maxDescription is the maximum size of a description in bytes.
const maxDescription = 16 << 20

// planBenchmark plans the inference of a benchmark's missing scenarios.
func (r *planReader) planBenchmark(b tree.Benchmark, kind mlconf.SystemType) {
	model, _ := r.rules.ModelOf(b.Benchmark, nil)
	found := map[string]tree.Place{} // by the rules' name
	var measured []string
	for _, p := range b.Scenarios {
		scenario, _ := tree.CanonicalScenario(p.Scenario)
		logged, err := r.loggedScenario(p)
		if err != nil {
			r.faults = append(r.faults, err)
			return
		}
		found[scenario] = p
		if logged == scenario || scenario == "Interactive" && logged == "Server" {
			measured = append(measured, scenario)
		}
	}
	for _, m := range InferMissing(r.rules, model, kind, measured) {
		from, to := b.Place, b.Place
		from.Scenario, to.Scenario = m.From, m.Scenario
		switch _, inferred := found[m.Scenario]; {
		case inferred: // inferred by an earlier run
		case m.From == "":
			r.plan.Missing = append(r.plan.Missing, fmt.Sprintf("%s: %s", to.Results(), m.Why))
		default:
			r.addStep(Step{Why: "inferred: " + m.Why}, found[m.From], from, to)
		}
	}
}

// loggedScenario returns the scenario in a result's log.
func (r *planReader) loggedScenario(p tree.Place) (string, error) {
	name := path.Join(p.Run(), tree.DetailLog)
	f, err := r.tree.Open(name)
	if err != nil {
		return "", fmt.Errorf("the log of %s: %w", r.tree.OSPath(p.Results()), err)
	}
	defer f.Close()
	log, err := mllog.ScanDetail(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.tree.OSPath(name), err)
	}
	e, _ := log.First("effective_scenario")
	scenario, ok := e.Text()
	if !ok {
		return "", fmt.Errorf("%s does not say effective_scenario: is it a detail log of LoadGen?", r.tree.OSPath(name))
	}
	return scenario, nil
}

// planLowAccuracy plans the copy of.
func (r *planReader) planLowAccuracy(s tree.System, high tree.Place, kind mlconf.SystemType) {
	low := high
	low.Benchmark = strings.TrimSuffix(high.Benchmark, ".9")
	there := slices.ContainsFunc(s.Benchmarks, func(b tree.Benchmark) bool { return b.Benchmark == low.Benchmark })
	if !strings.HasSuffix(high.Benchmark, "-99.9") || there || len(r.rules.RequiredScenarios(low.Benchmark, kind)) == 0 {
		return
	}
	r.addStep(Step{Why: "what meets 99.9 % of the reference's accuracy meets 99 %"}, high, high, low)
	source := r.tree.Layout.SourceDir(high)
	if from := path.Join(source, high.Benchmark); r.tree.HasDir(from) && !r.tree.HasDir(path.Join(source, low.Benchmark)) {
		r.plan.Steps = append(r.plan.Steps, Step{From: from, To: path.Join(source, low.Benchmark),
			Why: "the programs of " + low.Benchmark + " are those of " + high.Benchmark})
	}
}

// Execute executes the steps in the tree at root. It stops when ctx ends.
func (p Plan) Execute(ctx context.Context, root string) error {
	for _, s := range p.Steps {
		from, to := filepath.Join(root, filepath.FromSlash(s.From)), filepath.Join(root, filepath.FromSlash(s.To))
		if _, err := os.Lstat(to); err == nil {
			return fmt.Errorf("%s is there already: nothing is written over it", to)
		}
		if s.Rename {
			if err := os.Rename(from, to); err != nil {
				return err
			}
			continue
		}
		if err := treefiles.CopyFolder(ctx, from, to); err != nil {
			return err
		}
	}
	return nil
}
