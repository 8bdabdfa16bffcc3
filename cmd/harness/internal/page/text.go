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
	b := terminal.On(w)
	begun := b.Written()
	b.Print(r.subtitle(), "\n")
	for _, note := range r.notes() {
		b.Print(plain(note), "\n")
	}
	called := names.Of(r.Set.Runs)
	for i, f := range r.Set.Runs {
		if b.Written()-begun > 1<<20 {
			b.Print("\nfurther runs are left out: name their folders\n")
			break
		}
		if err := writeRun(b, f, called[i].Full); err != nil {
			return err
		}
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

func writeRun(b *terminal.Writer, f results.Found, name string) error {
	b.Print("\n", terminal.Span{Style: terminal.Heading, Text: plain(name)}, "  ", plain(when(f.Run)), "\n")
	if err := record.WriteRow(b, f.Run); err != nil {
		return err
	}
	if f.Error != nil {
		b.Print("    ", plain(f.Error.Class), ": ", plain(f.Error.Message), "\n")
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

// plain is text without control characters and line breaks: no result may write to the terminal as it likes.
func plain(text string) string { return strings.TrimSpace(terminal.Line(text)) }

// blocksOfLine is how many blocks a line has.
const blocksOfLine = 56

func writeCharts(b *terminal.Writer, f results.Found) error {
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
