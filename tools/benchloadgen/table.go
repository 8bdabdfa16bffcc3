package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// table compares our figures with the official ones.
type table struct {
	title        string
	headings     [4]string // headings of the columns after ours; a column without heading is omitted
	lessIsBetter bool
	rows         [][6]string
}

func newTable(title, recorded, ratio, measured, ratio2 string) *table {
	return &table{title: title, headings: [4]string{recorded, ratio, measured, ratio2}}
}

// addRow adds a row: our runs, the recorded figure (0: none) and the official runs on this machine (nil: none).
func (t *table) addRow(name, unit string, ours []float64, recorded float64, measured []float64) {
	cells := [6]string{name, spreadText(ours) + " " + unit}
	if recorded > 0 {
		cells[2], cells[3] = shortText(recorded), t.ratioText(median(ours), recorded)
	}
	if len(measured) > 0 {
		cells[4], cells[5] = spreadText(measured), t.ratioText(median(ours), median(measured))
	}
	t.rows = append(t.rows, cells)
}

// ratioText returns the factor by which our figure is better.
func (t *table) ratioText(ours, theirs float64) string {
	if t.lessIsBetter {
		ours, theirs = theirs, ours
	}
	if theirs == 0 {
		return ""
	}
	return shortText(ours/theirs) + "x"
}

// write prints the table in Markdown with aligned columns.
func (t *table) write(w io.Writer) error {
	shown := []int{0, 1}
	for i, h := range t.headings {
		if h != "" {
			shown = append(shown, i+2)
		}
	}
	head := [6]string{t.title, "ours", t.headings[0], t.headings[1], t.headings[2], t.headings[3]}
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for i, cells := range append([][6]string{head}, t.rows...) {
		if i == 1 {
			for range shown {
				fmt.Fprint(tw, "|---\t")
			}
			fmt.Fprintln(tw, "|")
		}
		for _, c := range shown {
			fmt.Fprintf(tw, "| %s\t", cells[c])
		}
		fmt.Fprintln(tw, "|")
	}
	fmt.Fprintln(tw)
	return tw.Flush()
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// spreadText returns the median with the minimum and the maximum.
func spreadText(v []float64) string {
	return fmt.Sprintf("%s (%s to %s)", shortText(median(v)), shortText(slices.Min(v)), shortText(slices.Max(v)))
}

// shortText returns a number with three significant digits.
func shortText(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
