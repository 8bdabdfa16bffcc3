package standing

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/former"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Published contains the results read from one tree.
type Published struct {
	Tree    string           // as it was named
	Round   tree.FoundRound  // by the seeds of its logs
	Results []Entry          // whose Value is not set
	Without []result.Without // folders without a result, and why
}

// Wanted selects the results to read. Empty fields select all.
type Wanted struct {
	Models    []string // benchmarks, by their names in the rules or of folders
	Scenarios []string // "Server"
	Round     string   // of all trees, where their logs do not say it
}

// Read reads the results of a tree, or of what lies below a folder in one. Its errors are of the tree as a whole.
func Read(name string, w Wanted) (Published, error) {
	root, below, ok := tree.RootOf(name)
	if !ok {
		root, below = name, "."
	}
	round, err := tree.FindRound(root)
	if w.Round != "" && (err == nil || errors.Is(err, tree.ErrRound)) {
		round.Name, err = w.Round, nil
	}
	if err != nil {
		return Published{}, ofTree(err)
	}
	rules, err := mlconf.Round(round.Name)
	if err != nil {
		return Published{}, sdk.Usage(err)
	}
	o := checker.Options{Round: round.Name, SkipPower: true}
	o.Only = func(p tree.Place, model string) bool {
		return isInside(below, p.Results()) && w.wantsModel(rules, p.Benchmark, model)
	}
	r, err := former.Check(root, o)
	if err != nil {
		return Published{}, sdk.Data(fmt.Errorf("%s, of round %s: %w", name, round.Name, err))
	}
	found := Published{Tree: name, Round: round}
	for _, e := range reportEntries(name, root, r) {
		if w.wantsScenario(e.Scenario) && w.wantsModel(rules, e.Benchmark, e.Model) && isInside(below, e.Folder) {
			found.Results = append(found.Results, e)
		}
	}
	for _, f := range r.Summary().Without {
		if isInside(below, f.Folder) {
			found.Without = append(found.Without, f)
		}
	}
	return found, nil
}

// ofTree classes the error of a tree: a folder that is none is wrong usage, all else is what the tree holds.
func ofTree(err error) error {
	if errors.Is(err, tree.ErrNoSubmission) || errors.Is(err, tree.ErrOpen) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// isInside says whether one of two places in a tree lies in the other: a folder above the chosen one must be walked,
// too.
func isInside(below, place string) bool {
	if below == "." {
		return true
	}
	below, place = path.Clean(below)+"/", place+"/"
	return strings.HasPrefix(place, below) || strings.HasPrefix(below, place)
}

func (w Wanted) wantsScenario(folder string) bool {
	return folder == "" || len(w.Scenarios) == 0 || slices.Contains(w.Scenarios, foldScenario(folder))
}

func (w Wanted) wantsModel(rules *mlconf.Rules, folder, model string) bool {
	if len(w.Models) == 0 {
		return true
	}
	for _, name := range w.Models {
		if isModel(rules, name, folder, model) {
			return true
		}
	}
	return false
}

// isModel says whether a folder of a round, and its model of the rules, are of the benchmark of a name. A name that the
// round takes for another benchmark's, as later rounds take ssd-resnet34 for retinanet, is not that benchmark.
func isModel(rules *mlconf.Rules, name, folder, model string) bool {
	return name == model || name == folder || rules.LoadGenModel(model, "") == name && rules.Canonical(name) == model
}

// foldScenario is a scenario as the rules write it, whatever its case in a folder's name.
func foldScenario(folder string) string {
	for _, name := range tree.Scenarios() {
		if strings.EqualFold(name, folder) {
			return name
		}
	}
	return folder
}

// ParseScenarios are the scenarios of a user's list.
func ParseScenarios(names []string) (all []string, err error) {
	for _, name := range names {
		scenario := foldScenario(name)
		if !slices.Contains(tree.Scenarios(), scenario) {
			return nil, sdk.Usage(fmt.Errorf("--scenario: %w", suggest.Unknown("scenario", name, tree.Scenarios())))
		}
		all = append(all, scenario)
	}
	return all, nil
}
