package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// suiteRow is a row in a suite's table: a run with all its repeats.
type suiteRow struct {
	name, scenario, kind string
	verdicts             []string
	figures              []record.Figure
}

// writeTable prints the table of the suite and the number of runs that were not made. In a round it omits the runs that
// an interrupt prevented, because the table of benchmarks counts them.
func (s *suiteRun) writeTable(left int) error {
	t, rows := table.Table{Indent: "  "}, s.gatherRows()
	if len(s.Benchmarks) > 0 {
		rows = slices.DeleteFunc(rows, (*suiteRow).isPrevented)
	}
	repeated := slices.ContainsFunc(rows, func(r *suiteRow) bool { return len(r.figures) > 1 })
	head := []any{"run", "scenario", "mode", "verdict", "result"}
	if repeated {
		head = append(head, "from, to")
	}
	t.Head(append(head, "of")...)
	for _, r := range rows {
		value, spread, of := r.resultText()
		cells := []any{r.name, r.scenario, r.kind, r.worstVerdict(), value}
		if repeated {
			cells = append(cells, spread)
		}
		t.Row(append(cells, of)...)
	}
	if t.Len() == 1 && left == 0 {
		return nil // tasks have their own table
	}
	terminal.WriterTo(s.Stdout).Print("\n", terminal.Span{Style: terminal.Heading, Text: s.Name}, ", in "+s.Out+"\n\n")
	if t.Len() > 1 {
		if _, err := t.WriteTo(s.Stdout); err != nil || left == 0 {
			return err
		}
		fmt.Fprintln(s.Stdout)
	}
	if left > 0 {
		_, err := fmt.Fprintf(s.Stdout, "%d of %s not made; the same command makes them\n", left,
			figure.Plural(s.countRuns(), "run"))
		return err
	}
	return nil
}

// countRuns returns the number of the suite's runs, made or not.
func (s *suiteRun) countRuns() (n int) {
	for _, r := range s.results {
		n += max(1, len(r.points))
	}
	return n
}

// isPrevented reports whether an interrupt prevented all repeats.
func (r *suiteRow) isPrevented() bool {
	return !slices.ContainsFunc(r.verdicts, func(v string) bool { return v != notMade+interruptedReason })
}

// gatherRows returns the rows of all runs with their repeats.
func (s *suiteRun) gatherRows() []*suiteRow {
	var rows []*suiteRow
	for _, r := range s.results {
		if r.isMeasured() {
			continue
		}
		for _, one := range r.allRecords() {
			r.run = one
			rows = addRow(rows, r)
		}
	}
	return rows
}

// addRow adds a result to the row of its repeats, or as a new row.
func addRow(rows []*suiteRow, r suiteResult) []*suiteRow {
	row := suiteRow{name: r.resultName(), scenario: r.run.Scenario, kind: r.run.Kind()}
	at := slices.IndexFunc(rows, func(o *suiteRow) bool {
		return o.name == row.name && o.scenario == row.scenario && o.kind == row.kind
	})
	if at < 0 {
		at, rows = len(rows), append(rows, &row)
	}
	rows[at].addRepeat(r)
	return rows
}

// resultName returns the common name of a run's repeats: the user's label, the entry and the point of its matrix.
func (r suiteResult) resultName() string {
	job := r.job
	job.Repeats = 1
	if job.Server != "" {
		job.Point = r.run.Identity.Point // includes the load
	}
	if label := r.run.Identity.Label; label != "" {
		return label + ": " + job.String()
	}
	return job.String()
}

// notMade precedes the reason why a run was not made.
const notMade = "not made: "

// addRepeat adds a repeat to the row. It ignores the figures of unfinished runs.
func (r *suiteRow) addRepeat(one suiteResult) {
	if one.unmadeReason != "" {
		r.verdicts = append(r.verdicts, notMade+one.unmadeReason)
		return
	}
	r.verdicts = append(r.verdicts, one.run.Verdict)
	if f, ok := one.run.Headline(); ok && one.run.Status == record.Complete {
		r.figures = append(r.figures, f)
	}
}

// worstVerdict returns the verdicts of all repeats in the style of the worst.
func (r *suiteRow) worstVerdict() terminal.Span {
	span := terminal.Span{Text: r.verdictText()}
	for i, v := range r.verdicts {
		if style := terminal.StyleVerdict(v).Style; i == 0 || style == terminal.Bad || span.Style == terminal.Good {
			span.Style = style
		}
	}
	return span
}

// verdictText returns "VALID", or "2 VALID, 1 INVALID" for several repeats.
func (r *suiteRow) verdictText() string {
	var kinds, parts []string
	count := map[string]int{}
	for _, v := range r.verdicts {
		if count[v]++; count[v] == 1 {
			kinds = append(kinds, v)
		}
	}
	if len(kinds) == 1 {
		return kinds[0]
	}
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%d %s", count[k], k))
	}
	return strings.Join(parts, ", ")
}

// resultText returns the figure of a run. For several repeats it returns the median, and the minimum and maximum as
// spread.
func (r *suiteRow) resultText() (value, spread, of string) {
	if len(r.figures) == 0 {
		return "", "", ""
	}
	sorted := slices.SortedFunc(slices.Values(r.figures), func(a, b record.Figure) int {
		return cmp.Compare(a.Value, b.Value)
	})
	first, last := sorted[0], sorted[len(sorted)-1]
	if len(sorted) == 1 {
		return first.String(), "", first.Name
	}
	middle := (sorted[(len(sorted)-1)/2].Value + sorted[len(sorted)/2].Value) / 2
	median := record.Figure{Rounded: figure.Round(float64(middle)), Unit: first.Unit}
	return median.String(), first.Rounded + ", " + last.Rounded, first.Name
}
