package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMarkdown writes the table as GitHub's Markdown. It escapes markup in the cells. A table without headings gets
// empty ones. Titles are omitted.
func (t *Table) WriteMarkdown(w io.Writer) error {
	columns := 0
	for _, row := range t.rows {
		columns = max(columns, len(row))
	}
	if columns == 0 {
		return nil
	}
	rows, head := t.rows, make([]string, columns)
	if t.hasHead {
		for i, cell := range rows[0] {
			head[i] = EscapeMarkdown(cell.Text)
		}
		rows = rows[1:]
	}
	rule := make([]string, columns)
	for i := range rule {
		rule[i] = "---"
		if slices.Contains(t.RightAligned, i) {
			rule[i] = "--:"
		}
	}
	lines := [][]string{head, rule}
	for _, row := range rows {
		cells := make([]string, columns)
		for i, cell := range row {
			cells[i] = EscapeMarkdown(strings.TrimSpace(cell.Text))
		}
		lines = append(lines, cells)
	}
	for _, cells := range lines {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// markupEscapes escapes characters that are markup in Markdown or HTML.
var markupEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"~", `\~`, "#", `\#`, "\n", " ", "\r", " ",
)

// EscapeMarkdown escapes markup and line breaks in a text for Markdown.
func EscapeMarkdown(text string) string { return markupEscapes.Replace(text) }
