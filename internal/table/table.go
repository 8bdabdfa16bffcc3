// Package table writes aligned text columns.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// Table is a list of rows of cells. Columns are as wide as their widest cell; a row may end early, and its last cell
// never widens the column, so that a long remark does not push the others apart.
type Table struct {
	// Indent begins every line.
	Indent string
	// Right lists the columns that are aligned to the right.
	Right []int
	// Width, if above 0, is where the last cell of a row is broken into lines.
	Width int
	rows  [][]string
}

// Row adds a row; cells are printed as fmt.Sprint does, control characters and line breaks as escapes.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = terminal.Line(fmt.Sprint(c))
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
		head := t.Indent
		for i, cell := range row[:max(0, len(row)-1)] {
			head += t.pad(cell, i, widths[i]) + gap
		}
		for i, line := range t.lastCell(row, widths, utf8.RuneCountInString(head)) {
			if i > 0 {
				head = strings.Repeat(" ", utf8.RuneCountInString(head))
			}
			b.WriteString(strings.TrimRight(head+line, " ") + "\n")
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// lastCell is a row's last cell, in lines where it is too long for what room is left.
func (t *Table) lastCell(row []string, widths []int, before int) []string {
	if len(row) == 0 {
		return []string{""}
	}
	i := len(row) - 1
	if t.Width <= 0 || t.right(i) {
		return []string{t.pad(row[i], i, widths[i])}
	}
	return wrap(row[i], max(leastRoom, t.Width-before))
}

// leastRoom keeps a text readable where the columns before it leave little room.
const leastRoom = 40

// wrap breaks text between words into lines of at most width runes; a longer word has a line of its own.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
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
