package standing

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// Schema names the JSON format of a RankingReport, and SchemaVersion is its version. A version only gains fields.
const (
	Schema        = "plumbline.standing"
	SchemaVersion = 1
)

// Note is the note in every ranking on the figures of published results and the status of the user's own run.
const Note = "Figures of published results come from the logs in the trees, as harness submission results reads " +
	"them. Your own run is not an MLPerf result: it was not submitted, reviewed or verified by MLCommons."

// RankingReport contains rankings for display.
type RankingReport struct {
	Schema        string       `json:"schema"`
	SchemaVersion int          `json:"schema_version"`
	Note          string       `json:"note"`
	Trees         []ResultTree `json:"trees"`
	Rankings      []Ranking    `json:"rankings"`
	NotRead       []string     `json:"not_read"` // own runs that cannot be ranked, with the reasons
}

// ResultTree describes a tree of results that was read.
type ResultTree struct {
	Name    string `json:"tree"` // as the user named it
	Round   string `json:"round"`
	Basis   string `json:"basis"` // how the round was determined
	Results int    `json:"results"`
}

// NewReport returns a report of rankings.
func NewReport(published []Published, rankings []Ranking, notRead []string) RankingReport {
	r := RankingReport{Schema, SchemaVersion, Note, []ResultTree{}, rankings, append([]string{}, notRead...)}
	for _, p := range published {
		basis := fmt.Sprintf("by the seeds of %d of %d logs", p.Round.Runs, p.Round.RunsRead)
		if p.Round.Runs == 0 {
			basis = "as --rules says"
		}
		r.Trees = append(r.Trees, ResultTree{p.Tree, p.Round.Name, basis, len(p.Results)})
	}
	return r
}

// WriteJSON writes the report as JSON.
func (r RankingReport) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// WriteCSV writes a header and one line per entry of each ranking.
func (r RankingReport) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{ // out.Error returns the error
		"benchmark", "scenario", "place", "own", "round", "division", "availability", "submitter", "system", "system_name",
		"system_type", "value", "unit", "result", "result_unit", "power", "power_unit", "accuracy", "accelerator",
		"accelerators", "nodes", "processor", "framework", "inferred_from", "tree", "folder",
	})
	for _, ranking := range r.Rankings {
		for _, e := range ranking.Entries {
			_ = out.Write(e.csvFields(ranking))
		}
	}
	out.Flush()
	return out.Error()
}

func (e RankedEntry) csvFields(r Ranking) []string {
	power, unit := "", ""
	if e.Power != nil {
		power, unit = e.Power.Text, e.Power.Unit
	}
	value := strconv.FormatFloat(float64(e.Value), 'g', -1, 64)
	if e.Text == "" {
		value = ""
	}
	return []string{
		r.Benchmark, r.Scenario, count(e.Place), strconv.FormatBool(e.Own), e.Round, e.Division, e.Availability, e.Submitter,
		e.System, e.SystemName, e.SystemType, value, r.Unit, e.Result.Text, e.Result.Unit, power, unit, e.AccuracyText(),
		e.Accelerator, count(e.Accelerators), count(e.Nodes), e.Processor, e.Framework, e.InferredFrom, e.Tree, e.Folder,
	}
}

// count formats a number; 0 means unknown.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Title returns the subject of a ranking: "resnet Offline, closed division, per accelerator".
func (r Ranking) Title() string {
	text := r.Benchmark + " " + r.Scenario
	if r.Division != allText {
		text += ", " + r.Division + " division"
	}
	if r.Availability != allText {
		text += ", " + r.Availability
	}
	if r.Per != PerSystem {
		text += ", per " + string(r.Per)
	}
	return text
}

// allText is the text of a choice that the user did not make.
const allText = "all"

// Standing describes the place of a run in one sentence.
func (r Ranking) Standing(o OwnRun) string {
	among := figure.Plural(r.Published, "published result")
	if o.Place == 0 {
		return "no place among " + among
	}
	best := "higher"
	if !r.HigherBetter {
		best = "lower"
	}
	text := fmt.Sprintf("place %d of %d, among %s (%s is better)", o.Place, r.Published+1, among, best)
	if len(o.Marks) > 0 {
		text = "would be " + text
	}
	return text
}

// Against returns the ratio of a value to the own value: "2.31 x".
func (r Ranking) Against(e RankedEntry, o OwnRun) string {
	if o.Value == 0 || e.Text == "" || e.Own {
		return ""
	}
	return figure.Short(float64(e.Value)/float64(o.Value)) + " x"
}

// Near returns the entries to show of a long ranking: the best, the last, and those around the own runs. nil marks
// omitted entries.
func (r Ranking) Near(around int) []*RankedEntry {
	const ends = 3
	shown := make([]bool, len(r.Entries))
	mark := func(from, to int) {
		for i := max(from, 0); i < min(to, len(shown)); i++ {
			shown[i] = true
		}
	}
	mark(0, ends)
	mark(len(shown)-1, len(shown))
	for i, e := range r.Entries {
		if e.Own {
			mark(i-around, i+around+1)
		}
	}
	var all []*RankedEntry
	for i := range r.Entries {
		switch {
		case shown[i]:
			all = append(all, &r.Entries[i])
		case len(all) > 0 && all[len(all)-1] != nil:
			all = append(all, nil)
		}
	}
	return all
}

// chosenOwn returns the first own run with a place, or the first run.
func (r Ranking) chosenOwn() OwnRun {
	for _, o := range r.Own {
		if o.Place > 0 {
			return o
		}
	}
	return r.Own[0]
}

// Remarks returns remarks on a run: its kind, the reason for a missing place, and what is not comparable.
func (o OwnRun) Remarks() []string {
	text := o.Kind
	if o.Verdict != "" {
		text += ", " + o.Verdict
	}
	return append([]string{text}, append(append([]string{}, o.NoPlace...), o.Marks...)...)
}

// roundsText lists the rounds of a ranking with the numbers of results: "v5.1 (41 results), v6.0 (22 results)".
func (r Ranking) roundsText() string {
	rounds := make([]string, len(r.Rounds))
	for i, r := range r.Rounds {
		rounds[i] = r.Name + " (" + figure.Plural(r.Results, "result") + ")"
	}
	return cmp.Or(strings.Join(rounds, ", "), "none")
}
