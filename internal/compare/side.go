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

// repetitionKey is what runs must have in common to count as repetitions. A field is empty if it may differ.
type repetitionKey struct{ model, scenario, kind string }

// runGroup contains the runs of one side with the same key; at least one.
type runGroup struct {
	key   repetitionKey
	place string // in a suite or a submission, or one of several backends: "cnn\n\nbatch=4"
	side  string
	runs  []results.FoundRun
}

// String returns the common part of the runs' names: "resnet50 Server performance batch=4".
func (g runGroup) String() string { return names.Common(runRecords(g.runs)...) }

func runRecords(runs []results.FoundRun) []record.Run {
	records := make([]record.Run, len(runs))
	for i, f := range runs {
		records[i] = f.Run
	}
	return records
}

// runSide contains the runs of one side in groups.
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
	if g := s.findGroup(k, place); g != nil {
		g.runs = append(g.runs, f)
		return
	}
	s.groups = append(s.groups, runGroup{k, place, s.name, []results.FoundRun{f}})
}

// findGroup returns the group with a key in a place, or nil.
func (s *runSide) findGroup(k repetitionKey, place string) *runGroup {
	i := slices.IndexFunc(s.groups, func(g runGroup) bool { return g.key == k && g.place == place })
	if i < 0 {
		return nil
	}
	return &s.groups[i]
}

// joinPlaces merges the groups of a key, if the two sides have no common place for it. This allows comparing the
// folders of a suite's points with each other or with other runs.
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

// matchGroups merges groups of places that do not exist on both sides. Common places are compared one by one.
func matchGroups(a, b *runSide) {
	shared := map[repetitionKey]bool{}
	for _, g := range a.groups {
		if b.findGroup(g.key, g.place) != nil {
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

// isFinished reports whether a run has results to compare, and otherwise the reason.
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

// countText lists the numbers of runs that do not count, by reason: " (2 runs failed)".
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
