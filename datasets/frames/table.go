package frames

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// tableRow is a row of a table.
type tableRow struct {
	line   int // first line of the row, from 1
	fields []string
}

// readTable splits a tab-separated table in the way that pandas does. A field in double quotes may contain tabs, line
// ends and doubled quotes. Text after the closing quote belongs to the field, too. Empty lines are skipped.
func readTable(text string, faults *fault.FaultList) (rows []tableRow) {
	line := 1
	for text != "" {
		r := tableRow{line: line}
		rest, ends := text, false
		for !ends {
			var field string
			var closed bool
			field, rest, ends, closed = readField(rest)
			if !closed {
				faults.Addf(fmt.Sprintf("line %d", r.line), "a double quote is opened and never closed")
			}
			r.fields = append(r.fields, field)
		}
		line += countLineEnds(text[:len(text)-len(rest)])
		if text = rest; len(r.fields) > 1 || strings.Trim(r.fields[0], " ") != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

// readField reads a field and the tab or line end after it. lastInRow reports whether the field was the last of its
// row, closed whether its quote was closed.
func readField(text string) (field, rest string, lastInRow, closed bool) {
	var b strings.Builder
	quoted := strings.HasPrefix(text, `"`)
	if quoted {
		text = text[1:]
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '"' && strings.HasPrefix(text[i+1:], `"`):
			b.WriteByte('"')
			i++
		case quoted && c == '"':
			quoted = false
		case quoted:
			b.WriteByte(c)
		case c == '\t':
			return b.String(), text[i+1:], false, true
		case c == '\n':
			return b.String(), text[i+1:], true, true
		case c == '\r':
			return b.String(), strings.TrimPrefix(text[i+1:], "\n"), true, true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true, !quoted
}

// countLineEnds counts line ends in text.
func countLineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}

// isMissing reports whether pandas reads field as a missing value.
func isMissing(field string) bool {
	switch field {
	case "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
		"NULL", "NaN", "None", "n/a", "nan", "null":
		return true
	}
	return false
}

// columnValues returns the values of a column as Python prints them. A column of whole numbers prints whole numbers, or
// numbers with ".0" if values are missing. Other numbers print as floats, and all else as text. Missing values are
// "nan".
func columnValues(rows []tableRow, column int) []string {
	texts := make([]string, len(rows))
	gaps, whole, numbers, there := false, true, true, false
	for i, r := range rows {
		if texts[i] = r.fields[column]; isMissing(texts[i]) {
			gaps, texts[i] = true, "nan"
			continue
		}
		there = true
		_, err := strconv.ParseInt(strings.TrimSpace(texts[i]), 10, 64)
		whole = whole && err == nil
		_, isNumber := parseNumber(texts[i])
		numbers = numbers && isNumber
	}
	if !there || !numbers {
		return texts
	}
	for i, text := range texts {
		if text == "nan" {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && whole && !gaps {
			texts[i] = strconv.FormatInt(n, 10)
		} else if f, ok := parseNumber(text); ok {
			texts[i] = pyfloat.Repr(f)
		}
	}
	return texts
}

// parseNumber parses a decimal number or an infinity.
func parseNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}
