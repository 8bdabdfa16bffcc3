package tools

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mappedLines is the size, in lines of Go without tests and generated files, above which a package must be on the map.
const mappedLines = 300

// mapRow is a row of a table in ARCHITECTURE.md whose first column holds folders: "loadgen/mlconf/" or
// "internal/submission/system/, assemble/", where those after the first lie beside it.
var mapRow = regexp.MustCompile(`(?m)^\| ([\w/., -]+/(?:, [\w/.-]+/)*) \| (.*) \|$`)

type mapped struct {
	folders []string
	text    string
}

// names tells whether the row's folders, or the names below them in its text, hold the package.
func (m mapped) names(pkg string) bool {
	for _, folder := range m.folders {
		if pkg == folder {
			return true
		}
		below, ok := strings.CutPrefix(pkg, folder+"/")
		if ok && regexp.MustCompile(`(^|[^\w/])`+regexp.QuoteMeta(below)+`/`).MatchString(m.text) {
			return true
		}
	}
	return false
}

func readMap(t *testing.T, top string) []mapped {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, house, found := strings.Cut(string(text), "\n## The house\n")
	house, _, closed := strings.Cut(house, "\n## ")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no section \"The house\"")
	}
	var rows []mapped
	for _, match := range mapRow.FindAllStringSubmatch(house, -1) {
		row := mapped{text: match[2]}
		for i, folder := range strings.Split(match[1], ", ") {
			if i > 0 {
				folder = path.Join(path.Dir(row.folders[0]), folder)
			}
			row.folders = append(row.folders, path.Clean(folder))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestMapIsWhole wants every package of more than mappedLines lines in the tables of ARCHITECTURE.md's section "The
// house", and every folder that they name to be there.
func TestMapIsWhole(t *testing.T) {
	top := root(t)
	rows := readMap(t, top)
	for _, row := range rows {
		for _, folder := range row.folders {
			if _, err := os.Stat(filepath.Join(top, folder)); err != nil {
				t.Errorf("ARCHITECTURE.md has a row for %s/, which is not there: %v", folder, err)
			}
		}
	}
	for pkg, lines := range packageLines(t, top) {
		named := false
		for _, row := range rows {
			named = named || row.names(pkg)
		}
		if lines > mappedLines && !named {
			t.Errorf("%s has %d lines and no row in ARCHITECTURE.md: add one", pkg, lines)
		}
	}
}

// packageLines counts the lines of Go of each folder of the workspace, without tests and generated files.
func packageLines(t *testing.T, top string) map[string]int {
	t.Helper()
	lines := map[string]int{}
	for _, file := range goFiles(t, top) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		lines[filepath.ToSlash(folder)] += len(goLines(text)) // none of a generated file
	}
	return lines
}
