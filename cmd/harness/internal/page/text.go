package page

import (
	"fmt"
	"io"
	"strings"

	columns "github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/names"
	"github.com/plumbline-ml/plumbline/bench/record/results"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
)

// WriteText writes the report for a terminal: verdicts with their reasons, percentiles, and how things went over time.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.subtitle())
	for _, note := range r.notes() {
		fmt.Fprintf(&b, "%s\n", note)
	}
	called := names.Of(r.Set.Runs)
	for i, f := range r.Set.Runs {
		if b.Len() > 1<<20 {
			b.WriteString("\nfurther runs are left out: name their folders\n")
			break
		}
		if err := writeRun(&b, f, called[i].Full); err != nil {
			return err
		}
	}
	if len(r.Set.Skipped) > 0 {
		t := columns.Table{Indent: "  "}
		for _, text := range r.Set.Skipped {
			t.Row(text)
		}
		b.WriteString("\nnot read\n")
		if _, err := t.WriteTo(&b); err != nil {
			return err
		}
	}
	for line := range strings.Lines(b.String()) { // no result may write to the terminal as it likes
		if _, err := fmt.Fprintln(w, terminal.Line(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

func writeRun(b *strings.Builder, f results.Found, name string) error {
	fmt.Fprintf(b, "\n%s  %s\n", name, plain(when(f.Run)))
	if err := record.WriteRow(b, f.Run); err != nil {
		return err
	}
	if f.Error != nil {
		fmt.Fprintf(b, "    %s: %s\n", plain(f.Error.Class), plain(f.Error.Message))
	}
	if l := latencies(f.Run); len(l.Rows) > 0 {
		t := columns.Table{Indent: "    ", Right: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}
		for _, row := range append([][]string{l.Head}, l.Rows...) {
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
	return writeCharts(b, f)
}

// plain is text without control characters and line breaks.
func plain(text string) string {
	t := columns.Table{}
	t.Row(text)
	var b strings.Builder
	_, _ = t.WriteTo(&b) // a strings.Builder takes everything
	return strings.TrimSpace(b.String())
}

// blocksOfLine is how many blocks a line has.
const blocksOfLine = 56

func writeCharts(b *strings.Builder, f results.Found) error {
	if f.Performance == nil {
		return nil
	}
	charts, missing := Charts(f)
	t := columns.Table{Indent: "    "}
	for _, c := range charts {
		if at, _ := c.OverTime(); at != nil {
			low, high, unit := c.Range()
			t.Row(strings.ToLower(c.Title), blocks(c), fmt.Sprintf("%s to %s %s", low, high, unit))
		}
	}
	if missing != "" {
		t.Row(missing)
	}
	_, err := t.WriteTo(b)
	return err
}

// blocks draws a line over time: each block is the highest value of its stretch.
func blocks(c plot.Chart) string {
	const levels = "▁▂▃▄▅▆▇█"
	at, values := c.OverTime()
	steps := c.Dots == nil
	from, to := at[0], at[len(at)-1]
	tops := make([]float64, blocksOfLine)
	most := 0.0
	for i, x := range at {
		k := 0
		if to > from {
			k = min(int((x-from)/(to-from)*blocksOfLine), blocksOfLine-1)
		}
		tops[k], most = max(tops[k], values[i]), max(most, values[i])
	}
	var b strings.Builder
	last := 0.0
	for _, v := range tops {
		if v == 0 && steps { // between two steps
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
