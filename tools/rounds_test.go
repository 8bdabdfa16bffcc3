package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// roundLiteral is a round's name as code would compare it.
var roundLiteral = regexp.MustCompile(`"v[0-9]+\.[0-9]+"`)

// TestRoundsAreData lists the lines of code that name a round: what differs between rounds is in their files.
func TestRoundsAreData(t *testing.T) {
	top := root(t)
	for _, module := range workspaceModules(t) {
		err := filepath.WalkDir(filepath.Join(top, module), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				filepath.Base(filepath.Dir(path)) == "mlconftest" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			number := 0
			for line := range strings.Lines(string(text)) {
				number++
				code, _, _ := strings.Cut(line, "//")
				if name := roundLiteral.FindString(code); name != "" {
					t.Errorf("%s:%d names the round %s: put what it has into its file (CONTRIBUTING.md)", path, number, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
