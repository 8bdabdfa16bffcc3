package spreadsheet

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

//go:embed scenarios.json
var scenarioFile []byte

// scenarioTable returns the scenarios that a version's report shows, by suite and model. A model that is missing in the
// table shows all scenarios. Versions without a table in their rules, and unknown versions, use scenarios.json.
func scenarioTable(version string) (table map[string]map[string][]string, err error) {
	if rules, err := mlconf.Round("v" + version); err == nil {
		if ok, err := rules.Section("report_scenarios", &table); ok || err != nil {
			return table, err
		}
	}
	if err := json.Unmarshal(scenarioFile, &table); err != nil {
		return nil, fmt.Errorf("scenarios of reports: %w", err)
	}
	return table, nil
}

// The orders of columns.
var (
	modelOrder = strings.Fields(`resnet yolo-95 yolo-99 bert-99 bert-99.9 dlrm-v3 3d-unet-99 3d-unet-99.9 llama3.1-8b
		llama3.1-8b-edge llama2-70b-99 llama2-70b-99.9 stable-diffusion-xl mixtral-8x7b llama3.1-405b rgat pointpainting
		deepseek-r1 whisper wan-2.2-t2v-a14b qwen3-vl-235b-a22b gpt-oss-120b e2e-rag-qna e2e-rag-db`)
	scenarioOrder = []string{"SingleStream", "MultiStream", "Server", "Offline", "Interactive"}
	unitOrder     = []string{"Latency (ms)", "Latency (s)", "Samples/s", "Queries/s", "Tokens/s", "millijoules", "Watts"}
)

// Sheet is a table of the report, with five lines of headings and a line for each system. A cell is nil if it is empty
// or continues the cell to its left.
type Sheet struct {
	Name  string
	Cells [][]any
}

func sheetName(suite, category string, power bool) string {
	name := suite + " - " + category
	if power {
		name += " - power"
	}
	return name
}

// leftColumns returns the columns that identify a result's system and submitter.
func leftColumns(category string) []string {
	names := []string{"ID", idColumn, "ColorKey", "PrivateID", "Submitter", "Availability", "System", "Nodes", "Processor",
		"p#", "Accelerator", "a#", "Total Accelerators", "Software", "Notes"}
	if category == "open" {
		names = append(names, "UsedModel", "Accuracy")
	}
	return append(names, "Details", "Code")
}

// sheetColumn is a model, a scenario and a unit, by their indices in the orders.
type sheetColumn [3]int

func (c sheetColumn) names() [3]string {
	return [3]string{modelOrder[c[0]], scenarioOrder[c[1]], unitOrder[c[2]]}
}

func columnOf(row map[string]any) (c sheetColumn, ok bool) {
	c = sheetColumn{slices.Index(modelOrder, pyvalue.Text(row["Model"])),
		slices.Index(scenarioOrder, pyvalue.Text(row["Scenario"])),
		slices.Index(unitOrder, pyvalue.Text(row["Units"]))}
	return c, !slices.Contains(c[:], -1)
}

// sheetLine is a line of a sheet: its left columns, and the sums and counts of the results in each column.
type sheetLine struct {
	leftValues []any
	sum        map[sheetColumn]float64
	count      map[sheetColumn]int
}

func (r *Report) addSheet(name, category string, rows []map[string]any) {
	if len(rows) == 0 {
		return
	}
	lines, columns := gatherLines(category, rows)
	if len(columns) == 0 {
		r.Unknown = append(r.Unknown, name)
		return
	}
	cells := headingLines(leftColumns(category), columns)
	for _, l := range lines {
		cells = append(cells, l.lineCells(columns))
	}
	r.Sheets = append(r.Sheets, Sheet{name, cells})
}

func gatherLines(category string, rows []map[string]any) ([]*sheetLine, []sheetColumn) {
	var lines []*sheetLine
	var columns []sheetColumn
	for _, row := range rows {
		key := []any{}
		for _, name := range leftColumns(category) {
			key = append(key, row[name])
		}
		i := slices.IndexFunc(lines, func(l *sheetLine) bool { return slices.Equal(l.leftValues, key) })
		if i < 0 {
			i = len(lines)
			lines = append(lines, &sheetLine{key, map[sheetColumn]float64{}, map[sheetColumn]int{}})
		}
		c, ok := columnOf(row)
		if !ok {
			continue
		}
		v, _ := pyvalue.Float(row["Result"]) // checked before
		lines[i].sum[c] += v
		lines[i].count[c]++
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	slices.SortFunc(columns, func(a, b sheetColumn) int { return slices.Compare(a[:], b[:]) })
	slices.SortStableFunc(lines, func(a, b *sheetLine) int {
		return slices.CompareFunc(a.leftValues, b.leftValues,
			compareValues)
	})
	return lines, columns
}

// compareValues orders numbers before texts.
func compareValues(a, b any) int {
	_, aText := a.(string)
	_, bText := b.(string)
	if aText != bText {
		if aText {
			return 1
		}
		return -1
	}
	if less, err := pyvalue.Less(a, b); err == nil {
		if less {
			return -1
		}
		if more, _ := pyvalue.Less(b, a); more {
			return 1
		}
		return 0
	}
	return strings.Compare(pyvalue.Text(a), pyvalue.Text(b))
}

// cells returns a line's cells. A cell is empty without a result. For several results it contains their mean.
func (l *sheetLine) lineCells(columns []sheetColumn) []any {
	cells := make([]any, 0, len(l.leftValues)+len(columns))
	for _, v := range l.leftValues {
		if v == "" {
			v = nil
		}
		cells = append(cells, v)
	}
	for _, c := range columns {
		if l.count[c] == 0 {
			cells = append(cells, nil)
			continue
		}
		cells = append(cells, l.sum[c]/float64(l.count[c]))
	}
	return cells
}

// headings returns the lines with Result, models, scenarios and units, and the line with the names of the left columns.
func headingLines(left []string, columns []sheetColumn) [][]any {
	width := len(left) + len(columns)
	lines := make([][]any, 5)
	for i := range lines {
		lines[i] = make([]any, width)
	}
	lines[0][len(left)] = "Result"
	for level, name := range []string{"Model", "Scenario", "Units"} {
		lines[level+1][len(left)-1] = name
		for i, c := range columns {
			same := i > 0 && level < 2 && slices.Equal(columns[i-1][:level+1], c[:level+1])
			if !same {
				lines[level+1][len(left)+i] = c.names()[level]
			}
		}
	}
	for i, name := range left {
		lines[4][i] = name
	}
	return lines
}

// WriteCSV writes the cells as CSV.
func (s Sheet) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	for _, cells := range s.Cells {
		texts := make([]string, len(cells))
		for i, v := range cells {
			if v != nil {
				texts[i] = pyvalue.Text(v)
			}
		}
		if err := out.Write(texts); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
