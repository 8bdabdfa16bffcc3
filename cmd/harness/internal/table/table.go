// Package table writes aligned text columns.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a list of rows of cells. Columns are as wide as their widest cell; a row may end early, and its last cell
// never widens the column, so that a long remark does not push the others apart.
type Table struct {
	// Indent begins every line.
	Indent string
	// Right lists the columns that are aligned to the right.
	Right []int
	rows  [][]string
}

// Row adds a row; cells are printed as fmt.Sprint does.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// gap is what separates two columns.
const gap = "  "

// WriteTo writes the table. Lines carry no trailing blanks.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	widths := t.widths()
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		line.WriteString(t.Indent)
		for i, cell := range row {
			if i > 0 {
				line.WriteString(gap)
			}
			line.WriteString(t.pad(cell, i, widths[i]))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (t *Table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || t.right(i) {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	return widths
}

func (t *Table) pad(cell string, column, width int) string {
	blanks := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(cell)))
	if t.right(column) {
		return blanks + cell
	}
	return cell + blanks
}

func (t *Table) right(column int) bool {
	for _, r := range t.Right {
		if r == column {
			return true
		}
	}
	return false
}
