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
	Tree    string           // as the user named it
	Round   tree.FoundRound  // determined from the seeds in the logs
	Results []RankedEntry    // without Value
	Without []result.Without // folders without a result, with the reasons
}

// ReadFilter selects the results to read. Empty fields select all.
type ReadFilter struct {
	Models    []string // names of benchmarks in the rules or of folders
	Scenarios []string // "Server"
	Round     string   // round of the trees whose logs do not identify it
}

// ReadTree reads the results of a tree, or of a folder in one. Its errors concern the tree as a whole.
func ReadTree(name string, w ReadFilter) (Published, error) {
	root, below, ok := tree.RootOf(name)
	if !ok {
		root, below = name, "."
	}
	round, err := tree.FindRound(root)
	if w.Round != "" && (err == nil || errors.Is(err, tree.ErrRound)) {
		round.Name, err = w.Round, nil
	}
	if err != nil {
		return Published{}, classifyTreeError(err)
	}
	rules, err := mlconf.Round(round.Name)
	if err != nil {
		return Published{}, sdk.Usage(err)
	}
	o := checker.Options{Round: round.Name, SkipPower: true}
	o.Only = func(p tree.Place, model string) bool {
		return isInside(below, p.Results()) && w.includesModel(rules, p.Benchmark, model)
	}
	r, err := former.Check(root, o)
	if err != nil {
		return Published{}, sdk.Data(fmt.Errorf("%s, of round %s: %w", name, round.Name, err))
	}
	found := Published{Tree: name, Round: round}
	for _, e := range reportEntries(name, root, r) {
		if w.includesScenario(e.Scenario) && w.includesModel(rules, e.Benchmark, e.Model) && isInside(below, e.Folder) {
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

// classifyTreeError sets the exit code for the error of a tree: wrong usage if the folder is not a tree, otherwise
// wrong data.
func classifyTreeError(err error) error {
	if errors.Is(err, tree.ErrNoSubmission) || errors.Is(err, tree.ErrOpen) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// isInside reports whether one of two folders in a tree contains the other. The walk must also enter the parents of the
// chosen folder.
func isInside(below, place string) bool {
	if below == "." {
		return true
	}
	below, place = path.Clean(below)+"/", place+"/"
	return strings.HasPrefix(place, below) || strings.HasPrefix(below, place)
}

func (w ReadFilter) includesScenario(folder string) bool {
	return folder == "" || len(w.Scenarios) == 0 || slices.Contains(w.Scenarios, foldScenario(folder))
}

func (w ReadFilter) includesModel(rules *mlconf.Rules, folder, model string) bool {
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

// isModel reports whether a folder of a round, with its model in the rules, belongs to the benchmark name. Some rounds
// use a name for another benchmark, as later rounds use ssd-resnet34 for retinanet. Such a name does not match.
func isModel(rules *mlconf.Rules, name, folder, model string) bool {
	return name == model || name == folder || rules.LoadGenModel(model, "") == name && rules.Canonical(name) == model
}

// foldScenario returns the rules' name of a scenario for a folder's name in any case.
func foldScenario(folder string) string {
	for _, name := range tree.Scenarios() {
		if strings.EqualFold(name, folder) {
			return name
		}
	}
	return folder
}

// ParseScenarios parses the scenarios in a user's list.
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
