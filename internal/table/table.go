// Package table writes aligned text columns.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// Table is a list of rows of cells. Columns are as wide as their widest cell; a row may end early, and its last cell
// never widens the column, so that a long remark does not push the others apart.
//
// On a terminal (terminal.Writer with a width) it fits: the last cells are broken into lines, long first cells have a
// line of their own, and wide columns of several words become narrower. Where that is not enough each cell has a line.
type Table struct {
	// Indent begins every line.
	Indent string
	// Right lists the columns that are aligned to the right. They are never broken.
	Right []int
	// Whole keeps every cell but the last of a row in one line.
	Whole bool

	head   bool
	rows   [][]terminal.Span
	titles map[int]string // before the row of this number
}

// Title begins a part of the table, after an empty line. It is not indented.
func (t *Table) Title(text string) {
	if t.titles == nil {
		t.titles = map[int]string{}
	}
	t.titles[len(t.rows)] = terminal.Line(text)
}

// Head adds the row of headings; it comes before all others.
func (t *Table) Head(cells ...any) {
	t.Row(cells...)
	t.head = true
	for i := range t.rows[0] {
		t.rows[0][i].Style = terminal.Heading
	}
}

// Row adds a row; cells are printed as fmt.Sprint does, control characters and line breaks as escapes. A
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

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// gap is what separates two columns.
const gap = "  "

// WriteTo writes the table. Lines carry no trailing blanks. The number is that of lines.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	page := terminal.On(w)
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
		case i > 0 || !t.head:
			lines += t.stackCells(page, row)
		}
	}
	return lines, page.Err()
}

// writeRow writes a row, in as many lines as its highest cell has.
func (t *Table) writeRow(page *terminal.Writer, row []terminal.Span, l tableLayout) int64 {
	if len(row) > 1 && l.first > 0 && terminal.Width(row[0].Text) > l.first {
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

// cellLines are those of a cell; none: it is a last cell that has no room beside the others, and comes below them.
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

// stackCells writes each cell of a row into a line of its own, after its heading.
func (t *Table) stackCells(page *terminal.Writer, row []terminal.Span) (lines int64) {
	indent := t.Indent
	for i, cell := range row {
		if cell.Text == "" {
			continue
		}
		parts := []any{indent}
		if t.head && i < len(t.rows[0]) {
			parts = append(parts, t.rows[0][i], " ")
		}
		page.Print(append(parts, cell, "\n")...)
		indent = t.Indent + gap
		lines++
	}
	return lines
}

// tableLayout is how wide the columns are.
type tableLayout struct {
	columns int // of the terminal; 0: any
	indent  int
	widths  []int
	first   int // first cells that are wider have a line of their own; 0: none has
	stacked bool
}

// columnStart is where a column begins.
func (l tableLayout) columnStart(column int) int {
	at := l.indent
	for _, width := range l.widths[:column] {
		at += width + len(gap)
	}
	return at
}

// minRoom is what keeps a text readable that is broken into lines.
func minRoom(columns int) int { return min(24, columns/2) }

// minColumns is from where on rows stay side by side although their first cells are long.
const minColumns = 40

// chooseLayout chooses widths: natural ones, and where those are too much narrower ones, no word being broken.
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
		l.first = l.widths[0]
	}
	for i, width := range l.widths {
		floors[i] = max(floors[i], min(width, columns/4)) // what is narrow stays in one line
		if !t.Whole {
			l.widths[i] = max(floors[i], min(width, columns))
		}
	}
	for !t.Whole && l.narrowColumn(floors, wanted) {
	}
	for i, want := range wanted {
		l.stacked = l.stacked || i > 0 && want > 0 && l.columnStart(i)-len(gap) > columns
	}
	return l
}

// measureColumns finds the natural width of each column, its longest word, and the room that last cells in it want,
// each of them at most room.
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

// widestFirst is the width of the widest first cell that has at most so many columns, and is not all of its row; 1:
// there is none.
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

// lacksRoom says whether a last cell has less room than it wants.
func (l *tableLayout) lacksRoom(wanted []int) bool {
	for i, want := range wanted {
		if want > 0 && l.columnStart(i)+want > l.columns {
			return true
		}
	}
	return false
}

// narrowColumn takes a column from the widest that may be narrower, where last cells lack room; false: none was taken.
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

func (t *Table) isRightAligned(column int) bool { return slices.Contains(t.Right, column) }
