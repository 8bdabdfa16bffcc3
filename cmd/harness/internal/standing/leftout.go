package standing

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// leftOutCounts counts published results that are not ranked, by reason.
type leftOutCounts map[string]int

func (l leftOutCounts) addReason(why string) { l[why]++ }

// countWithout counts the folders of the run's benchmark and scenario without a result, according to the round's
// checker.
func (l leftOutCounts) countWithout(p Published, own OwnRun) {
	rules, err := mlconf.Round(p.Round.Name)
	if err != nil {
		return
	}
	for _, w := range p.Without {
		benchmark := path.Base(path.Dir(w.Folder))
		model, _ := rules.ModelOf(benchmark, nil)
		if foldScenario(path.Base(w.Folder)) == own.Scenario && isModel(rules, own.Model, benchmark, model) {
			l.addReason("without a result by the checker of " + p.Round.Name)
		}
	}
}

// reasonTexts returns the reasons with their counts, the most frequent first.
func (l leftOutCounts) reasonTexts() []string {
	reasons := slices.SortedFunc(maps.Keys(l), func(a, b string) int {
		if l[a] != l[b] {
			return l[b] - l[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	all := []string{}
	for _, why := range reasons {
		all = append(all, fmt.Sprintf("%s %s", figure.Plural(l[why], "result"), why))
	}
	return all
}
