package check

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// checkDuplicates looks for runs that are filed for more than one result.
func (c *checker) checkDuplicates() {
	by := map[string][]*resultFolder{}
	for _, r := range c.results {
		if r.moment != "" {
			by[r.moment] = append(by[r.moment], r)
		}
	}
	for _, list := range by {
		for _, r := range list {
			other := slices.IndexFunc(list, func(o *resultFolder) bool { return !r.mayShare(o) })
			if other >= 0 {
				r.reject(ruleDuplicates, detailOf(r), "the run is filed for another result too", detailOf(list[other]),
					"a run of its own", "file the run where it was made, and run again for the other")
			}
		}
	}
}

func detailOf(r *resultFolder) string { return path.Join(r.Run(), tree.DetailLog) }

// mayShare says whether two results may come from one run: inferred scenarios, the lower accuracy of a benchmark, and
// the same result in two divisions.
func (r *resultFolder) mayShare(o *resultFolder) bool {
	if r == o {
		return true
	}
	if r.Submitter != o.Submitter || r.System != o.System {
		return false
	}
	if r.scenario != o.scenario && !r.inferred && !o.inferred {
		return false
	}
	return r.model == o.model || lower(r.model) == lower(o.model)
}

// lower is a model's name without the accuracy that it is for.
func lower(model string) string {
	for _, accuracy := range []string{"-99.9", "-99", "-95"} {
		if name, ok := strings.CutSuffix(model, accuracy); ok {
			return name
		}
	}
	return model
}
