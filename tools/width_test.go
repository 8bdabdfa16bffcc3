package tools

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the maximum width of a line of Go. A tab counts as one column, as in .golangci.yml.
const maxColumns = 120

// TestWidth lists the lines of Go that are too wide, except those of generated files and testdata, and the lines of
// prose in the documents.
func TestWidth(t *testing.T) {
	top := root(t)
	for _, path := range goFiles(t, top) {
		checkWidth(t, top, path, goLines)
	}
	for _, path := range documents(t, top) {
		checkWidth(t, top, path, proseLines)
	}
}

// goFiles returns the Go files in a folder of the checkout and below it, except testdata and build output.
func goFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	top := root(t)
	built := []string{filepath.Join(top, "bin"), filepath.Join(top, "out"), filepath.Join(top, "dist")}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || slices.Contains(built, path)):
			return fs.SkipDir
		case filepath.Ext(path) == ".go":
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkWidth lists the lines of a kind of file that are too wide.
func checkWidth(t *testing.T, top, path string, held func(text []byte) map[int]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(top, path)
	if err != nil {
		t.Fatal(err)
	}
	for number, line := range held(text) {
		if n := utf8.RuneCountInString(line); n > maxColumns {
			t.Errorf("%s:%d: %d columns, want at most %d", name, number, n, maxColumns)
		}
	}
}

// goLines returns all lines of a file that is not generated, by number.
func goLines(text []byte) map[int]string {
	if bytes.Contains(text[:min(len(text), 2000)], []byte("// Code generated ")) {
		return nil
	}
	return numbered(text)
}

func numbered(text []byte) map[int]string {
	lines, number := map[int]string{}, 0
	for line := range strings.Lines(string(text)) {
		number++
		lines[number] = strings.TrimRight(line, "\n")
	}
	return lines
}

// longWord is the length of a word, usually a link, that may exceed the width of a line of prose.
const longWord = 100

// proseLines returns the lines of a document, except tables, headings, code, and lines with a long word.
func proseLines(text []byte) map[int]string {
	held := map[int]string{}
	all, fenced, code, blank := numbered(text), false, false, true
	for number := 1; number <= len(all); number++ {
		line := all[number]
		start := strings.TrimSpace(line)
		fence := strings.HasPrefix(start, "```")
		code = strings.HasPrefix(line, "    ") && (blank || code) || code && line == ""
		blank = line == ""
		longest := 0
		for _, word := range strings.Fields(line) {
			longest = max(longest, utf8.RuneCountInString(word))
		}
		free := fenced || fence || code || strings.HasPrefix(start, "|") || strings.HasPrefix(line, "#")
		if !free && longest <= longWord {
			held[number] = line
		}
		fenced = fenced != fence
	}
	return held
}
