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

// Schema names the format of a comparison as JSON; SchemaVersion counts its versions. Within a version fields are only
// added.
const (
	Schema        = "plumbline.comparison"
	SchemaVersion = 1
)

// Comparison is what two sides have in common, and how they differ.
type Comparison struct {
	Schema        string       `json:"schema"`
	SchemaVersion int          `json:"schema_version"`
	Test          string       `json:"test"`  // TestName
	Level         float64      `json:"level"` // below it a difference is larger than the spread
	Base          ComparedSide `json:"base"`
	New           ComparedSide `json:"new"`
	Pairs         []Pair       `json:"pairs"`
	Notes         []string     `json:"notes"` // what was left out, and why
}

// ComparedSide is where one side's runs come from.
type ComparedSide struct {
	Name string `json:"name"` // as the user named it
	Runs int    `json:"runs"` // that came to their end
}

// Pair is the runs of one scenario on both sides; of suites, and of several backends, those of one point.
type Pair struct {
	Name     string `json:"name"`  // what the runs' names have in common
	Model    string `json:"model"` // of the new side, where they differ
	Scenario string `json:"scenario"`
	Kind     string `json:"kind"` // its mode, or the compliance test that it is made for
	BaseRuns int    `json:"base_runs"`
	NewRuns  int    `json:"new_runs"`
	// Differs says what the two sides have that is not the same.
	Differs []Difference `json:"differs"`
	// Notes are remarks on the runs, such as that some are INVALID.
	Notes []string    `json:"notes"`
	Rows  []FigureRow `json:"rows"`
}

// Difference is one thing that is not the same on both sides.
type Difference struct {
	About string `json:"about"` // "backend", "machine"; of a setting its key
	Base  string `json:"base"`
	New   string `json:"new"`
}

// FigureRow compares one figure.
type FigureRow struct {
	Name   string       `json:"name"`
	Also   []string     `json:"also,omitempty"` // other names of the same figure
	Title  string       `json:"title"`
	Unit   string       `json:"unit"`
	Better string       `json:"better"` // "higher", "lower" or empty: nobody can tell
	Main   bool         `json:"main"`   // is shown where not all are asked for
	Base   FigureSample `json:"base"`
	New    FigureSample `json:"new"`
	// Change is the new median over the base's, less one; null where the base's is 0.
	Change figure.Number `json:"change"`
	// P is that of TestName; null where there are too few runs for a verdict.
	P       figure.Number     `json:"p"`
	Verdict DifferenceVerdict `json:"verdict"`
}

// FigureSample is what the runs of one side measured.
type FigureSample struct {
	Values []float64 `json:"values"` // of each run, in the order of the runs
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
}

// DifferenceVerdict says whether a difference is larger than the spread of the runs.
type DifferenceVerdict string

// The verdicts. A figure that is neither good nor bad has Changed in the place of Improved and Worsened.
const (
	Improved DifferenceVerdict = "better"
	Worsened DifferenceVerdict = "worse"
	Changed  DifferenceVerdict = "changed"
	Within   DifferenceVerdict = "within the spread"
	Unknown  DifferenceVerdict = "no verdict" // too few runs
)

// SideInput is one side of a comparison.
type SideInput struct {
	Name string
	results.Set
}

// ErrUnlike says that the two sides are not to be compared.
var ErrUnlike = errors.New("these runs are not alike")

// Compare compares the runs of two sides, scenario by scenario. What allow lists (Facets) may differ; where something
// else does, the error says all that does, and wraps ErrUnlike. Runs that did not come to their end are left out, and
// the comparison says so.
func Compare(base, next SideInput, allow []string) (Comparison, error) {
	allowed, err := parseFacets(allow)
	if err != nil {
		return Comparison{}, sdk.Usage(err)
	}
	c := Comparison{
		Schema: Schema, SchemaVersion: SchemaVersion, Test: TestName, Level: Level, Pairs: []Pair{}, Notes: []string{},
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

// groupSide groups the runs of one side that came to their end.
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

// pairGroups compares the groups that both sides have.
func (c *Comparison) pairGroups(a, b runSide, allowed allowedFacets) error {
	var faults []error
	for _, g := range a.groups {
		h := b.groupAt(g.key, g.place)
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
		if a.groupAt(h.key, h.place) == nil {
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
