package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	// link is a link of Markdown: [text](TARGET).
	link = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	// page is a page of the documents as texts name it, in Go too: docs/verdict.md.
	page = regexp.MustCompile(`\bdocs/[a-z0-9-]+\.md\b`)
)

// TestLinks follows every link of the documents to a file, and to a heading where it has one.
func TestLinks(t *testing.T) {
	top := root(t)
	for _, document := range documents(t, top) {
		prose, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(prose), -1) {
			if strings.Contains(match[1], "://") || !strings.ContainsAny(match[1], "./#") {
				continue
			}
			file, anchor, _ := strings.Cut(match[1], "#")
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere: %v", document, match[1], err)
			} else if anchor != "" && !hasHeading(t, target, anchor) {
				t.Errorf("%s: the link to %s: %s has no such heading", document, match[1], target)
			}
		}
	}
}

// TestPagesExist wants every page that a document or a text of the program names to be there. The changelog may name
// those of its day.
func TestPagesExist(t *testing.T) {
	top := root(t)
	files := documents(t, top)
	for _, module := range workspaceModules(t) {
		files = append(files, goFiles(t, filepath.Join(top, module))...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range page.FindAllString(string(text), -1) {
			if _, err := os.Stat(filepath.Join(top, name)); err != nil && filepath.Base(file) != "CHANGELOG.md" {
				t.Errorf("%s names %s, which is not there", file, name)
			}
		}
	}
}

// documents are the texts of the project: those at the top and in docs/.
func documents(t *testing.T, top string) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
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

// hasHeading reports whether a document has the heading of an anchor, as GitHub names them.
func hasHeading(t *testing.T, document, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		title := strings.TrimLeft(line, "#")
		if title != line && strings.HasPrefix(title, " ") && anchorOf(strings.TrimSpace(title)) == anchor {
			return true
		}
	}
	return false
}

func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}
