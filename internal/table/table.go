// Package table writes aligned text columns.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// Table is a list of rows of cells. Columns are as wide as their widest cell. A row may have fewer cells than others.
// Its last cell never widens the column, so a long remark does not push the other columns apart.
//
// On a terminal (terminal.Writer with a width) the table fits the width: the last cells are broken into lines, long
// first cells get their own lines, and wide columns of several words become narrower. If that does not suffice, each
// cell gets a line.
type Table struct {
	// Indent is written before every line.
	Indent string
	// RightAligned lists the columns that are aligned to the right. They are never broken.
	RightAligned []int
	// KeepWhole prevents line breaks in all cells of a row except the last.
	KeepWhole bool

	hasHead bool
	rows    [][]terminal.Span
	titles  map[int]string // by the number of the following row
}

// Title begins a part of the table, after an empty line. It is not indented.
func (t *Table) Title(text string) {
	if t.titles == nil {
		t.titles = map[int]string{}
	}
	t.titles[len(t.rows)] = terminal.Line(text)
}

// Head adds the row of headings. It must precede all other rows.
func (t *Table) Head(cells ...any) {
	t.Row(cells...)
	t.hasHead = true
	for i := range t.rows[0] {
		t.rows[0][i].Style = terminal.Heading
	}
}

// Row adds a row. Cells are printed like fmt.Sprint, with escapes for control characters and line breaks. A
// terminal.Span keeps its style.
func (t *Table) Row(cells ...any) {
	row := make([]terminal.Span, len(cells))
	for i, c := range cells {
		if s, ok := c.(terminal.Span); ok {
			row[i].Style = s.Style
		}
		row[i].Text = terminal.Line(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// gap separates two columns.
const gap = "  "

// WriteTo writes the table without trailing blanks. It returns the number of lines.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	page := terminal.WriterTo(w)
	l := t.chooseLayout(page.Columns())
	var lines int64
	for i, row := range t.rows {
		if title, ok := t.titles[i]; ok {
			page.Print("\n", terminal.Span{Style: terminal.Heading, Text: title}, "\n")
			lines += 2
		}
		switch {
		case !l.stacked:
			lines += t.writeRow(page, row, l)
		case i > 0 || !t.hasHead:
			lines += t.stackCells(page, row)
		}
	}
	return lines, page.Err()
}

// writeRow writes a row with as many lines as its highest cell needs.
func (t *Table) writeRow(page *terminal.Writer, row []terminal.Span, l tableLayout) int64 {
	if len(row) > 1 && l.maxFirst > 0 && terminal.Width(row[0].Text) > l.maxFirst {
		page.Print(t.Indent, row[0], "\n")
		return 1 + t.writeRow(page, append([]terminal.Span{{}}, row[1:]...), l)
	}
	cells := make([][]string, len(row))
	height := 1
	for i, cell := range row {
		cells[i] = t.cellLines(cell.Text, i, i == len(row)-1, l)
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var parts []any
		before := t.Indent
		for i, lines := range cells {
			text := ""
			if n < len(lines) {
				text = lines[n]
			}
			blanks := strings.Repeat(" ", max(0, l.widths[i]-terminal.Width(text)))
			if t.isRightAligned(i) {
				before, blanks = before+blanks, ""
			}
			if text != "" {
				parts, before = append(parts, before, terminal.Span{Style: row[i].Style, Text: text}), ""
			}
			before += blanks + gap
		}
		page.Print(append(parts, "\n")...)
	}
	if last := len(row) - 1; len(row) > 0 && cells[last] == nil {
		deeper := t.Indent + "    "
		for _, line := range terminal.Wrap(row[last].Text, l.columns-len(deeper)) {
			page.Print(deeper, terminal.Span{Style: row[last].Style, Text: line}, "\n")
			height++
		}
	}
	return int64(height)
}

// cellLines returns the lines of a cell. It returns nil for a last cell that has no room next to the others and is
// written below them.
func (t *Table) cellLines(text string, column int, last bool, l tableLayout) []string {
	if l.columns == 0 || text == "" || t.isRightAligned(column) {
		return []string{text}
	}
	room := l.widths[column]
	if last {
		room = l.columns - l.columnStart(column)
	}
	switch {
	case terminal.Width(text) <= room:
		return []string{text}
	case last && column > 0 && (room < minRoom(l.columns) || terminal.LongestWord(text) > room):
		return nil
	}
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	lines := terminal.Wrap(text, max(1, room-len(indent)))
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// stackCells writes each cell of a row on its own line, after its heading.
func (t *Table) stackCells(page *terminal.Writer, row []terminal.Span) (lines int64) {
	indent := t.Indent
	for i, cell := range row {
		if cell.Text == "" {
			continue
		}
		parts := []any{indent}
		if t.hasHead && i < len(t.rows[0]) {
			parts = append(parts, t.rows[0][i], " ")
		}
		page.Print(append(parts, cell, "\n")...)
		indent = t.Indent + gap
		lines++
	}
	return lines
}

// tableLayout contains the widths of the columns.
type tableLayout struct { // width of the terminal; 0: unlimited
	columns  int // of the terminal; 0: any
	indent   int
	widths   []int
	maxFirst int // wider first cells get their own line; 0: none does
	stacked  bool
}

// columnStart returns the position of a column.
func (l tableLayout) columnStart(column int) int {
	at := l.indent
	for _, width := range l.widths[:column] {
		at += width + len(gap)
	}
	return at
}

// minRoom returns the minimum width for text that is broken into lines.
func minRoom(columns int) int { return min(24, columns/2) }

// minColumns is the terminal width from which on a long first cell does not break its row.
const minColumns = 40

// chooseLayout chooses the widths of the columns: their natural widths, or narrower ones without breaking words.
func (t *Table) chooseLayout(columns int) tableLayout {
	l := tableLayout{columns: columns, indent: terminal.Width(t.Indent)}
	var floors, wanted []int
	l.widths, floors, wanted = t.measureColumns(minRoom(columns))
	if columns == 0 {
		return l
	}
	if columns >= minColumns && l.lacksRoom(wanted) && len(l.widths) > 1 && l.widths[0] > columns/3 &&
		!t.isRightAligned(0) {
		l.widths[0], floors[0] = t.widestFirst(columns/3), 0
		l.maxFirst = l.widths[0]
	}
	for i, width := range l.widths {
		floors[i] = max(floors[i], min(width, columns/4)) // narrow cells stay on one line
		if !t.KeepWhole {
			l.widths[i] = max(floors[i], min(width, columns))
		}
	}
	for !t.KeepWhole && l.narrowColumn(floors, wanted) {
	}
	for i, want := range wanted {
		l.stacked = l.stacked || i > 0 && want > 0 && l.columnStart(i)-len(gap) > columns
	}
	return l
}

// measureColumns returns the natural width of each column, its longest word, and the width that last cells in it need,
// limited to room.
func (t *Table) measureColumns(room int) (widths, floors, wanted []int) {
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths, floors, wanted = append(widths, 0), append(floors, 0), append(wanted, 0)
			}
			width := terminal.Width(cell.Text)
			switch {
			case t.isRightAligned(i):
				widths[i], floors[i], wanted[i] = max(widths[i], width), max(floors[i], width), max(wanted[i], width)
			case i < len(row)-1:
				widths[i], floors[i] = max(widths[i], width), max(floors[i], terminal.LongestWord(cell.Text))
			default:
				wanted[i] = max(wanted[i], min(width, room))
			}
		}
	}
	return widths, floors, wanted
}

// widestFirst returns the width of the widest first cell with up to most columns that is not alone in its row, or 1.
func (t *Table) widestFirst(most int) int {
	widest := 1
	for _, row := range t.rows {
		if len(row) > 1 {
			if width := terminal.Width(row[0].Text); width <= most {
				widest = max(widest, width)
			}
		}
	}
	return widest
}

// lacksRoom reports whether a last cell has less room than it needs.
func (l *tableLayout) lacksRoom(wanted []int) bool {
	for i, want := range wanted {
		if want > 0 && l.columnStart(i)+want > l.columns {
			return true
		}
	}
	return false
}

// narrowColumn makes the widest column that may be narrower narrower by one, if last cells lack room. It returns false
// if it changes nothing.
func (l *tableLayout) narrowColumn(floors, wanted []int) bool {
	widest := -1
	for i, want := range wanted {
		if want == 0 || l.columnStart(i)+want <= l.columns {
			continue
		}
		for j := range i {
			if l.widths[j] > floors[j] && (widest < 0 || l.widths[j] > l.widths[widest]) {
				widest = j
			}
		}
	}
	if widest >= 0 {
		l.widths[widest]--
	}
	return widest >= 0
}

func (t *Table) isRightAligned(column int) bool { return slices.Contains(t.RightAligned, column) }
