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

// allowedFacets contains the names of the facets that may differ.
type allowedFacets map[string]bool

// runFacet is a property that runs must have in common to be compared, unless the user allows a difference.
type runFacet struct {
	name string
	// values returns a run's values, by their subjects. Empty values and a nil map are unknown and count as equal to
	// anything.
	values func(f results.FoundRun) map[string]string
	// mayDiffer is true if the two sides may differ in this facet. The runs of one side may not.
	mayDiffer bool
	// grouping is true if runs are grouped by this facet. The runs of one group never differ in it.
	grouping bool
}

// everyFacet is the word that allows differences in all facets.
const everyFacet = "all"

func allFacets() []runFacet {
	return []runFacet{
		{name: "model", values: modelFacet, grouping: true},
		{name: "scenario", values: singleFacet("scenario", func(f results.FoundRun) string { return f.Scenario }),
			grouping: true},
		{name: "mode", values: singleFacet("mode", func(f results.FoundRun) string { return f.Kind() }), grouping: true},
		{name: "rules", values: rulesFacet},
		{name: "data", values: dataFacet},
		{name: "settings", values: settingsFacet},
		{name: "loadgen", values: singleFacet("loadgen", driverName)},
		{name: "backend", values: backendFacet, mayDiffer: true},
		{name: "machine", values: singleFacet("machine", machineName), mayDiffer: true},
		{name: "versions", values: versionsFacet, mayDiffer: true},
	}
}

// FacetNames returns the names of all facets, "model", "settings" and so on, and the word for all of them. The two
// sides may differ in backend, machine and versions without permission; the runs of one side may not.
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

// checkAlike reports differences between runs of one group, because they count as repetitions of each other.
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

// isServed reports whether all runs of the side are points of servers.
func (s *runSide) isServed() bool {
	for _, g := range s.groups {
		if slices.ContainsFunc(g.runs, func(r results.FoundRun) bool { return r.Serving == nil }) {
			return false
		}
	}
	return true
}

// internalDifferences lists the facets in which the runs of a group differ.
func (g runGroup) internalDifferences(allowed allowedFacets) []PropertyDifference {
	var all []PropertyDifference
	for _, f := range allFacets() {
		if allowed[f.name] && !f.grouping {
			continue
		}
		first := f.values(g.runs[0])
		for _, r := range g.runs[1:] {
			if d := diffMaps(first, f.values(r)); len(d) > 0 {
				all = append(all, d...)
				break
			}
		}
	}
	return all
}

// checkComparable reports the facets in which two groups differ although they must not.
func checkComparable(a, b runGroup, allowed allowedFacets) error {
	var faults []error
	for _, f := range allFacets() {
		if f.mayDiffer || allowed[f.name] {
			continue
		}
		for _, d := range diffMaps(f.values(a.runs[0]), f.values(b.runs[0])) {
			faults = append(faults, fmt.Errorf("%v: %s differs (%s): %q in %s, %q in %s", a, d.About, f.name, d.Base,
				a.side, d.New, b.side))
		}
	}
	return errors.Join(faults...)
}

// differencesBetween lists all facets in which two groups differ.
func differencesBetween(a, b runGroup) []PropertyDifference {
	all := []PropertyDifference{}
	for _, f := range allFacets() {
		all = append(all, diffMaps(f.values(a.runs[0]), f.values(b.runs[0]))...)
	}
	return all
}

// diffMaps lists the keys whose values are known on both sides and differ.
func diffMaps(a, b map[string]string) []PropertyDifference {
	if a == nil || b == nil {
		return nil
	}
	both := maps.Clone(a)
	maps.Copy(both, b)
	var all []PropertyDifference
	for _, about := range slices.Sorted(maps.Keys(both)) {
		if x, y := valueOrAbsent(a, about), valueOrAbsent(b, about); x != "" && y != "" && x != y {
			all = append(all, PropertyDifference{about, x, y})
		}
	}
	return all
}

// absent is the printed value of a key that only the other run has.
const absent = "(none)"

func valueOrAbsent(m map[string]string, about string) string {
	if v, ok := m[about]; ok {
		return v
	}
	return absent
}
