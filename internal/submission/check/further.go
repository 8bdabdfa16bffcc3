package check

import (
	"fmt"
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// furtherRuns returns the folder names of the performance runs that the round requires after the first.
func (r *resultFolder) furtherRuns() (names []string) {
	for i := 2; i <= r.checker.rules.Runs(r.scenario); i++ {
		names = append(names, fmt.Sprintf("run_%d", i))
	}
	return names
}

// readFurther reads the performance runs after the first. It only warns of a missing one, because the official checkers
// of these rounds accepted such results.
func (r *resultFolder) readFurther() {
	for _, name := range r.furtherRuns() {
		folder := path.Join(r.Results(), tree.PerformanceDir, name)
		if !r.checker.tree.HasDir(folder) {
			r.addWarning(ruleFiles, folder, "a performance run is missing", "",
				fmt.Sprintf("%d runs of %s", r.checker.rules.Runs(r.scenario), r.scenario), "add the run's logs")
			continue
		}
		if l := r.readRun(folder, mainRun); l != nil {
			r.furtherPerformance = append(r.furtherPerformance, l)
		}
	}
}

// countedRun returns the run whose result counts: the last one with a result.
func (r *resultFolder) countedRun() *runLog {
	all := append([]*runLog{r.performance}, r.furtherPerformance...)
	all = slices.DeleteFunc(all, func(l *runLog) bool { return !l.hasResult() })
	if len(all) == 0 {
		return r.performance
	}
	return all[len(all)-1]
}
