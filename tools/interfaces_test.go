package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	optional = regexp.MustCompile(`(?m)^// (\w+) is an optional interface of`)
	// listed is a row of the table: the interface with its package.
	listed = regexp.MustCompile("(?m)^\\| [^|]+ \\| `(\\w+\\.\\w+)` \\|")
)

// TestOptionalInterfacesAreListed checks that docs/vendor.md lists exactly the optional interfaces.
func TestOptionalInterfacesAreListed(t *testing.T) {
	top := root(t)
	found := map[string]bool{}
	for _, path := range goFiles(t, filepath.Join(top, "sdk")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range optional.FindAllStringSubmatch(string(text), -1) {
			found[filepath.Base(filepath.Dir(path))+"."+m[1]] = true
		}
	}
	page, err := os.ReadFile(filepath.Join(top, "docs", "vendor.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## Optional interfaces\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range listed.FindAllStringSubmatch(section, -1) {
		if !found[m[1]] {
			t.Errorf("docs/vendor.md lists %s, which is no optional interface of the sdk", m[1])
		}
		delete(found, m[1])
	}
	for name := range found {
		t.Errorf("docs/vendor.md does not list the optional interface %s", name)
	}
}
