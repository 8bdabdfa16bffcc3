package checker

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

type checkCase struct {
	Base, Version string
	Args          []string
	Ops           []treeops.Op
	Official      struct {
		Verdict  Verdict
		Rejected []string
		Counts   *struct {
			Results    int `json:"Results"`
			NoResults  int `json:"NoResults"`
			PowerCount int `json:"Power Results"`
		}
		Results []struct{ Location, MlperfModel, Scenario, Result, Units, Accuracy, Inferred string }
		CSV     *string `json:"csv_text"`
	}
}

// TestGoldenOfficial compares with what the official checker said: its verdict, the folders refused, the results, and
// the summary byte for byte where a case has it.
func TestGoldenOfficial(t *testing.T) {
	bases := treeops.NewBaseTrees(t)
	golden.Each(t, "submission/check/*.json", func(t *testing.T, file string) {
		var c checkCase
		golden.ReadJSON(t, file, &c)
		r, err := Check(bases.Tree(t, c.Base, c.Ops), options(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.Official.Verdict {
			t.Fatalf("%s, want %s: %+v %+v", r.Verdict, c.Official.Verdict, r.Crashes, r.Rejected)
		}
		if r.Verdict == Crash {
			return
		}
		compareReport(t, r, c)
	})
}

func compareReport(t *testing.T, r *Report, c checkCase) {
	t.Helper()
	rejected := []string{}
	for _, folder := range r.Rejected {
		rejected = append(rejected, folder.Folder)
	}
	slices.Sort(rejected)
	slices.Sort(c.Official.Rejected)
	if !slices.Equal(rejected, c.Official.Rejected) {
		t.Errorf("refused %v, want %v: %+v", rejected, c.Official.Rejected, r.Rejected)
	}
	counts := c.Official.Counts
	if r.Results != counts.Results || r.Folders-r.Results != counts.NoResults || r.Power != counts.PowerCount {
		t.Errorf("%d of %d results, %d with power, want %+v", r.Results, r.Folders, r.Power, *counts)
	}
	var got, want []string
	for _, row := range r.Rows {
		got = append(got, fmt.Sprint(path.Dir(path.Dir(row.Location)), row.MLPerfModel, row.Scenario, row.Result, row.Units,
			row.Accuracy, row.Fields()[slices.Index(result.Columns(), "inferred")]))
	}
	for _, row := range c.Official.Results {
		want = append(want, fmt.Sprint(row.Location, row.MlperfModel, row.Scenario, row.Result, row.Units, row.Accuracy,
			row.Inferred))
	}
	if !slices.Equal(got, want) {
		t.Errorf("results\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c.Official.CSV == nil {
		return
	}
	var csv bytes.Buffer
	if err := result.WriteCSV(&csv, r.Rows); err != nil || csv.String() != *c.Official.CSV {
		t.Errorf("summary\n%s\nwant\n%s(%v)", &csv, *c.Official.CSV, err)
	}
}

func options(t *testing.T, c checkCase) Options {
	t.Helper()
	o := Options{Round: c.Version}
	flags := map[string]*bool{
		"--submission-exceptions": &o.Exceptions, "--skip-power-check": &o.SkipPower, "--private-ids": &o.PrivateIDs,
		"--skip-meaningful-fields-emptiness-check": &o.SkipMeaningful, "--skip-empty-files-check": &o.SkipEmptyFiles,
		"--skip-extra-accuracy-files-check": &o.SkipAccuracyFiles, "--skip-dataset-size-check": &o.SkipDatasetSize,
	}
	for i := 0; i < len(c.Args); i++ {
		switch flag := flags[c.Args[i]]; {
		case flag != nil:
			*flag = true
		case c.Args[i] == "--submitter":
			i++
			o.Submitter = c.Args[i]
		default:
			t.Logf("the argument %s has no effect in the official checker", c.Args[i])
		}
	}
	return o
}
