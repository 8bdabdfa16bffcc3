package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// WriteJSON writes a Comparison, or a list of them, as JSON.
func WriteJSON[C Comparison | []Comparison](w io.Writer, c C) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the comparison as JSON: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteText writes the comparison for a terminal: the main figures of each pair, or all if every is true.
func (c Comparison) WriteText(w io.Writer, all bool) error {
	b := terminal.WriterTo(w)
	t := table.Table{}
	t.Row("BASE", c.Base.Name, figure.Plural(c.Base.Runs, "run"))
	t.Row("NEW", c.New.Name, figure.Plural(c.New.Runs, "run"))
	_, _ = t.WriteTo(b)
	for _, p := range c.Pairs {
		p.writePair(b, all)
	}
	b.Print("\n")
	for _, n := range append(c.Legend(), c.Notes...) {
		b.Print(n, "\n")
	}
	return b.Err()
}

func (p ScenarioPair) writePair(b *terminal.Writer, all bool) {
	b.Print("\n", terminal.Span{Style: terminal.Heading, Text: p.Title()},
		fmt.Sprintf(": %s against %d\n", figure.Plural(p.NewRuns, "run"), p.BaseRuns))
	d := table.Table{Indent: "  "}
	for _, x := range p.Differs {
		d.Row(x.About, x.Base+" -> "+x.New)
	}
	_, _ = d.WriteTo(b)
	for _, n := range p.Notes {
		b.Print("  ", n, "\n")
	}
	b.Print("\n")
	t := p.FigureTable(all)
	t.Indent = "  "
	_, _ = t.WriteTo(b)
}

// FigureTable returns the table of the pair's main figures, or of all figures if every is true.
func (p ScenarioPair) FigureTable(all bool) *table.Table {
	rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r FigureRow) bool { return !all && !r.Main })
	spread := slices.ContainsFunc(rows, func(r FigureRow) bool { return r.Base.SpreadText()+r.New.SpreadText() != "" })
	t := &table.Table{RightAligned: []int{2, 3, 4}}
	head := []any{"NAME", "", "BASE", "NEW", "CHANGE", "VERDICT"}
	if spread {
		t.RightAligned, head = []int{2, 3, 4, 5, 6}, []any{"NAME", "", "BASE", "", "NEW", "", "CHANGE", "VERDICT"}
	}
	t.Head(head...)
	for _, r := range rows {
		base, next := r.Text(r.Base.Median), r.Text(r.New.Median)
		if spread {
			t.Row(r.Name, r.Heading(), base, r.Base.SpreadText(), next, r.New.SpreadText(), r.ChangeText(), r.verdictSpan())
		} else { // a single run per side has no spread
			t.Row(r.Name, r.Heading(), base, next, r.ChangeText(), r.verdictSpan())
		}
	}
	return t
}

// Title returns the pair's title: "resnet50 Server performance batch=4".
func (p ScenarioPair) Title() string {
	return cmp.Or(p.Name, record.Run{Model: p.Model, Scenario: p.Scenario, Mode: p.Kind}.Name())
}

// Heading returns the row's title and unit: "mean latency, ms".
func (r FigureRow) Heading() string {
	if r.Unit == "" {
		return r.Title
	}
	return r.Title + ", " + r.Unit
}

// Text formats a value of the row: counts unchanged, other values with five significant figures.
func (r FigureRow) Text(v float64) string {
	if r.Unit == "" && v == math.Trunc(v) && v >= 0 && v < 1e15 {
		return figure.Count(uint64(v))
	}
	return figure.Round(v)
}

// SpreadText returns half of the sample's range divided by its median: "±1.2 %". It is empty for one run.
func (s FigureSample) SpreadText() string {
	if len(s.Values) < 2 || s.Median == 0 {
		return ""
	}
	return "±" + formatPercent(math.Abs((s.Max-s.Min)/2/s.Median))
}

// ChangeText returns the relative change: "+3.1 %".
func (r FigureRow) ChangeText() string {
	change := float64(r.Change)
	switch {
	case math.IsNaN(change):
		return "-"
	case change > 0:
		return "+" + formatPercent(change)
	}
	return formatPercent(change)
}

func formatPercent(fraction float64) string {
	digits := 1
	if math.Abs(fraction) < 0.01 {
		digits = 2
	}
	return fmt.Sprintf("%.*f %%", digits, 100*fraction)
}

// VerdictText returns the verdict with its p-value: "better (p = 0.001)".
func (r FigureRow) VerdictText() string {
	p := float64(r.P)
	switch {
	case r.Verdict == VerdictUnknown:
		return string(VerdictUnknown)
	case p < 0.001:
		return string(r.Verdict) + " (p < 0.001)"
	}
	return fmt.Sprintf("%s (p = %.3f)", r.Verdict, p)
}

// verdictSpan returns the verdict in the style for terminals.
func (r FigureRow) verdictSpan() terminal.Span {
	return terminal.Span{
		Style: map[DifferenceVerdict]terminal.Style{VerdictImproved: terminal.Good, VerdictWorsened: terminal.Bad}[r.Verdict],
		Text:  r.VerdictText(),
	}
}

// Legend explains how to read the rows.
func (c Comparison) Legend() []string {
	lines := []string{"Medians of the runs, ± half of their range."}
	known, unknown := false, false
	for _, p := range c.Pairs {
		if smallestP(p.BaseRuns, p.NewRuns) < SignificanceLevel {
			known = true
		} else {
			unknown = true
		}
	}
	if known {
		lines = append(lines, fmt.Sprintf("better, worse: the difference is larger than the spread of the runs (%s, "+
			"p < %v). Of twenty\nfigures that do not differ, one is said to by chance.", c.Test, c.Level))
	}
	if unknown {
		lines = append(lines, "no verdict: so few runs cannot tell a difference from the spread; make four of each at least "+
			"(harness run --repeat).")
	}
	return lines
}
