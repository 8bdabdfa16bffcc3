package compare

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// allowedFacets are those that may differ.
type allowedFacets map[string]bool

// runFacet is something that runs must have in common to be compared, unless the user says otherwise.
type runFacet struct {
	name string
	// of is what a run has of it, by what it is about. An empty value is not known, and differs from nothing; so does nil.
	of func(f results.FoundRun) map[string]string
	// sides are allowed to differ in it from each other; runs of one side are not.
	sides bool
	// key says that it is part of what runs are grouped by: those of one side never differ in it.
	key bool
}

// everyFacet is the word for all of them.
const everyFacet = "all"

func allFacets() []runFacet {
	return []runFacet{
		{name: "model", of: modelFacet, key: true},
		{name: "scenario", of: singleFacet("scenario", func(f results.FoundRun) string { return f.Scenario }), key: true},
		{name: "mode", of: singleFacet("mode", func(f results.FoundRun) string { return f.Kind() }), key: true},
		{name: "rules", of: rulesFacet},
		{name: "data", of: dataFacet},
		{name: "settings", of: settingsFacet},
		{name: "loadgen", of: singleFacet("loadgen", driverName)},
		{name: "backend", of: backendFacet, sides: true},
		{name: "machine", of: singleFacet("machine", machineName), sides: true},
		{name: "versions", of: versionsFacet, sides: true},
	}
}

// FacetNames are what the runs of a comparison have in common: "model", "settings", ... The sides may differ in the
// last three, and the runs of one side may not.
func FacetNames() []string {
	names := []string{}
	for _, f := range allFacets() {
		names = append(names, f.name)
	}
	return append(names, everyFacet)
}

func facetNames() string { return strings.Join(FacetNames(), ", ") }

func parseFacets(names []string) (allowedFacets, error) {
	allowed, known := allowedFacets{}, FacetNames()
	var faults []error
	for _, n := range names {
		switch {
		case n == everyFacet:
			for _, k := range known {
				allowed[k] = true
			}
		case slices.Contains(known, n):
			allowed[n] = true
		default:
			faults = append(faults, fmt.Errorf("--allow-unlike: %w", suggest.Unknown("thing", n, known)))
		}
	}
	return allowed, errors.Join(faults...)
}

// checkAlike says where the runs of one side, which are taken as repetitions of each other, are not alike.
func (s *runSide) checkAlike(allowed allowedFacets) error {
	var faults []error
	for _, g := range s.groups {
		for _, d := range g.internalDifferences(allowed) {
			faults = append(faults, fmt.Errorf("%s, %v: runs of one side differ in %s: %q and %q", s.name, g, d.About,
				d.Base, d.New))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	advice := "name the folders of runs that are repetitions of each other"
	if s.isServed() {
		advice = "the sides have no load in common: name the folder of a point (" + path.Join(s.name, "users-4") +
			"), or compare sweeps of the same loads"
	}
	return sdk.Usage(fmt.Errorf("%w: %w\n%s; --allow-unlike WHAT,... takes them together all the same: %s", ErrUnlike,
		errors.Join(faults...), advice, facetNames()))
}

// isServed says whether all runs of the side are points of servers.
func (s *runSide) isServed() bool {
	for _, g := range s.groups {
		if slices.ContainsFunc(g.runs, func(r results.FoundRun) bool { return r.Serving == nil }) {
			return false
		}
	}
	return true
}

// internalDifferences lists what the runs of a group differ in.
func (g runGroup) internalDifferences(allowed allowedFacets) []Difference {
	var all []Difference
	for _, f := range allFacets() {
		if allowed[f.name] && !f.key {
			continue
		}
		first := f.of(g.runs[0])
		for _, r := range g.runs[1:] {
			if d := diffMaps(first, f.of(r)); len(d) > 0 {
				all = append(all, d...)
				break
			}
		}
	}
	return all
}

// checkComparable says what two groups differ in that they must not.
func checkComparable(a, b runGroup, allowed allowedFacets) error {
	var faults []error
	for _, f := range allFacets() {
		if f.sides || allowed[f.name] {
			continue
		}
		for _, d := range diffMaps(f.of(a.runs[0]), f.of(b.runs[0])) {
			faults = append(faults, fmt.Errorf("%v: %s differs (%s): %q in %s, %q in %s", a, d.About, f.name, d.Base,
				a.side, d.New, b.side))
		}
	}
	return errors.Join(faults...)
}

// differencesBetween lists all that two groups differ in.
func differencesBetween(a, b runGroup) []Difference {
	all := []Difference{}
	for _, f := range allFacets() {
		all = append(all, diffMaps(f.of(a.runs[0]), f.of(b.runs[0]))...)
	}
	return all
}

// diffMaps lists where both values are known and not the same.
func diffMaps(a, b map[string]string) []Difference {
	if a == nil || b == nil {
		return nil
	}
	both := maps.Clone(a)
	maps.Copy(both, b)
	var all []Difference
	for _, about := range slices.Sorted(maps.Keys(both)) {
		if x, y := valueOf(a, about), valueOf(b, about); x != "" && y != "" && x != y {
			all = append(all, Difference{about, x, y})
		}
	}
	return all
}

// absent stands for what one run has and the other has not.
const absent = "(none)"

func valueOf(m map[string]string, about string) string {
	if v, ok := m[about]; ok {
		return v
	}
	return absent
}
