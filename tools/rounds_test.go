package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// roundLiteral matches a round's name in code.
var roundLiteral = regexp.MustCompile(`"v[0-9]+\.[0-9]+"`)

// TestRoundsAreData lists the lines of code that name a round, because differences between rounds must be in their
// files.
func TestRoundsAreData(t *testing.T) {
	top := root(t)
	for _, path := range goFiles(t, top) {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "mlconftest" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for number, line := range numbered(text) {
			code, _, _ := strings.Cut(line, "//")
			if name := roundLiteral.FindString(code); name != "" {
				t.Errorf("%s:%d names the round %s: put what it has into its file (CONTRIBUTING.md)", path, number, name)
			}
		}
	}
}
