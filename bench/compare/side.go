package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/results"
)

// key is what runs must have in common to be repetitions of each other; a part that may differ is empty.
type key struct{ model, scenario, kind string }

// String is "resnet50 Server performance".
func (k key) String() string {
	parts := []string{k.model, k.scenario, k.kind}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// group is the runs of one key on one side; there is one at least.
type group struct {
	key  key
	side string
	runs []results.Found
}

// side is the runs of one side, grouped.
type side struct {
	name   string
	groups []group
}

func (s *side) add(f results.Found, allowed facets) {
	k := key{f.Model, f.Scenario, f.Kind()}
	if allowed["model"] {
		k.model = ""
	}
	if allowed["scenario"] {
		k.scenario = ""
	}
	if allowed["mode"] {
		k.kind = ""
	}
	if g := s.group(k); g != nil {
		g.runs = append(g.runs, f)
		return
	}
	s.groups = append(s.groups, group{k, s.name, []results.Found{f}})
}

// group is that of a key, or nil.
func (s *side) group(k key) *group {
	i := slices.IndexFunc(s.groups, func(g group) bool { return g.key == k })
	if i < 0 {
		return nil
	}
	return &s.groups[i]
}

func (s *side) side() Side {
	n := 0
	for _, g := range s.groups {
		n += len(g.runs)
	}
	return Side{s.name, n}
}

func (s *side) keys() string {
	var all []string
	for _, g := range s.groups {
		all = append(all, g.key.String())
	}
	return strings.Join(all, ", ")
}

// finished says whether there is something to compare; else why is not.
func finished(f results.Found) (ok bool, why string) {
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

// list words how many runs there were of each kind that does not count: " (2 runs failed)".
func list(unfinished map[string]int) string {
	if len(unfinished) == 0 {
		return ""
	}
	var all []string
	for _, why := range sorted(unfinished) {
		all = append(all, figure.Plural(unfinished[why], "run")+" "+why)
	}
	return fmt.Sprintf(" (%s)", strings.Join(all, ", "))
}

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
