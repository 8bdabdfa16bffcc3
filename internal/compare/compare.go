// Package compare computes the difference between the runs of two sides, and whether it exceeds the spread within one
// side.
//
// In scope: finished runs (package results). Out of scope: texts and pages; the interpretation of a difference.
package compare

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// Schema names the JSON format of a comparison, and SchemaVersion is its version. A version only gains fields.
const (
	Schema        = "plumbline.comparison"
	SchemaVersion = 1
)

// Comparison contains what two sides have in common and how they differ.
type Comparison struct {
	Schema        string         `json:"schema"`
	SchemaVersion int            `json:"schema_version"`
	Test          string         `json:"test"`  // TestName
	Level         float64        `json:"level"` // significance level: with P below it, a difference exceeds the spread
	Base          ComparedSide   `json:"base"`
	New           ComparedSide   `json:"new"`
	Pairs         []ScenarioPair `json:"pairs"`
	Notes         []string       `json:"notes"` // what was left out and why
}

// ComparedSide identifies the runs of one side.
type ComparedSide struct {
	Name string `json:"name"` // the user's name for the side
	Runs int    `json:"runs"` // finished runs only
}

// ScenarioPair contains the runs of one scenario on both sides. For suites and several backends, it contains those of
// one point.
type ScenarioPair struct {
	Name     string `json:"name"`  // common part of the runs' names
	Model    string `json:"model"` // the new side's if they differ
	Scenario string `json:"scenario"`
	Kind     string `json:"kind"` // mode or compliance test
	BaseRuns int    `json:"base_runs"`
	NewRuns  int    `json:"new_runs"`
	// Differs lists what differs between the sides, such as the backend.
	Differs []PropertyDifference `json:"differs"`
	// Notes contains remarks on the runs, such as that some are INVALID.
	Notes []string    `json:"notes"`
	Rows  []FigureRow `json:"rows"`
}

// PropertyDifference is a property with different values on the two sides.
type PropertyDifference struct {
	About string `json:"about"` // "backend", "machine"; the key of a setting
	Base  string `json:"base"`
	New   string `json:"new"`
}

// FigureRow compares one figure.
type FigureRow struct {
	Name    string       `json:"name"`
	Aliases []string     `json:"also,omitempty"` // other names of the same figure
	Title   string       `json:"title"`
	Unit    string       `json:"unit"`
	Better  string       `json:"better"` // "higher", "lower" or empty if unknown
	Main    bool         `json:"main"`   // part of the short table
	Base    FigureSample `json:"base"`
	New     FigureSample `json:"new"`
	// Change is (new median - base median) / base median; null if the base's median is 0.
	Change figure.Number `json:"change"`
	// P is the p-value of TestName; null if there are too few runs for a verdict.
	P       figure.Number     `json:"p"`
	Verdict DifferenceVerdict `json:"verdict"`
}

// FigureSample contains a figure's values in the runs of one side.
type FigureSample struct {
	Values []float64 `json:"values"` // one value per run, in the order of the runs
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
}

// DifferenceVerdict states whether a difference is larger than the spread of the runs.
type DifferenceVerdict string

// The verdicts. Changed replaces VerdictImproved and VerdictWorsened for figures without a better direction.
const (
	VerdictImproved DifferenceVerdict = "better"
	VerdictWorsened DifferenceVerdict = "worse"
	VerdictChanged  DifferenceVerdict = "changed"
	VerdictWithin   DifferenceVerdict = "within the spread"
	VerdictUnknown  DifferenceVerdict = "no verdict" // too few runs
)

// SideInput is the name and the runs of one side of a comparison.
type SideInput struct {
	Name string
	results.Set
}

// ErrUnlike is the error for sides that differ in a facet that must be equal.
var ErrUnlike = errors.New("these runs are not alike")

// Compare compares the runs of two sides, scenario by scenario. allow lists the facets (FacetNames) that may differ. If
// other facets differ, the error lists all differences and wraps ErrUnlike. Unfinished runs are left out, and the
// comparison's notes state this.
func Compare(base, next SideInput, allow []string) (Comparison, error) {
	allowed, err := parseFacets(allow)
	if err != nil {
		return Comparison{}, sdk.Usage(err)
	}
	c := Comparison{
		Schema: Schema, SchemaVersion: SchemaVersion, Test: TestName, Level: SignificanceLevel, Pairs: []ScenarioPair{},
		Notes: []string{},
	}
	a, err1 := c.groupSide(base, allowed)
	b, err2 := c.groupSide(next, allowed)
	if err := errors.Join(err1, err2); err != nil {
		return Comparison{}, err
	}
	matchGroups(&a, &b)
	if err := errors.Join(a.checkAlike(allowed), b.checkAlike(allowed)); err != nil {
		return Comparison{}, err
	}
	c.Base, c.New = a.toSide(), b.toSide()
	if err := c.pairGroups(a, b, allowed); err != nil {
		return Comparison{}, err
	}
	return c, nil
}

// groupSide groups the finished runs of one side.
func (c *Comparison) groupSide(in SideInput, allowed allowedFacets) (runSide, error) {
	s := runSide{name: in.Name}
	for _, skipped := range in.Skipped {
		c.Notes = append(c.Notes, "left out: "+skipped)
	}
	unfinished := map[string]int{}
	for _, f := range in.Runs {
		if done, why := isFinished(f); !done {
			unfinished[why]++
			continue
		}
		s.addRun(f, allowed)
	}
	for _, why := range sortedKeys(unfinished) {
		c.Notes = append(c.Notes, fmt.Sprintf("left out of %s: %s %s", in.Name, figure.Plural(unfinished[why], "run"), why))
	}
	if len(s.groups) == 0 {
		return s, sdk.Data(fmt.Errorf("%s: no run that came to its end%s", in.Name, countText(unfinished)))
	}
	return s, nil
}

// pairGroups compares the groups that exist on both sides.
func (c *Comparison) pairGroups(a, b runSide, allowed allowedFacets) error {
	var faults []error
	for _, g := range a.groups {
		h := b.findGroup(g.key, g.place)
		if h == nil {
			c.Notes = append(c.Notes, fmt.Sprintf("only in %s: %v", a.name, g))
			continue
		}
		if err := checkComparable(g, *h, allowed); err != nil {
			faults = append(faults, err)
			continue
		}
		c.Pairs = append(c.Pairs, newPair(g, *h))
	}
	for _, h := range b.groups {
		if a.findGroup(h.key, h.place) == nil {
			c.Notes = append(c.Notes, fmt.Sprintf("only in %s: %v", b.name, h))
		}
	}
	if len(c.Pairs)+len(faults) == 0 {
		faults = append(faults, fmt.Errorf("nothing in common: %s has %s, and %s has %s", a.name, a.keysText(), b.name,
			b.keysText()))
	}
	if len(faults) == 0 {
		return nil
	}
	return sdk.Usage(fmt.Errorf("%w: %w\n--allow-unlike WHAT,... compares them all the same: %s", ErrUnlike,
		errors.Join(faults...), facetNames()))
}
