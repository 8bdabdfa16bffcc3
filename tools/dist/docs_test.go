package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
)

// checkDocuments checks that every link of the Markdown files below dir has a target in it, and that the scripts and
// pages exist that they name in a user's command.
func checkDocuments(t *testing.T, dir string) {
	t.Helper()
	documents := findMarkdown(t, dir)
	if len(documents) < 50 {
		t.Errorf("%d documents, want the README, docs/, the model cards and the examples", len(documents))
	}
	dead, err := markdown.DeadLinks(documents, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dead {
		t.Error(d)
	}
	named := regexp.MustCompile(`\b(docs/[a-z0-9-]+\.md|` +
		`(plugins|datasets|examples|backends)/[a-z0-9/_.-]+\.(py|txt|proto))\b`)
	for _, document := range documents {
		if filepath.Base(document) == "measurement.md" {
			continue // it names the checkout's own tools
		}
		text := readFile(t, document)
		for _, name := range named.FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil && !ofCheckout(name) {
				t.Errorf("%s names %s, which is not there", document, name)
			}
		}
	}
}

// ofCheckout contains programs that measure and train. Documents name them to explain the origin of figures.
func ofCheckout(name string) bool {
	return strings.Contains(name, "/cmd/") || strings.Contains(name, "/testdata/") ||
		strings.HasPrefix(filepath.Base(name), "vocab")
}

// findMarkdown returns the documents below a folder.
func findMarkdown(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// inCheckout changes to the top of the checkout, which must be known to git, because git lists the shipped files.
func inCheckout(t *testing.T) {
	t.Helper()
	if _, err := commandOutput("git", "rev-parse", "HEAD"); err != nil {
		t.Skip("no git checkout: archives are made in one")
	}
	t.Chdir(filepath.Join("..", ".."))
}

// TestDocuments places the documents of a release and of a development build, and follows their links.
func TestDocuments(t *testing.T) {
	inCheckout(t)
	for version, wants := range map[string]map[string]string{
		"v1.2.3": {
			"README.md":       "require Plumbline's modules of\nv1.2.3",
			"examples/go.mod": "github.com/plumbline-ml/plumbline v1.2.3",
			"examples/python-backend/requirements.txt": "grpcio", "LICENSE": "Apache License",
			"sdk/proto/plumbline/plugin/v1/plugin.proto": "service", "plugins/resnet50/manifest.json": "params",
		},
		"devel-abc": {"README.md": "a development build", "examples/go.mod": "plumbline => ../"},
	} {
		dir := t.TempDir()
		d := dist{version: version}
		if err := d.placeDocs(dir, "amd64"); err != nil {
			t.Fatal(err)
		}
		for name, want := range wants {
			if text := readFile(t, filepath.Join(dir, name)); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s:\n%.2000s", version, want, name, text)
			}
		}
		if readme := readFile(t, filepath.Join(dir, "README.md")); !strings.HasPrefix(readme, "# Plumbline "+version) {
			t.Errorf("%s: the README begins with %.60q", version, readme)
		}
		checkDocuments(t, dir)
	}
}
