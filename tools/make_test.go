package tools

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// makeOutput runs make in the checkout and returns what it printed.
func makeOutput(t *testing.T, args ...string) (text string, err error) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here")
	}
	c := exec.Command("make", append([]string{"-s"}, args...)...)
	c.Dir = root(t)
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestHelpIsShort limits make help to 25 lines.
func TestHelpIsShort(t *testing.T) {
	text, err := makeOutput(t, "help")
	if n := strings.Count(text, "\n"); err != nil || n < 10 || n > 25 {
		t.Errorf("%d lines (%v):\n%s", n, err, text)
	}
}

// TestNamesOfTests checks that make test-official and make test-extra list their names in the help and for an unknown
// OF, and that each name has a recipe.
func TestNamesOfTests(t *testing.T) {
	help, err := makeOutput(t, "help")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"test-official", "test-extra"} {
		_, line, found := strings.Cut(help, "make "+target+" ")
		_, line, _ = strings.Cut(line, "OF=")
		line, _, _ = strings.Cut(line, "\n")
		names := strings.Split(strings.Replace(line, " or ", ", ", 1), ", ")
		if !found || len(names) < 10 {
			t.Fatalf("make help lists no names of make %s:\n%s", target, help)
		}
		for _, wrong := range []string{"", "none", "unknown", names[0] + " " + names[1], "help"} {
			said, err := makeOutput(t, target, "OF="+wrong)
			var listed []string
			for _, m := range regexp.MustCompile(`(?m)^  OF=(\S+) +\S`).FindAllStringSubmatch(said, -1) {
				listed = append(listed, m[1])
			}
			if slices.Sort(listed); err == nil || !slices.Equal(listed, names) {
				t.Errorf("make %s OF=%q: %v, and it lists %q, want those of the help, %q", target, wrong, err, listed, names)
			}
		}
		for _, name := range names {
			if said, err := makeOutput(t, "-n", target, "OF="+name, "LOADGEN=x"); err != nil ||
				!strings.Contains(said, "test -count=1") {
				t.Errorf("make %s OF=%s: %v\n%s", target, name, err, said)
			}
		}
	}
}
