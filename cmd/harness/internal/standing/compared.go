package standing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// ComparedProperty is a property of a run and of the published results in its ranking.
type ComparedProperty struct {
	About     string `json:"about"` // "round", "division", "availability", "LoadGen", "accuracy", "power", "machine"
	Own       string `json:"own"`
	Published string `json:"published"`
}

// unknownText is the value of an unknown property of a run.
const unknownText = "not known"

// compareOwn compares the properties of a run with those of the published results.
func (r Ranking) compareOwn(o OwnRun) []ComparedProperty {
	var published []RankedEntry
	for _, e := range r.Entries {
		if !e.Own {
			published = append(published, e)
		}
	}
	own := o.AccuracyText()
	if own != "" && o.Verdict != "" {
		own += ", " + o.accuracyOutcome
	}
	driver := "the official one"
	if !o.Published {
		driver = o.Kind
	}
	return []ComparedProperty{
		{"round", o.Round, r.roundsText()},
		{"division", cmp.Or(o.Division, unknownText), countByText(published,
			func(e RankedEntry) string { return e.Division })},
		{"availability", cmp.Or(o.Availability, unknownText), countByText(published,
			func(e RankedEntry) string { return e.Availability })},
		{"LoadGen", driver, "the official one, in reviewed submissions"},
		{"accuracy", cmp.Or(own, unknownText), r.accuracyTargets(o)},
		{"power", cmp.Or(o.PowerText(), "not measured"), fmt.Sprintf("measured of %d of %d", countMeasured(published),
			len(published))},
		{"accelerators", cmp.Or(count(o.Accelerators), unknownText),
			rangeText(published, func(e RankedEntry) int { return e.Accelerators })},
		{"nodes", cmp.Or(count(o.Nodes), unknownText), rangeText(published, func(e RankedEntry) int { return e.Nodes })},
	}
}

// accuracyTargets returns the accuracy targets of the newest round.
func (r Ranking) accuracyTargets(o OwnRun) string {
	rules, err := mlconf.Round(r.Rounds[len(r.Rounds)-1].Name)
	if err != nil {
		return unknownText
	}
	return "at least " + targetText(rules.Targets(o.Model, o.Scenario)) + " (closed, " + rules.Name + ")"
}

func countMeasured(entries []RankedEntry) (n int) {
	for _, e := range entries {
		if e.Power != nil {
			n++
		}
	}
	return n
}

// countByText counts entries by a property, the most frequent first: "available 31, preview 4".
func countByText(entries []RankedEntry, of func(RankedEntry) string) string {
	counts := map[string]int{}
	for _, e := range entries {
		counts[cmp.Or(of(e), unknownText)]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	if len(names) == 1 {
		return names[0]
	}
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = fmt.Sprintf("%s %d", n, counts[n])
	}
	return strings.Join(parts, ", ")
}

// rangeText returns the smallest and largest known number of some entries.
func rangeText(entries []RankedEntry, of func(RankedEntry) int) string {
	var all []int
	for _, e := range entries {
		if n := of(e); n > 0 {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return unknownText
	}
	text := figure.Count(uint64(slices.Min(all)))
	if least, most := slices.Min(all), slices.Max(all); least < most {
		text += " to " + figure.Count(uint64(most))
	}
	if n := len(entries) - len(all); n > 0 {
		text += fmt.Sprintf(", none or %s of %d", unknownText, n)
	}
	return text
}
