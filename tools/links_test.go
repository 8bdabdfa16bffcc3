package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
)

// page matches the name of a document's page in texts and in Go: docs/verdict.md.
var page = regexp.MustCompile(`\bdocs/[a-z0-9-]+\.md\b`)

// TestLinks follows every link of the documents to a file, and to a heading where it has one.
func TestLinks(t *testing.T) {
	dead, err := markdown.DeadLinks(documents(t, root(t)), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dead {
		t.Error(d)
	}
}

// TestPagesExist requires every page that a document or a text of the program names to exist.
func TestPagesExist(t *testing.T) {
	top := root(t)
	files := documents(t, top)
	files = append(files, goFiles(t, top)...)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range page.FindAllString(string(text), -1) {
			if _, err := os.Stat(filepath.Join(top, name)); err != nil {
				t.Errorf("%s names %s, which is not there", file, name)
			}
		}
	}
}

// documents returns the texts of the project: those at the top and in docs/.
func documents(t *testing.T, top string) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 20 {
		t.Fatalf("%d documents in %s, want all of them", len(files), top)
	}
	return files
}

// TestIndexListsEveryPage requires a line of docs/index.md for each page of docs/.
func TestIndexListsEveryPage(t *testing.T) {
	top := root(t)
	index, err := os.ReadFile(filepath.Join(top, "docs", "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "index.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/index.md does not list %s", name)
		}
	}
}

// TestEveryPageHasItsWayBack requires a link to the index in each document, or to the list of decisions in a decision.
func TestEveryPageHasItsWayBack(t *testing.T) {
	top := root(t)
	for _, page := range documents(t, top) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		back := "](index.md"
		switch folder := filepath.Base(filepath.Dir(page)); {
		case filepath.Base(page) == "index.md":
			back = "](../README.md)"
		case folder == "decisions" && filepath.Base(page) == "README.md":
			back = "](../index.md"
		case folder == "decisions":
			back = "](README.md"
		case folder != "docs":
			back = "](docs/index.md"
		}
		if !strings.Contains(string(text), back) {
			t.Errorf("%s has no link %s", page, back)
		}
	}
}

// maxRelease is the maximum size, in bytes, of a release's section in CHANGELOG.md.
const maxRelease = 3 << 10

// TestChangelogIsShort checks the size of each release's section in CHANGELOG.md.
func TestChangelogIsShort(t *testing.T) {
	changelog, err := os.ReadFile(filepath.Join(root(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	releases := strings.Split(string(changelog), "\n## ")[1:]
	if len(releases) == 0 {
		t.Error("CHANGELOG.md contains no release")
	}
	for _, release := range releases {
		if len(release) > maxRelease {
			title, _, _ := strings.Cut(release, "\n")
			t.Errorf("CHANGELOG.md has %d bytes on %s, want %d or fewer: write what users see", len(release), title, maxRelease)
		}
	}
}
