package power

import (
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// powerCase is what a case of the checker says of power.
type powerCase struct {
	Base, Version, Family string
	Ops                   []treeops.Op
	Official              struct {
		Results []struct{ Location, Scenario, Result, Units string }
		Errors  []string
	}
}

// TestGoldenPower makes the power rows of all cases that have some, and finds a difference of files where the official
// checker does.
func TestGoldenPower(t *testing.T) {
	bases := treeops.NewBaseTrees(t)
	golden.Each(t, "submission/check/power_*.json", func(t *testing.T, file string) {
		var c powerCase
		golden.ReadJSON(t, file, &c)
		in, err := tree.Open(bases.Tree(t, c.Base, c.Ops), c.Version)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		for _, row := range c.Official.Results {
			if row.Units != spl.Watts && row.Units != spl.Millijoules {
				continue
			}
			m := metric(t, in, row.Location, row.Scenario)
			if want, _ := strconv.ParseFloat(row.Result, 64); m.Value != want || m.Unit != row.Units {
				t.Errorf("%s: got %v %s, want %s %s", row.Location, m.Value, m.Unit, row.Result, row.Units)
			}
		}
		errs := strings.Join(c.Official.Errors, "\n")
		differs := strings.Contains(errs, "file list mismatch") || strings.Contains(errs, "required_files_check")
		if got := differencesOf(in); (len(got) > 0) != differs {
			t.Errorf("got %+v, official %s", got, errs)
		}
	})
}

// metric makes the power result of a folder.
func metric(t *testing.T, in *tree.Tree, location, scenario string) spl.PowerResult {
	t.Helper()
	f, err := in.Open(path.Join(location, "performance/run_1", tree.DetailLog))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := mllog.ReadDetail(f)
	if err != nil {
		t.Fatal(err)
	}
	text, m := map[string]string{}, spl.MeasuredRun{Scenario: scenario}
	for _, e := range entries {
		text[e.Key], _ = e.Text()
		if e.Key == "result_query_count" {
			m.Queries, _ = e.Uint()
		}
	}
	m.LoggedScenario = text["effective_scenario"]
	a, err := AveragePower(in, tree.Place{}, path.Join(location, "performance/run_1"), text["power_begin"],
		text["power_end"])
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Metric(m)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// differencesOf are those of all results with power.
func differencesOf(in *tree.Tree) []Difference {
	var all []Difference
	for _, submitter := range in.Submitters {
		for _, system := range submitter.Systems {
			for _, benchmark := range system.Benchmarks {
				for _, p := range benchmark.Scenarios {
					if IsMeasured(in, p) {
						all = append(all, Differences(in, p)...)
					}
				}
			}
		}
	}
	return all
}
