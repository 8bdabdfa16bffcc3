package check

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/testkit/madetrees"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
)

// TestGoldenTrees: of each made tree our rows are those of the official checker, in rule, severity, path and section.
// Every fourth is in make test.
func TestGoldenTrees(t *testing.T) {
	golden.Each(t, "endpoints/cases.jsonl", func(t *testing.T, file string) {
		all, bases := madetrees.ReadCases(t, file)
		if len(all) < 900 {
			t.Errorf("%d trees", len(all))
		}
		rows := map[string][][5]string{}
		for i, c := range all {
			if len(c.Results) > 0 {
				rows[c.Base] = c.Results
			}
			if i%4 != 0 && !slow.All() && len(c.Ops) > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%d %s", i, c.Base), func(t *testing.T) { compare(t, c, bases[c.Base], rows[c.Base]) })
		}
	})
}

func compare(t *testing.T, c madetrees.GoldenCase, base fstest.MapFS, baseRows [][5]string) {
	checker := &submissionChecker{rules: endpoints.NewestRules()}
	if err := checker.checkFolder(madetrees.ChangedTree(t, base, c.Ops), "org"); err != nil {
		t.Fatal(err)
	}
	report := &checker.report
	want := slices.Clone(baseRows)
	for _, gone := range c.Gone {
		i := slices.IndexFunc(want, func(r [5]string) bool { return key(r) == key(gone) })
		want = slices.Delete(want, i, i+1)
	}
	want = append(want, c.New...)
	missing := map[[4]string]int{}
	for _, r := range want {
		missing[key(r)]++
	}
	for _, r := range report.Rows {
		k := [4]string{r.Rule, string(r.Severity), r.Path, r.Section}
		if missing[k]--; missing[k] < 0 {
			t.Errorf("too much: %v: %s", k, r.Message)
		}
	}
	for k, n := range missing {
		if n > 0 {
			t.Errorf("missing %d of %v", n, k)
		}
	}
	if c.Errors != nil && *c.Errors != report.Count(Error) || c.Warnings != nil && *c.Warnings != report.Count(Warning) {
		t.Errorf("%d errors and %d warnings", report.Count(Error), report.Count(Warning))
	}
	if t.Failed() {
		for _, op := range c.Ops {
			t.Logf("%s %s %v %s %s", op.Op, op.File, op.Path, op.Value, op.To)
		}
	}
}

// key is a row without its message.
func key(r [5]string) [4]string { return [4]string{r[0], r[1], r[2], r[3]} }
