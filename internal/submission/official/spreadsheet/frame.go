package spreadsheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// dataFrame is a table with named columns. Values are string, int64, float64 or bool; "" is a missing value.
type dataFrame struct {
	columns []string
	rows    []map[string]any
}

// addColumn adds a column.
func (f *dataFrame) addColumn(name string, value func(row map[string]any) any) {
	f.columns = append(f.columns, name)
	for _, row := range f.rows {
		row[name] = value(row)
	}
}

// changeColumn replaces the values of a column.
func (f *dataFrame) changeColumn(name string, value func(v any) any) {
	for _, row := range f.rows {
		row[name] = value(row[name])
	}
}

// columnNames maps columns of the summary to their names in the report.
var columnNames = map[string]string{
	"Organization": "Submitter", "Division": "Category", "SystemType": "Suite", "SystemName": "System",
	"number_of_nodes": "Nodes", "host_processor_model_name": "Processor", "accelerator_model_name": "Accelerator",
	"accelerators_per_node": "a#", "total_accelerators": "Total Accelerators", "notes": "Notes", "framework": "Software",
	"Model": "UsedModel", "MlperfModel": "Model",
}

// read reads a summary. Columns that contain only numbers become numeric, like in the official tool.
func readSummary(summary io.Reader) (*dataFrame, error) {
	r := csv.NewReader(summary)
	r.LazyQuotes = true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	if len(lines) == 0 {
		return nil, errors.New("summary: the file is empty, want a line with the names of columns")
	}
	f := &dataFrame{rows: make([]map[string]any, len(lines)-1)}
	for i := range f.rows {
		f.rows[i] = map[string]any{}
	}
	for column, name := range lines[0] {
		texts := make([]string, len(f.rows))
		for i, line := range lines[1:] {
			texts[i] = line[column]
		}
		if other := columnNames[name]; other != "" {
			name = other
		}
		values := typeColumn(texts)
		i := -1
		f.addColumn(name, func(map[string]any) any { i++; return values[i] })
	}
	return f, f.checkColumns()
}

// checkColumns returns an error that lists missing columns.
func (f *dataFrame) checkColumns() error {
	var faults []error
	for _, name := range []string{"Submitter", "Availability", "Category", "Suite", "System", "Platform", "UsedModel",
		"Model", "Scenario", "Result", "Accuracy", "Nodes", "Processor", "host_processors_per_node",
		"host_processor_core_count", "Accelerator", "a#", "Total Accelerators", "Software", "Notes", "has_power", "Units",
		"PrivateID"} {
		if !slices.Contains(f.columns, name) {
			faults = append(faults, fmt.Errorf("summary: there is no column for %s", name))
		}
	}
	return errors.Join(faults...)
}

// missingTexts lists the texts that represent a missing value.
var missingTexts = strings.Fields(
	"#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null")

func isAbsent(text string) bool {
	return text == "" || text == "#N/A N/A" || slices.Contains(missingTexts, text)
}

// typeColumn converts a column to integers, floats or booleans if all values permit it, and to texts otherwise.
func typeColumn(texts []string) []any {
	present := slices.DeleteFunc(slices.Clone(texts), isAbsent)
	all := func(is func(string) bool) bool { return len(present) > 0 && !slices.ContainsFunc(present, not(is)) }
	read := func(text string) any { return text }
	switch {
	case all(isInteger) && len(present) == len(texts):
		read = func(text string) any { v, _ := strconv.ParseInt(text, 10, 64); return v }
	case all(isFloat):
		read = func(text string) any { v, _ := pyfloat.Parse(text); return v }
	case all(isBool):
		read = func(text string) any { return strings.EqualFold(text, "true") }
	}
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = ""
		if !isAbsent(text) {
			values[i] = read(text)
		}
	}
	return values
}

func not(is func(string) bool) func(string) bool { return func(text string) bool { return !is(text) } }

func isInteger(text string) bool { _, err := strconv.ParseInt(text, 10, 64); return err == nil }

func isFloat(text string) bool {
	_, ok := pyfloat.Parse(text)
	return ok && !strings.Contains(text, "_")
}

func isBool(text string) bool {
	return slices.Contains([]string{"True", "TRUE", "true", "False", "FALSE", "false"}, text)
}
