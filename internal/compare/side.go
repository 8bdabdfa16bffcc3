package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/names"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// key is what runs must have in common to be repetitions of each other; a part that may differ is empty.
type key struct{ model, scenario, kind string }

// group is the runs of one key on one side; there is one at least.
type group struct {
	key   key
	place string // in a suite, a submission, or which of several backends: "cnn\n\nbatch=4"
	side  string
	runs  []results.Found
}

// String is what the runs' names have in common: "resnet50 Server performance batch=4".
func (g group) String() string { return names.Common(records(g.runs)...) }

func records(runs []results.Found) []record.Run {
	return lists.Map(runs, func(f results.Found) record.Run { return f.Run })
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
	place := strings.Join(append([]string{f.Identity.Entry, f.Place.String()}, f.Identity.Point...), "\n")
	if g := s.group(k, place); g != nil {
		g.runs = append(g.runs, f)
		return
	}
	s.groups = append(s.groups, group{k, place, s.name, []results.Found{f}})
}

// group is that of a key in a place, or nil.
func (s *side) group(k key, place string) *group {
	i := slices.IndexFunc(s.groups, func(g group) bool { return g.key == k && g.place == place })
	if i < 0 {
		return nil
	}
	return &s.groups[i]
}

// join takes the groups of a key together, where their places are not those of the other side: folders of a suite's
// points may be compared with each other, or with other runs.
func (s *side) join(k key) {
	var all []group
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

// match makes the groups of two sides those that are compared: place by place where they have places in common.
func match(a, b *side) {
	shared := map[key]bool{}
	for _, g := range a.groups {
		if b.group(g.key, g.place) != nil {
			shared[g.key] = true
		}
	}
	for _, g := range a.groups {
		if !shared[g.key] && b.has(g.key) {
			a.join(g.key)
			b.join(g.key)
		}
	}
}

func (s *side) has(k key) bool {
	return slices.ContainsFunc(s.groups, func(g group) bool { return g.key == k })
}

func (s *side) side() Side {
	n := 0
	for _, g := range s.groups {
		n += len(g.runs)
	}
	return Side{s.name, n}
}

func (s *side) keys() string {
	return strings.Join(lists.Map(s.groups, group.String), ", ")
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
	all := lists.Map(sorted(unfinished), func(why string) string {
		return figure.Plural(unfinished[why], "run") + " " + why
	})
	return fmt.Sprintf(" (%s)", strings.Join(all, ", "))
}

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
