package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestFrontPages checks that the package comments of folders without their own code name each package below.
func TestFrontPages(t *testing.T) {
	for _, folder := range []string{"accuracy", "datasets", "preprocess"} {
		text, err := os.ReadFile(filepath.Join(root(t), folder, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(root(t), folder, "*", "*.go"))
		if err != nil || len(files) < 5 {
			t.Fatalf("%s has %d files below it (%v)", folder, len(files), err)
		}
		for _, file := range files {
			name := filepath.Base(filepath.Dir(file))
			if !regexp.MustCompile(`\b` + name + `\b`).Match(text) {
				t.Errorf("%s/doc.go does not name %s", folder, name)
			}
		}
	}
}
