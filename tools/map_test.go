package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The maximum size of ARCHITECTURE.md in bytes and the maximum number of folders in its map.
const (
	maxArchitecture = 16 << 10
	maxFolders      = 20
)

var (
	// mapRow is a row of the map in ARCHITECTURE.md: "| loadgen/ | 0 | LoadGen |".
	mapRow = regexp.MustCompile(`(?m)^\| ([\w/-]+)/ \| [^|]+ \| .* \|$`)
	// named is a folder that the text names: "serving/prompts".
	named = regexp.MustCompile(`(?:^|[\s(,])((?:accuracy|backends|bench|cmd|datasets|docs|e2e|examples|internal|loadgen|` +
		`plugins|preprocess|sdk|serving|tools)(?:/[a-z0-9_.-]*[a-z0-9])+)`)
)

// TestMapIsWhole checks the size of ARCHITECTURE.md, that its map has a row for each top folder, and that every folder
// and file that it names exists.
func TestMapIsWhole(t *testing.T) {
	top := root(t)
	text, err := os.ReadFile(filepath.Join(top, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxArchitecture {
		t.Errorf("ARCHITECTURE.md has %d bytes, want %d or fewer", len(text), maxArchitecture)
	}
	rows := map[string]bool{}
	for _, match := range mapRow.FindAllStringSubmatch(string(text), -1) {
		rows[match[1]] = true
	}
	if len(rows) > maxFolders {
		t.Errorf("the map of ARCHITECTURE.md has %d folders, want %d or fewer", len(rows), maxFolders)
	}
	for _, folder := range topFolders(t, top) {
		covered := rows[folder]
		for row := range rows {
			covered = covered || strings.HasPrefix(row, folder+"/") // cmd/harness for cmd
		}
		if !covered {
			t.Errorf("the map of ARCHITECTURE.md has no row for %s/", folder)
		}
	}
	for _, match := range named.FindAllStringSubmatch(string(text), -1) {
		rows[match[1]] = true
	}
	for name := range rows {
		if _, err := os.Stat(filepath.Join(top, name)); err != nil {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist: %v", name, err)
		}
	}
}

// topFolders returns the folders at the top of the checkout that contain Go files.
func topFolders(t *testing.T, top string) []string {
	t.Helper()
	seen := map[string]bool{}
	var folders []string
	for _, file := range goFiles(t, top) {
		name, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		folder, _, below := strings.Cut(filepath.ToSlash(name), "/")
		if below && !seen[folder] {
			seen[folder] = true
			folders = append(folders, folder)
		}
	}
	return folders
}
