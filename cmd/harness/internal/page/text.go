package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	columns "github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/names"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// WriteText writes the report for a terminal: verdicts with reasons, percentiles, charts over time, and profiles.
func (r Report) WriteText(w io.Writer) error {
	b := terminal.WriterTo(w)
	b.Print(r.verdictCounts(), "\n")
	for _, note := range r.resultNotes() {
		b.Print(plainText(note), "\n")
	}
	if err := r.writeRuns(b); err != nil {
		return err
	}
	if err := writeTuned(b, r.Tuned); err != nil {
		return err
	}
	if len(r.Set.Skipped) > 0 {
		t := columns.Table{Indent: "  "}
		for _, text := range r.Set.Skipped {
			t.Row(text)
		}
		b.Print("\n", terminal.Span{Style: terminal.Heading, Text: "not read"}, "\n")
		_, _ = t.WriteTo(b)
	}
	return b.Err()
}

// maxWhole is the maximum number of runs shown with all details. More runs have one line each.
const maxWhole = 300

// writeRuns writes the runs. Many runs are grouped under the names of their benchmarks.
func (r Report) writeRuns(b *terminal.Writer) error {
	called := names.NameRuns(r.Set.Runs)
	if len(r.Set.Runs) > maxWhole {
		return r.writeLines(b, called)
	}
	begun := b.Written()
	for i, f := range r.Set.Runs {
		if b.Written()-begun > 1<<20 {
			b.Print("\n", figure.Count(uint64(len(r.Set.Runs)-i))+" further runs are left out: name their folders\n")
			break
		}
		if err := writeRun(b, f, called[i].Full); err != nil {
			return err
		}
	}
	return nil
}

// writeLines writes one line per run.
func (r Report) writeLines(b *terminal.Writer, called []names.Name) error {
	t := columns.Table{RightAligned: []int{1}}
	t.Head("VERDICT", "RESULT", "RUN")
	for i, f := range r.Set.Runs {
		if title := groupTitle(r.Set.Runs, i); title != "" && (i == 0 || f.Model != r.Set.Runs[i-1].Model) {
			t.Title(title)
		}
		value := ""
		if figure, ok := f.Headline(); ok {
			value = figure.String()
		}
		t.Row(terminal.StyleVerdict(verdictOf(f.Run).Verdict), value, called[i].Full)
	}
	_, err := t.WriteTo(b)
	b.Print("\n", fmt.Sprintf("Of more than %d runs each has a line. harness report of a folder of fewer shows "+
		"all of each.\n", maxWhole))
	return err
}

func writeRun(b *terminal.Writer, f results.FoundRun, name string) error {
	b.Print("\n", terminal.Span{Style: terminal.Heading, Text: plainText(name)}, "  ", plainText(timeText(f.Run)), "\n")
	if err := record.WriteRow(b, f.Run); err != nil {
		return err
	}
	if f.Error != nil {
		b.Print("    ", plainText(f.Error.Class), ": ", plainText(f.Error.Message), "\n")
	}
	if l := latencyTable(f.Run); len(l.Rows) > 0 {
		if err := writeLatencies(b, append([][]string{l.Head}, l.Rows...)); err != nil {
			return err
		}
	}
	return writeCharts(b, f)
}

// indent is the indent of the lines below a run's row.
const indent = "    "

// writeLatencies writes one line per distribution. If the lines are too long for the terminal, it writes one line per
// statistic in several tables.
func writeLatencies(b *terminal.Writer, rows [][]string) error {
	parts := [][][]string{rows}
	if most := b.Columns(); most > 0 && widthOf(rows) > most {
		parts = splitColumns(transpose(rows), most)
	}
	for _, part := range parts {
		t := columns.Table{Indent: indent, RightAligned: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}
		for _, row := range part {
			cells := make([]any, len(row))
			for i, c := range row {
				cells[i] = c
			}
			t.Row(cells...)
		}
		if _, err := t.WriteTo(b); err != nil {
			return err
		}
	}
	return nil
}

// splitColumns splits rows into tables of up to maxWidth columns of the terminal. Each table contains the first cell of
// the rows and at least one other.
func splitColumns(rows [][]string, maxWidth int) (parts [][][]string) {
	for from := 1; from < len(rows[0]); {
		to := from + 1
		part := cutCells(rows, from, to)
		for to < len(rows[0]) && widthOf(cutCells(rows, from, to+1)) <= maxWidth {
			to++
			part = cutCells(rows, from, to)
		}
		parts, from = append(parts, part), to
	}
	return parts
}

// cutCells returns the first cell of each row and those from index from to index to.
func cutCells(rows [][]string, from, to int) [][]string {
	chosen := make([][]string, len(rows))
	for i, row := range rows {
		chosen[i] = slices.Concat(row[:1], row[from:to])
	}
	return chosen
}

// widthOf returns the width of the rows as a table, in columns of the terminal.
func widthOf(rows [][]string) int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], terminal.Width(c))
		}
	}
	sum := len(indent)
	for _, w := range widths {
		sum += w + len("  ")
	}
	return sum - len("  ")
}

// transpose swaps rows and columns. It shortens the titles of distributions.
func transpose(rows [][]string) [][]string {
	out := make([][]string, len(rows[0]))
	for i, row := range rows {
		for j, c := range row {
			if i > 0 && j == 0 {
				c = shortTitle(c)
			}
			out[j] = append(out[j], c)
		}
	}
	return out
}

func shortTitle(title string) string {
	samples := []metric.Times{metric.Latency.OfSamples()}
	for _, d := range slices.Concat(metric.Distributions(), metric.ServingDistributions(), samples) {
		if d.Title == title {
			return d.Short
		}
	}
	return title
}

// plainText removes control characters and line breaks, so that results cannot control the terminal.
func plainText(text string) string { return strings.TrimSpace(terminal.Line(text)) }

// The limits of the number of blocks in a line.
const (
	maxBlocks = 56
	minBlocks = 16
)

func writeCharts(b *terminal.Writer, f results.FoundRun) error {
	if f.Performance == nil {
		return nil
	}
	all, missing := Charts(f)
	charts := slices.DeleteFunc(all, func(c plot.Chart) bool { at, _ := c.OverTime(); return at == nil })
	titles, ranges := make([]string, len(charts)), make([]string, len(charts))
	widest, longest := 0, 0
	for i, c := range charts {
		low, high, unit := c.Range()
		titles[i], ranges[i] = strings.ToLower(c.Title), fmt.Sprintf("%s to %s %s", low, high, unit)
		widest, longest = max(widest, terminal.Width(titles[i])), max(longest, terminal.Width(ranges[i]))
	}
	n := maxBlocks
	if most := b.Columns(); most > 0 {
		n = min(n, max(minBlocks, most-len(indent)-widest-longest-2*len("  ")))
	}
	t := columns.Table{Indent: indent}
	for i, c := range charts {
		t.Row(titles[i], blockLine(c, n), ranges[i])
	}
	if missing != "" {
		t.Row(missing)
	}
	_, err := t.WriteTo(b)
	return err
}

// blockLine draws a line over time with n blocks. Each shows the highest value of its interval.
func blockLine(c plot.Chart, n int) string {
	const levels = "▁▂▃▄▅▆▇█"
	at, values := c.OverTime()
	steps := c.Dots == nil
	from, to := at[0], at[len(at)-1]
	tops := make([]float64, n)
	most := 0.0
	for i, x := range at {
		k := 0
		if to > from {
			k = min(int((x-from)/(to-from)*float64(n)), n-1)
		}
		tops[k], most = max(tops[k], values[i]), max(most, values[i])
	}
	var b strings.Builder
	last := 0.0
	for _, v := range tops {
		if v == 0 && steps { // an empty block between two steps
			v = last
		}
		last = v
		k := 0
		if most > 0 {
			k = min(int(v/most*8), 7)
		}
		b.WriteRune([]rune(levels)[k])
	}
	return b.String()
}
