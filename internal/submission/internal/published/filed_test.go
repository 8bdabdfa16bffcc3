package published

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// filedRow is a row of a summary of the official checker, by the names of its columns.
type filedRow map[string]string

// sameAs compares a row in the columns that both have. Some rounds' checkers wrote other texts for yes and no.
func (r filedRow) sameAs(own filedRow) (differs []string) {
	plain := func(text string) string {
		return map[string]string{"True": "1", "False": "0", "true": "1", "false": "0"}[text]
	}
	for name, is := range r {
		want, has := own[name]
		if has && is != want && (plain(is) == "" && plain(want) == "" || plain(is) != want && is != plain(want)) {
			differs = append(differs, name+" '"+is+"', ours '"+want+"'")
		}
	}
	slices.Sort(differs)
	return differs
}

// readFiled reads a summary of the official checker; ok is false for another table.
func readFiled(from io.Reader) (rows []filedRow, ok bool) {
	r := csv.NewReader(from)
	r.LazyQuotes, r.FieldsPerRecord = true, -1
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 {
		return nil, false
	}
	names := all[0]
	for _, name := range []string{"Organization", "Platform", "Scenario", "Result", "Location"} {
		if !slices.Contains(names, name) {
			return nil, false
		}
	}
	for _, fields := range all[1:] {
		row := filedRow{}
		for i, f := range fields[:min(len(fields), len(names))] {
			row[names[i]] = f
		}
		row["Location"], _ = placeOf(row["Location"])
		row["Location"] = strings.TrimSuffix(row["Location"], "/performance/run_1") // as checkers of some days wrote it
		rows = append(rows, row)
	}
	return rows, true
}

// compareFiled counts the rows of the summaries of the official checker that submitters have filed in the tree, and
// those that are ours. A submitter may have changed a result after that, so that a difference is listed and no more.
func compareFiled(t *testing.T, root string, report *checker.Report, leftOut []string, line *row) {
	var text bytes.Buffer
	if err := report.Form.WriteCSV(&text, report.Rows); err != nil {
		t.Fatal(err)
	}
	list, _ := readFiled(&text)
	ours := map[[2]string]filedRow{} // a result with power has two rows, in different units
	for _, r := range list {
		ours[[2]string{r["Location"], r["Units"]}] = r
	}
	for _, name := range filedTables(root) {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows, ok := readFiled(file)
		file.Close()
		if !ok {
			continue
		}
		for _, r := range rows {
			if slices.Contains(leftOut, r["Location"]) {
				continue
			}
			line.filed = max(line.filed, 0) + 1
			own, has := ours[[2]string{r["Location"], r["Units"]}]
			switch differs := r.sameAs(own); {
			case !has:
				t.Logf("%s: no row of ours is of %s", name, r["Location"])
			case len(differs) > 0:
				t.Logf("%s: %s: %s", name, r["Location"], strings.Join(differs, ", "))
			default:
				line.sameFiled++
			}
		}
	}
}

// filedTables are the csv files at the top of a tree and in the folders of its submitters.
func filedTables(root string) []string {
	names, _ := filepath.Glob(filepath.Join(root, "*.csv"))
	for _, division := range tree.Divisions() {
		below, _ := filepath.Glob(filepath.Join(root, division, "*", "*.csv"))
		names = append(names, below...)
	}
	return names
}

// TestFiledRows: a row is ours where all columns are equal that both have.
func TestFiledRows(t *testing.T) {
	const head = "Organization,Platform,Scenario,Result,Location,compliance\n"
	read := func(text string) []filedRow {
		rows, ok := readFiled(strings.NewReader(text))
		if !ok {
			t.Fatalf("no summary: %s", text)
		}
		return rows
	}
	where := path.Join("closed", "Lab", "results", "box", "resnet", "Offline")
	own := read(head + "Lab,box,Offline,12.5,/other/" + where + ",1\n")[0]
	for text, differs := range map[string]int{
		head + "Lab,box,Offline,12.5," + where + ",True\n":                                       0,
		head + "Lab,box,Offline,12.6," + where + ",0\n":                                          2,
		"Organization,Platform,Scenario,Result,Location\nLab,box,Offline,12.5," + where + "\n":   0,
		"Organization,Platform,Scenario,Result,Location,new\nLab,box,Server,1," + where + ",x\n": 2,
	} {
		if got := read(text)[0].sameAs(own); len(got) != differs {
			t.Errorf("%d differences, want %d: %q of %s", len(got), differs, got, text)
		}
	}
	if _, ok := readFiled(strings.NewReader("system_id,benchmark,perf_value\nbox,resnet,12.5\n")); ok {
		t.Error("another table is taken for a summary")
	}
}
