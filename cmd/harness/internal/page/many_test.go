package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/exhibits"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/sdk"
)

// TestTwoThousandRuns: a page has a row for each of 2,000 runs of published results, below the names of their
// benchmarks, and at most 3 MB; a text has a line for each.
func TestTwoThousandRuns(t *testing.T) {
	const runs = 2000
	var set results.Set
	for i := range runs {
		r := record.Run{
			Model: fmt.Sprintf("benchmark-%d", i*8/runs), Scenario: "Offline", Mode: "performance", Status: record.Complete,
			Verdict: "VALID", Rules: "v5.1", Performance: &record.Performance{Valid: true, Metric: record.Figure{
				Name: "samples per second", Unit: "samples/s", Value: 12345, Rounded: "12345"}},
			Place: &record.Place{Division: "closed", Submitter: "A submitter with a long name", Benchmark: "b",
				System: fmt.Sprintf("%d-node-of-eight-accelerators-and-two-processors", i), Scenario: "Offline"},
		}
		for k := range 21 {
			r.Settings = append(r.Settings, record.Setting{Key: fmt.Sprint("a_setting_of_a_log_", k),
				Value: "18446744073709551615", Origin: "as used, by the detail log"})
		}
		set.Runs = append(set.Runs, results.FoundRun{Run: r, Out: "/published/results"})
	}
	text := html(t, set)
	if len(text) > maxPage || len(text)/runs > 1000 {
		t.Errorf("the page has %d bytes, want at most 3 MB, and 1 kB for a run", len(text))
	}
	if n := strings.Count(text, `class="badge good"`); n < runs {
		t.Errorf("%d of %d runs have a row", n, runs)
	}
	if n := strings.Count(text, `<tr class="group">`); n != 8 {
		t.Errorf("%d headings of 8 benchmarks", n)
	}
	var b strings.Builder
	if err := (Report{Set: set}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "-node-of-eight-"); n != runs {
		t.Errorf("%d of %d runs have a line", n, runs)
	}
}

// TestManyRunsWithSamples: a page has at most 3 MB where its runs have samples to look at, more than there is room for,
// and rows lead to the sections that are there.
func TestManyRunsWithSamples(t *testing.T) {
	dir := t.TempDir()
	all := make([]sdk.Exhibit, sdk.MaxExhibits)
	for i := range all {
		all[i] = sdk.Exhibit{Caption: "a sample", Text: strings.Repeat("its text ", 400)}
	}
	if notes, err := exhibits.Write(dir, "sum", all); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	for _, runs := range []int{30, 300, 2000} {
		var set results.Set
		for i := range runs {
			set.Runs = append(set.Runs, results.FoundRun{Out: dir, Run: record.Run{
				Model: fmt.Sprintf("benchmark-%d", i*8/runs), Scenario: "Offline", Mode: "accuracy", Status: record.Complete,
				Accuracy: &record.Accuracy{LogSHA256: "sum", Notes: []string{strings.Repeat("as it was found ", 40)}},
				Place:    &record.Place{Division: "closed", Submitter: "S", System: fmt.Sprint(i), Scenario: "Offline"},
			}})
		}
		text := html(t, set)
		if len(text) > maxPage || len(text) < maxExhibits {
			t.Errorf("%d runs: the page has %d bytes", runs, len(text))
		}
		if links, sections := strings.Count(text, `<a href="#run-`), strings.Count(text, `id="run-`)/2; links != sections ||
			links == 0 {
			t.Errorf("%d runs: %d links to %d sections", runs, links, sections)
		}
	}
}
