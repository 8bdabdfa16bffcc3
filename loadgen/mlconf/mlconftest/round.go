// Package mlconftest adds rounds of the rules in tests. It shows that a package depends only on the rules' data and
// treats a copied round like the original.
//
// In scope: names of rounds. Out of scope: rounds in mlconf.Rounds while the test runs.
package mlconftest

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/internal/roundfiles"
)

// newRounds lists names of rounds that do not exist yet. In alphabetical order, v10.0 would come before all others.
var newRounds = []string{"v6.2", "v10.0"}

// SameInNewRounds adds copies of the newest round under other names. It requires show to return the same text for each
// copy as for the newest round, except for the name. All tests of the process see the new rounds, so the test must not
// run in parallel with others.
func SameInNewRounds(t *testing.T, show func(t *testing.T, round string) string) {
	t.Helper()
	t.Setenv("PLUMBLINE_TEST_ROUND", "new") // panics in a test that runs in parallel
	newest := mlconf.Rounds()[0]
	want := show(t, newest)
	if len(want) == 0 {
		t.Fatalf("nothing is shown of %s", newest)
	}
	text, err := roundfiles.Read(newest)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range newRounds {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(roundfiles.Add(name, text))
			if got := strings.ReplaceAll(show(t, name), name, newest); got != want {
				t.Errorf("%s is not as %s, whose file it has:\n%s", name, newest, firstDifference(got, want))
			}
		})
	}
}

// firstDifference returns the first lines that differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + "\nwant\n" + b[i]
		}
	}
	return "one has more lines"
}
