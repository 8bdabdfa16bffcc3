package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var href = regexp.MustCompile(`href="([^"#]*)(?:#([^"]*))?"`)

// TestSiteOfTheDocuments makes the site of the checkout and follows every link between its pages. Each page must link
// to the index.
func TestSiteOfTheDocuments(t *testing.T) {
	out := t.TempDir()
	if err := writeSite(filepath.Join("..", ".."), out); err != nil {
		t.Fatal(err)
	}
	pages := readPages(t, out)
	if len(pages) < 50 {
		t.Fatalf("%d pages, want all documents", len(pages))
	}
	for name, page := range pages {
		back := false
		for _, match := range href.FindAllStringSubmatch(page, -1) {
			target, anchor := match[1], match[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := name
			if target != "" {
				file = filepath.Join(filepath.Dir(name), filepath.FromSlash(target))
			}
			back = back || file == filepath.Join("docs", "index.html")
			other, ok := pages[file]
			if !ok {
				t.Errorf("%s links to %s, which does not exist", name, target)
			} else if anchor != "" && !strings.Contains(other, `id="`+anchor+`"`) {
				t.Errorf("%s links to #%s, which %s does not contain", name, anchor, file)
			}
		}
		if !back && name != "index.html" {
			t.Errorf("%s has no link to the index of the documents", name)
		}
	}
}

// readPages returns the pages below a folder, by name.
func readPages(t *testing.T, dir string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.html", "docs/*.html", "docs/decisions/*.html"} {
		files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(content)
		}
	}
	return pages
}

// TestWriteSite makes a site of two documents with headings, tables, and links to pages, folders and external files.
func TestWriteSite(t *testing.T) {
	top, out := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		"README.md":                "# Top\n[a](docs/index.md#the-min_x-of-y), [all](docs/decisions), [code](x.go), `<b>`\n",
		"docs/index.md":            "# A page\n\n## The `min_x` of y?\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"docs/decisions/README.md": "# Decisions\n",
		"docs/report.png":          "picture",
	} {
		if err := writeFile(top, name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSite(top, out); err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"README.html": {"<title>Top · Plumbline</title>", `href="docs/index.html#the-min_x-of-y"`,
			`href="docs/decisions/README.html"`, ", code, <code>&lt;b&gt;</code>"},
		"docs/index.html": {`<h2 id="the-min_x-of-y">`, "<td>2</td>", `href="../docs/index.html"`},
		"docs/report.png": {"picture"},
		"index.html":      {"README.html"},
	} {
		content, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(content), want) {
				t.Errorf("%s lacks %q:\n%s", name, want, content)
			}
		}
	}
	if err := writeSite(t.TempDir(), out); err == nil {
		t.Error("a site is made of a folder without documents")
	}
}
