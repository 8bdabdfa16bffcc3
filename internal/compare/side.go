package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/names"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// repetitionKey is what runs must have in common to be repetitions of each other; a part that may differ is empty.
type repetitionKey struct{ model, scenario, kind string }

// runGroup is the runs of one key on one side; there is one at least.
type runGroup struct {
	key   repetitionKey
	place string // in a suite, a submission, or which of several backends: "cnn\n\nbatch=4"
	side  string
	runs  []results.FoundRun
}

// String is what the runs' names have in common: "resnet50 Server performance batch=4".
func (g runGroup) String() string { return names.Common(recordsOf(g.runs)...) }

func recordsOf(runs []results.FoundRun) []record.Run {
	records := make([]record.Run, len(runs))
	for i, f := range runs {
		records[i] = f.Run
	}
	return records
}

// runSide is the runs of one side, grouped.
type runSide struct {
	name   string
	groups []runGroup
}

func (s *runSide) addRun(f results.FoundRun, allowed allowedFacets) {
	k := repetitionKey{f.Model, f.Scenario, f.Kind()}
	if allowed["model"] {
		k.model = ""
	}
	if allowed["scenario"] {
		k.scenario = ""
	}
	if allowed["mode"] {
		k.kind = ""
	}
	place := strings.Join(append([]string{f.Identity.Entry, f.Place.String()}, f.Identity.Point...), "\n")
	if g := s.groupAt(k, place); g != nil {
		g.runs = append(g.runs, f)
		return
	}
	s.groups = append(s.groups, runGroup{k, place, s.name, []results.FoundRun{f}})
}

// groupAt is that of a key in a place, or nil.
func (s *runSide) groupAt(k repetitionKey, place string) *runGroup {
	i := slices.IndexFunc(s.groups, func(g runGroup) bool { return g.key == k && g.place == place })
	if i < 0 {
		return nil
	}
	return &s.groups[i]
}

// joinPlaces takes the groups of a key together, where their places are not those of the other side: folders of a
// suite's points may be compared with each other, or with other runs.
func (s *runSide) joinPlaces(k repetitionKey) {
	var all []runGroup
	at := -1
	for _, g := range s.groups {
		switch {
		case g.key != k:
			all = append(all, g)
		case at < 0:
			at = len(all)
			g.place = ""
			all = append(all, g)
		default:
			all[at].runs = slices.Concat(all[at].runs, g.runs)
		}
	}
	s.groups = all
}

// matchGroups makes the groups of two sides those that are compared: place by place where they have places in common.
func matchGroups(a, b *runSide) {
	shared := map[repetitionKey]bool{}
	for _, g := range a.groups {
		if b.groupAt(g.key, g.place) != nil {
			shared[g.key] = true
		}
	}
	for _, g := range a.groups {
		if !shared[g.key] && b.hasKey(g.key) {
			a.joinPlaces(g.key)
			b.joinPlaces(g.key)
		}
	}
}

func (s *runSide) hasKey(k repetitionKey) bool {
	return slices.ContainsFunc(s.groups, func(g runGroup) bool { return g.key == k })
}

func (s *runSide) toSide() ComparedSide {
	n := 0
	for _, g := range s.groups {
		n += len(g.runs)
	}
	return ComparedSide{s.name, n}
}

func (s *runSide) keysText() string {
	groups := make([]string, len(s.groups))
	for i, group := range s.groups {
		groups[i] = group.String()
	}
	return strings.Join(groups, ", ")
}

// isFinished says whether there is something to compare; else why is not.
func isFinished(f results.FoundRun) (ok bool, why string) {
	switch f.Status {
	case record.Complete:
		return true, ""
	case record.Unfinished:
		return false, "under way, or killed"
	case record.NotRun:
		return false, "not made"
	}
	return false, string(f.Status)
}

// countText words how many runs there were of each kind that does not count: " (2 runs failed)".
func countText(unfinished map[string]int) string {
	if len(unfinished) == 0 {
		return ""
	}
	all := []string{}
	for _, why := range sortedKeys(unfinished) {
		all = append(all, figure.Plural(unfinished[why], "run")+" "+why)
	}
	return fmt.Sprintf(" (%s)", strings.Join(all, ", "))
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
