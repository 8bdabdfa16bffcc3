package compare

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"
)

// TimelineSchema names the JSON format of a timeline.
const TimelineSchema = "plumbline.history"

// Timeline contains the results of each benchmark over time.
type Timeline struct {
	Schema        string            `json:"schema"`
	SchemaVersion int               `json:"schema_version"`
	Test          string            `json:"test"`  // TestName
	Level         float64           `json:"level"` // significance level: with P below it, a change exceeds the spread
	Series        []BenchmarkSeries `json:"series"`
	Notes         []string          `json:"notes"` // what was left out and why
}

// BenchmarkSeries contains the main figure of one benchmark, oldest entry first.
type BenchmarkSeries struct {
	Name    string          `json:"name"` // common part of the runs' names
	Metric  string          `json:"metric"`
	Title   string          `json:"title"`
	Unit    string          `json:"unit"`
	Better  string          `json:"better"` // "higher", "lower" or empty
	Entries []TimelineEntry `json:"entries"`
}

// TimelineEntry contains consecutive runs with the same commit and label. If both are unknown, it contains those of one
// day.
type TimelineEntry struct {
	Started  time.Time `json:"started"` // start of the first run
	Commit   string    `json:"commit,omitempty"`
	Label    string    `json:"label,omitempty"`
	Verdicts string    `json:"verdicts,omitempty"` // those of runs that are not good
	// Differs lists the differences from the previous entry.
	Differs []PropertyDifference `json:"differs,omitempty"`
	// FigureRow contains the entry's runs as New. Base contains all runs since the last change; it has no values in the
	// first entry.
	FigureRow
}

// VerdictFirst is the verdict of the first entry of a series.
const VerdictFirst DifferenceVerdict = "first"

// NewTimeline orders the runs of a set by benchmark and time, and compares each entry with all runs since the last
// change. Runs from one file keep the order of its lines. Unfinished runs are left out, and the timeline's notes state
// this. If no run is left, it returns an error.
func NewTimeline(name string, set results.Set) (Timeline, error) {
	t := Timeline{Schema: TimelineSchema, SchemaVersion: SchemaVersion, Test: TestName, Level: SignificanceLevel,
		Series: []BenchmarkSeries{}}
	set.Runs = slices.Clone(set.Runs)
	slices.SortStableFunc(set.Runs, func(a, b results.FoundRun) int {
		if a.File == b.File {
			return 0
		}
		return a.Started.Compare(b.Started)
	})
	var c Comparison
	side, err := c.groupSide(SideInput{name, set}, allowedFacets{})
	if err != nil {
		return t, err
	}
	t.Notes = append(c.Notes, backwardNotes(side.groups)...)
	for _, g := range side.groups {
		s, ok := newSeries(g)
		if !ok {
			t.Notes = append(t.Notes, fmt.Sprintf("left out: %v has no figure that all of its runs have", g))
			continue
		}
		t.Series = append(t.Series, s)
	}
	if len(t.Series) == 0 {
		return t, sdk.Data(fmt.Errorf("%s: no figure to follow: %s", name, strings.Join(t.Notes, "; ")))
	}
	return t, nil
}

// backwardNotes reports the runs of a file that started before the previous line's run.
func backwardNotes(groups []runGroup) (notes []string) {
	for _, g := range groups {
		for i, r := range g.runs[1:] {
			if before := g.runs[i]; r.Started.Before(before.Started) && r.File == before.File {
				notes = append(notes, fmt.Sprintf("%v: a run of %s follows one of %s: the clock went back, and the order is "+
					"that of the lines", g, timeText(r.Started), timeText(before.Started)))
			}
		}
	}
	return notes
}

// newSeries builds the series of a group's main figure.
func newSeries(g runGroup) (s BenchmarkSeries, ok bool) {
	figures := gatherFigures(g.runs)
	at := slices.IndexFunc(figures.order, func(m metric.Metric) bool { return m.Main })
	if at < 0 {
		return s, false
	}
	m := figures.order[at]
	s = BenchmarkSeries{Name: g.String(), Metric: m.Name, Title: m.Title, Unit: m.Unit}
	values := figures.values[m.Name]
	var base []float64
	var before runGroup
	for from := 0; from < len(g.runs); {
		to := from + 1
		for to < len(g.runs) && entryKey(g.runs[to]) == entryKey(g.runs[from]) {
			to++
		}
		own := g
		own.runs = g.runs[from:to]
		e := newEntry(own, m, base, values[from:to])
		if before.runs != nil {
			e.Differs = differencesBetween(before, own)
		}
		if e.Verdict != VerdictWithin && e.Verdict != VerdictUnknown {
			base = nil
		}
		base, before, from = append(slices.Clone(base), values[from:to]...), own, to
		s.Entries = append(s.Entries, e)
	}
	s.Better = s.Entries[0].Better
	return s, true
}

// entryKey returns the key that the runs of one entry share.
func entryKey(r results.FoundRun) string {
	if r.Commit == "" && r.Identity.Label == "" {
		return r.Started.UTC().Format(time.DateOnly)
	}
	return r.Commit + "\n" + r.Identity.Label
}

func newEntry(g runGroup, m metric.Metric, base, values []float64) TimelineEntry {
	first := len(base) == 0
	if first {
		base = values
	}
	r := g.runs[0]
	e := TimelineEntry{Started: r.Started, Commit: r.Commit, Label: r.Identity.Label, Verdicts: badVerdicts(g.runs),
		FigureRow: newRow(m, base, values)}
	if first {
		none := figure.Number(math.NaN())
		e.Base, e.Change, e.P, e.Verdict = FigureSample{Values: []float64{}}, none, none, VerdictFirst
	}
	return e
}

// ComparisonText describes in words how the entry compares with its base.
func (e TimelineEntry) ComparisonText() string {
	if e.Verdict == VerdictFirst {
		return string(VerdictFirst)
	}
	return e.VerdictText()
}

// CommitText returns the abbreviated commit.
func (e TimelineEntry) CommitText() string { return shortChecksum(e.Commit) }

// DateText returns the start time of the entry.
func (e TimelineEntry) DateText() string { return timeText(e.Started) }

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// DiffersText returns the differences from the previous entry in one line.
func (e TimelineEntry) DiffersText() string {
	texts := make([]string, len(e.Differs))
	for i, d := range e.Differs {
		texts[i] = d.About + " " + d.Base + " -> " + d.New
	}
	return strings.Join(texts, "; ")
}

// Heading returns the title and unit of the series.
func (s BenchmarkSeries) Heading() string { return FigureRow{Title: s.Title, Unit: s.Unit}.Heading() }

// Table returns the table of the series.
func (s BenchmarkSeries) Table() *table.Table {
	t := &table.Table{RightAligned: []int{3, 4, 5, 6}}
	t.Head("DATE", "COMMIT", "LABEL", "RUNS", s.Metric, "±", "CHANGE", "VERDICT", "NOTE")
	for _, e := range s.Entries {
		verdict := e.verdictSpan()
		verdict.Text = e.ComparisonText()
		note := e.Verdicts
		if more := e.DiffersText(); note != "" && more != "" {
			note += "; " + more
		} else {
			note += more
		}
		t.Row(e.DateText(), e.CommitText(), e.Label, len(e.New.Values), e.Text(e.New.Median), e.New.SpreadText(),
			e.ChangeText(), verdict, note)
	}
	return t
}

// Legend explains how to read the timeline.
func (t Timeline) Legend() []string {
	return []string{
		fmt.Sprintf("CHANGE is of the median, against all runs since the last change. A change counts where p < %g (%s).",
			t.Level, t.Test),
		"Four runs of each entry decide (--repeat 4), or one against forty; with fewer there is no verdict.",
	}
}

// WriteText writes the timeline for a terminal.
func (t Timeline) WriteText(w io.Writer) error {
	b := terminal.WriterTo(w)
	for i, s := range t.Series {
		if i > 0 {
			b.Print("\n")
		}
		b.Print(terminal.Span{Style: terminal.Heading, Text: s.Name}, ": "+s.Heading()+"\n\n")
		rows := s.Table()
		rows.Indent = "  "
		_, _ = rows.WriteTo(b)
	}
	b.Print("\n")
	for _, line := range append(t.Legend(), t.Notes...) {
		b.Print(line, "\n")
	}
	return b.Err()
}

// WriteJSON writes the timeline as JSON.
func (t Timeline) WriteJSON(w io.Writer) error {
	if t.Notes == nil {
		t.Notes = []string{}
	}
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the history as JSON: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteCSV writes one line per entry. VerdictUnknown numbers are empty.
func (t Timeline) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"series", "metric", "unit", "started", "commit", "label", "runs", "median", "min", "max",
		"change", "p", "verdict", "run_verdicts"})
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, s := range t.Series {
		for _, e := range s.Entries {
			_ = out.Write([]string{s.Name, s.Metric, s.Unit, e.Started.UTC().Format(time.RFC3339), e.Commit, e.Label,
				strconv.Itoa(len(e.New.Values)), number(e.New.Median), number(e.New.Min), number(e.New.Max),
				number(float64(e.Change)), number(float64(e.P)), string(e.Verdict), e.Verdicts})
		}
	}
	out.Flush()
	return out.Error()
}

// BadgeText returns the text of a badge for the newest entries, and the worst of their verdicts. For a single series
// the text is its figure. Otherwise it contains the number of series per verdict.
func (t Timeline) BadgeText() (subject, text string, worst DifferenceVerdict) {
	count := map[DifferenceVerdict]int{}
	for _, s := range t.Series {
		count[s.Entries[len(s.Entries)-1].Verdict]++
	}
	order := []DifferenceVerdict{VerdictWorsened, VerdictChanged, VerdictImproved, VerdictWithin, VerdictUnknown,
		VerdictFirst}
	var present []DifferenceVerdict
	for _, v := range order {
		if count[v] > 0 {
			present = append(present, v)
		}
	}
	if len(t.Series) == 1 {
		s := t.Series[0]
		e := s.Entries[len(s.Entries)-1]
		return s.Name, strings.TrimSpace(e.Text(e.New.Median) + " " + cmp.Or(s.Unit, s.Title)), present[0]
	}
	parts := make([]string, len(present))
	for i, v := range present {
		parts[i] = fmt.Sprintf("%d %s", count[v], v)
	}
	return figure.Plural(len(t.Series), "benchmark"), strings.Join(parts, ", "), present[0]
}
