package testfile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The flag exists only in test binaries, because only tests import this package.
var update = flag.Bool("update", false, "rewrite the expected texts in testdata")

// Compare fails the test if got differs from the text of testdata/NAME.txt. It first replaces text in got: replace
// contains old and new strings in turn, for example paths and checksums that differ between machines.
func Compare(t *testing.T, name, got string, replace ...string) {
	t.Helper()
	got = strings.NewReplacer(replace...).Replace(got)
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}
