package spreadsheet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Options contains the version, links and earlier ids of a report.
type Options struct {
	Version string // version of the rules, such as "6.1"
	// Owner, Repository and Branch locate the submissions for links; empty: the official ones.
	Owner, Repository, Branch string
	IDs                       []byte // earlier ids.json, or nil
}

// Report contains the data of the final report.
type Report struct {
	Results []byte // for the web page, as JSON
	IDs     []byte // numbers of systems, as JSON
	Sheets  []Sheet
	// Unknown lists sheets that are omitted because none of their models has a column. The official tool would end there.
	Unknown []string
}

const idColumn = "Unique ID (e.g. for Audit)"

// MakeReport makes the report of a summary. Its errors concern the summary and the numbers.
func MakeReport(summary io.Reader, o Options) (*Report, error) {
	f, err := readSummary(summary)
	if err != nil {
		return nil, err
	}
	if err := f.completeColumns(o.withDefaults()); err != nil {
		return nil, err
	}
	ids, err := f.assignNumbers(o)
	if err != nil {
		return nil, err
	}
	table, err := scenarioTable(o.Version)
	if err != nil {
		return nil, err
	}
	r := &Report{IDs: indentedJSON(ids, "    ")}
	var list []*pyvalue.Dict
	for _, category := range []string{"closed", "open", "network"} {
		for _, suite := range []string{"datacenter", "edge"} {
			for _, power := range []bool{false, true} {
				rows := f.sheetRows(category, suite, power, table[suite])
				list = append(list, f.listRecords(rows)...)
				r.addSheet(sheetName(suite, category, power), category, rows)
			}
		}
	}
	r.Results = indentedJSON(mergeResults(list), "  ")
	return r, nil
}

func (o Options) withDefaults() Options {
	o.Owner = cmp.Or(o.Owner, "mlcommons")
	o.Repository = cmp.Or(o.Repository, "submissions_inference_v6.0")
	o.Branch = cmp.Or(o.Branch, "main")
	return o
}

func indentedJSON(v any, by string) []byte {
	var out bytes.Buffer
	_ = json.Indent(&out, []byte(pyvalue.JSON(v)), "", by) // unchanged if it contains NaN, which is not JSON
	if out.Len() == 0 {
		return []byte(pyvalue.JSON(v))
	}
	return out.Bytes()
}

// completeColumns corrects columns, adds derived columns, and sorts the rows.
func (f *dataFrame) completeColumns(o Options) error {
	var faults []error
	for i, row := range f.rows {
		for _, name := range []string{"Suite", "Category", "Submitter", "Platform", "Availability", "UsedModel"} {
			if _, ok := row[name].(string); !ok {
				faults = append(faults, fmt.Errorf("summary: row %d: %s is %v, want a text", i+1, name, row[name]))
			}
		}
		if _, err := pyvalue.Int(row["host_processors_per_node"]); err != nil {
			faults = append(faults, fmt.Errorf("summary: row %d: host_processors_per_node: %w", i+1, err))
		}
		if _, err := pyvalue.Divide(row["Result"], int64(1)); err != nil {
			faults = append(faults, fmt.Errorf("summary: row %d: Result is %v, want a number", i+1, row["Result"]))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	f.correctColumns()
	f.addLinks(o)
	return nil
}

func (f *dataFrame) correctColumns() {
	f.changeColumn("host_processor_core_count", replaceValue("2 (big); 4 (LITTLE)", int64(2)))
	f.changeColumn("Availability", replaceValue("on-premise", "available"))
	f.changeColumn("Accelerator", replaceValue("-", ""))
	f.changeColumn("a#", func(v any) any {
		if n, err := strconv.ParseInt(pyvalue.Text(v), 10, 64); err == nil && n >= 0 {
			v = n
		}
		if pyvalue.Equal(v, 0) {
			return ""
		}
		return v
	})
	f.changeColumn("Scenario", func(v any) any {
		for _, name := range scenarioOrder {
			if strings.EqualFold(name, pyvalue.Text(v)) {
				return name
			}
		}
		return v
	})
	f.addColumn("p#", func(row map[string]any) any {
		n, _ := pyvalue.Int(row["host_processors_per_node"]) // checked before
		return n.Int64()
	})
}

func replaceValue(of string, value any) func(any) any {
	return func(v any) any {
		if v == of {
			return value
		}
		return v
	}
}

// addLinks adds links and names, and sorts the rows by submitter and system.
func (f *dataFrame) addLinks(o Options) {
	base := "https://github.com/" + o.Owner + "/" + o.Repository + "/tree/" + o.Branch
	f.addColumn("Details", func(row map[string]any) any {
		return hyperlink("details", base, row["Category"], row["Submitter"], "results", row["Platform"])
	})
	f.addColumn("Code", func(row map[string]any) any {
		return hyperlink("code", base, row["Category"], row["Submitter"], "src")
	})
	f.addColumn(idColumn, func(row map[string]any) any {
		parts := []any{row["Suite"], row["Category"], row["Submitter"], row["Platform"]}
		if row["Category"] == "open" {
			parts = append(parts, row["UsedModel"])
		}
		return joinParts(parts)
	})
	f.addColumn("ColorKey", func(row map[string]any) any {
		return pyvalue.Text(row["Availability"]) + pyvalue.Text(row["Submitter"])
	})
	slices.SortStableFunc(f.rows, func(a, b map[string]any) int {
		return compareBy(a, b, "Category", "Availability", "Submitter", idColumn)
	})
}

func hyperlink(text string, parts ...any) string {
	return `=HYPERLINK("` + joinParts(parts) + `","` + text + `")`
}

func joinParts(parts []any) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = pyvalue.Text(part)
	}
	return strings.Join(texts, "/")
}

func compareBy(a, b map[string]any, columns ...string) int {
	for _, name := range columns {
		if c := strings.Compare(pyvalue.Text(a[name]), pyvalue.Text(b[name])); c != 0 {
			return c
		}
	}
	return 0
}

// assignNumbers assigns a number to each system: its earlier number, or the next free one.
func (f *dataFrame) assignNumbers(o Options) (*pyvalue.Dict, error) {
	ids := pyvalue.NewDict()
	if len(o.IDs) > 0 {
		v, err := pyvalue.Decode(string(o.IDs))
		given, ok := v.(*pyvalue.Dict)
		if err != nil || !ok {
			return nil, fmt.Errorf("numbers of systems: want an object of numbers (%w)", err)
		}
		ids = given
	}
	var last int64
	for _, key := range ids.Keys() {
		v, _ := ids.Get(key)
		n, ok := v.(int64)
		if !ok {
			return nil, fmt.Errorf("numbers of systems: %s is %s, want a number", key, pyvalue.Name(v))
		}
		last = max(last, n)
	}
	for _, row := range f.rows {
		key := pyvalue.Text(row[idColumn])
		if _, known := ids.Get(key); !known {
			last++
			ids.Set(key, last)
		}
	}
	f.addColumn("ID", func(row map[string]any) any {
		n, _ := ids.Get(pyvalue.Text(row[idColumn]))
		return fmt.Sprintf("%s-%04d", o.Version, n)
	})
	return ids, nil
}
