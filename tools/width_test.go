package tools

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line of Go may be; a tab counts as one column, as in .golangci.yml.
const mostColumns = 120

// TestWidth lists the lines that are too wide, but for generated files and testdata.
func TestWidth(t *testing.T) {
	top := root(t)
	for _, module := range workspaceModules(t) {
		err := filepath.WalkDir(filepath.Join(top, module), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "testdata" {
					return fs.SkipDir
				}
				return err
			}
			if filepath.Ext(path) == ".go" {
				checkWidth(t, top, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkWidth(t *testing.T, top, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text[:min(len(text), 2000)], []byte("// Code generated ")) {
		return
	}
	name, err := filepath.Rel(top, path)
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > mostColumns {
			t.Errorf("%s:%d: %d columns, want at most %d", name, number, n, mostColumns)
		}
	}
}
