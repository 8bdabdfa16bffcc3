package standing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
)

// box is a result of resnet50 in the open division, which needs no other scenarios.
func box(system string, value float64, change ...func(*treetest.Result)) treetest.Result {
	r := treetest.Result{Division: "open", System: system, Benchmark: "resnet50", Scenario: "Offline", Value: value,
		Accelerator: "Accel X", Accelerators: 2}
	for _, c := range change {
		c(&r)
	}
	return r
}

// readAll reads trees that hold the results of rounds.
func readAll(t *testing.T, rounds map[string][]treetest.Result) (all []Published) {
	t.Helper()
	for _, round := range []string{"v5.0", "v5.1", "v6.0", "v6.1"} {
		if rounds[round] == nil {
			continue
		}
		root := filepath.Join(t.TempDir(), round)
		treetest.Write(t, root, round, rounds[round]...)
		p, err := ReadTree(root, ReadFilter{})
		if err != nil || p.Round.Name != round || len(p.Results) != len(rounds[round]) {
			t.Fatalf("%s: %+v, %v", round, p, err)
		}
		all = append(all, p)
	}
	return all
}

// mine is a run of one's own.
func mine(value float64) OwnRun {
	text := result.FormatNumber(value)
	return OwnRun{Kind: "a rehearsal", Verdict: "VALID", RankedEntry: RankedEntry{Round: "v6.1", Model: "resnet",
		Scenario: "Offline",
		System:   "your run", Accelerators: 4, Nodes: 1, Result: result.Figure{Text: text, Rounded: text, Unit: "Samples/s"}}}
}

// places are the places and names of a ranking's entries: "1 Lab / a".
func places(r Ranking) string {
	var all []string
	for _, e := range r.Entries {
		all = append(all, fmt.Sprintf("%d %s", e.Place, strings.TrimPrefix(e.Name(), "Lab / ")))
	}
	return strings.Join(all, ", ")
}

func rankOne(t *testing.T, p []Published, o Options, own ...OwnRun) Ranking {
	t.Helper()
	all, err := Rank(p, own, o)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d rankings, %v", len(all), err)
	}
	return all[0]
}

// TestPlaces: a place is one more than the number of better published results, whatever one's own are.
func TestPlaces(t *testing.T) {
	p := readAll(t, map[string][]treetest.Result{
		"v5.1": {box("a", 100), box("b", 300), box("c", 200)}, "v6.0": {box("d", 300), box("e", 50)}})
	for _, c := range []struct {
		own  []OwnRun
		want string
	}{
		{[]OwnRun{mine(250)}, "1 b, 1 d, 3 your run, 3 c, 4 a, 5 e"},
		{[]OwnRun{mine(1000)}, "1 your run, 1 b, 1 d, 3 c, 4 a, 5 e"},
		{[]OwnRun{mine(1)}, "1 b, 1 d, 3 c, 4 a, 5 e, 6 your run"},
		{[]OwnRun{mine(300)}, "1 your run, 1 b, 1 d, 3 c, 4 a, 5 e"},
		{[]OwnRun{mine(250), mine(251)}, "1 b, 1 d, 3 your run, 3 your run, 3 c, 4 a, 5 e"},
	} {
		if got := places(rankOne(t, p, Options{}, c.own...)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	invalid := mine(250)
	invalid.NoPlace = []string{"the run is INVALID"}
	r := rankOne(t, p, Options{}, invalid)
	if got := places(r); got != "1 b, 1 d, 3 c, 4 a, 5 e, 0 your run" || r.Standing(r.Own[0]) !=
		"no place among 5 published results" {
		t.Errorf("an INVALID run: %s, %s", got, r.Standing(r.Own[0]))
	}
}

// TestPer divides by accelerators, nodes and watts, and leaves out and counts what has none.
func TestPer(t *testing.T) {
	p := readAll(t, map[string][]treetest.Result{"v5.1": {
		box("a", 100, func(r *treetest.Result) { r.Watts = 10 }),
		box("b", 300, func(r *treetest.Result) { r.Accelerators, r.Nodes = 10, 2 }),
		box("c", 80, func(r *treetest.Result) { r.Accelerators = 0 }),
	}})
	own := mine(400)
	own.Power = &result.Figure{Text: "20", Unit: "Watts"}
	for per, want := range map[Divisor]string{
		PerSystem: "1 your run, 1 b, 2 a, 3 c", PerAccelerator: "1 your run, 1 a, 2 b", PerNode: "1 your run, 1 b, 2 a, 3 c",
		PerWatt: "1 your run, 1 a",
	} {
		r := rankOne(t, p, Options{Per: per}, own)
		if got := places(r); got != want {
			t.Errorf("%s: %s, want %s", per, got, want)
		}
		left := 3 - r.Published
		if text := strings.Join(r.LeftOut, "; "); left > 0 && !strings.Contains(text, "result") {
			t.Errorf("%s leaves out %d and says %q", per, left, text)
		}
	}
	r := rankOne(t, p, Options{Per: PerAccelerator}, own)
	if r.Entries[2].Text != "15.000" || r.Unit != "Samples/s per accelerator" {
		t.Errorf("%s %s, want 300 / 20", r.Entries[2].Text, r.Unit)
	}
	own.Accelerators = 0
	if r = rankOne(t, p, Options{Per: PerAccelerator}, own); r.Own[0].Place != 0 ||
		!strings.Contains(strings.Join(r.Own[0].NoPlace, " "), "without accelerators") {
		t.Errorf("a run without their number: %+v", r.Own[0])
	}
}

// TestLatencies: the lower is the better one, nothing is divided, and per watt the energy of a query is ranked.
func TestLatencies(t *testing.T) {
	stream := func(r *treetest.Result) { r.Scenario = "SingleStream" }
	p := readAll(t, map[string][]treetest.Result{"v5.1": {
		box("a", 2, stream, func(r *treetest.Result) { r.Watts = 10 }), box("b", 1, stream),
		box("c", 3, stream, func(r *treetest.Result) { r.Watts = 5 }),
	}})
	own := mine(1.5)
	own.Scenario, own.Result.Unit = "SingleStream", "Latency (ms)"
	own.Power = &result.Figure{Text: "1e9", Unit: "millijoules"}
	if got := places(rankOne(t, p, Options{}, own)); got != "1 b, 2 your run, 2 a, 3 c" {
		t.Error(got)
	}
	if r := rankOne(t, p, Options{Per: PerWatt}, own); places(r) != "1 c, 2 a, 3 your run" || r.HigherBetter {
		t.Error(places(r))
	}
	for _, per := range []Divisor{PerAccelerator, PerNode} {
		if _, err := Rank(p, []OwnRun{own}, Options{Per: per}); exitcode.Of(err) != exitcode.Usage ||
			!strings.Contains(fmt.Sprint(err), "is a latency") {
			t.Errorf("per %s: %v", per, err)
		}
	}
}

// TestChoices: divisions and availability leave out and count; other benchmarks, scenarios and units are never mixed.
func TestChoices(t *testing.T) {
	p := readAll(t, map[string][]treetest.Result{"v6.0": {
		box("a", 1), box("b", 2, func(r *treetest.Result) { r.Status = "preview" }),
		box("s", 3, func(r *treetest.Result) { r.Scenario = "SingleStream" }),
		{Benchmark: "3d-unet-99", Scenario: "Offline", SystemType: "datacenter", Value: 4, System: "u"},
	}})
	if got := places(rankOne(t, p, Options{}, mine(9))); got != "1 your run, 1 b, 2 a" {
		t.Error(got)
	}
	r := rankOne(t, p, Options{Availability: "available"}, mine(9))
	if got := places(r) + "; " + strings.Join(r.LeftOut, "; "); got !=
		"1 your run, 1 a; 1 result with the status preview" {
		t.Error(got)
	}
	for name, c := range map[string]struct {
		own  func(*OwnRun)
		o    Options
		want string
	}{
		"the division": {func(*OwnRun) {}, Options{Division: "closed"}, "left out: 2 results of the division open"},
		"the benchmark": {func(o *OwnRun) { o.Model = "bert-99" }, Options{},
			"no published result of bert-99 in Offline in "},
		"the unit": {func(o *OwnRun) { o.Result.Unit = "Tokens/s" }, Options{}, "2 results in another unit, Samples/s"},
	} {
		own := mine(9)
		c.own(&own)
		if _, err := Rank(p, []OwnRun{own}, c.o); !errors.Is(err, ErrNoComparable) || exitcode.Of(err) != exitcode.Data ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("another is %s: %v, want %q", name, err, c.want)
		}
	}
}

// TestRoundsAndRules: the best and the middle of each round, the oldest first, and what their rules do not share.
func TestRoundsAndRules(t *testing.T) {
	of := func(values ...float64) (all []treetest.Result) {
		for i, v := range values {
			all = append(all, treetest.Result{Division: "open", System: fmt.Sprint(i), Benchmark: "llama2-70b-99",
				Scenario: "Server", Value: v, SystemType: "datacenter"})
		}
		return all
	}
	p := readAll(t, map[string][]treetest.Result{"v6.0": of(40, 10, 30, 20), "v5.0": of(5)})
	own := mine(15)
	own.Model, own.Scenario, own.Result.Unit, own.Round = "llama2-70b-99", "Server", "Tokens/s", "v6.0"
	r := rankOne(t, p, Options{}, own)
	got := ""
	for _, x := range r.Rounds {
		got += fmt.Sprintf("%s %d %v %s; ", x.Name, x.Results, x.Median, x.Best.Text)
	}
	if got != "v5.0 1 5 5.0000; v6.0 4 25 40.000; " {
		t.Error(got)
	}
	if r.Spread != (ValueSpread{5, 10, 20, 30, 40}) {
		t.Errorf("%+v", r.Spread)
	}
	// two rounds that ask for the same have nothing to say; resnet of v0.5 and of today differ in samples or targets
	if len(ruleDifferences([]string{"v6.0", "v6.0"}, own)) != 0 {
		t.Error("a round differs from itself")
	}
	unet := OwnRun{RankedEntry: RankedEntry{Model: "3d-unet-99", Scenario: "Offline", Round: "v0.7"}}
	if text := strings.Join(ruleDifferences([]string{"v1.0", "v5.1"}, unet), "; "); !strings.Contains(text,
		"accuracy to reach: v0.7 to v1.0 DICE ") {
		t.Errorf("volumes of another data set: %q", text)
	}
}

// TestOwnInTheTree: a result of one's own that lies in a tree is ranked once, among the others.
func TestOwnInTheTree(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, "v5.1", box("a", 100), box("b", 300), box("c", 200))
	p, err := ReadTree(root, ReadFilter{})
	if err != nil {
		t.Fatal(err)
	}
	own, faults, err := OwnFromTree(filepath.Join(root, "open", "Lab", "results", "c"), ReadFilter{})
	if err != nil || len(own) != 1 || len(faults) != 0 {
		t.Fatalf("%+v, %v, %v", own, faults, err)
	}
	r := rankOne(t, []Published{p}, Options{}, own...)
	if got := places(r); got != "1 b, 2 Lab / c, 2 a" && got != "1 b, 2 c, 2 a" || r.Published != 2 {
		t.Errorf("%s, %d published", got, r.Published)
	}
}

// TestReadFaults: what is no tree, or of no known round, is said in one line.
func TestReadFaults(t *testing.T) {
	root := t.TempDir()
	if _, err := ReadTree(root, ReadFilter{}); exitcode.Of(err) != exitcode.Usage ||
		!strings.Contains(fmt.Sprint(err), "want closed, network or open there") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := ReadTree(filepath.Join(root, "none"), ReadFilter{}); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("no folder: %v", err)
	}
	treetest.Write(t, root, "v5.1", box("a", 1))
	if _, err := ReadTree(root, ReadFilter{Round: "v9.9"}); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("an unknown round: %v", err)
	}
	if _, _, err := OwnFromTree(root, ReadFilter{Models: []string{"bert-99"}}); exitcode.Of(err) != exitcode.Data {
		t.Errorf("no such result: %v", err)
	}
}

// report is one ranking over two rounds, of a run with remarks.
func report(t *testing.T) RankingReport {
	t.Helper()
	p := readAll(t, map[string][]treetest.Result{
		"v5.1": {box("a<b>", 100), box("a-system-with-a-name-that-is-very-long-indeed-and-has-no-blank-in-it", 300)},
		"v6.0": {box("d", 300, func(r *treetest.Result) { r.Watts = 12.5 })}})
	own := mine(250)
	own.Marks = []string{"model: a small one of this program's own", strings.Repeat("many words ", 30)}
	return NewReport(p, []Ranking{rankOne(t, p, Options{}, own)}, []string{"out/x: the run is unfinished"})
}

// TestForms: text within 80 columns, a line of CSV for each entry, JSON that is read back, a page that loads nothing.
func TestForms(t *testing.T) {
	r := report(t)
	r.Trees[0].Name, r.Trees[1].Basis = strings.Repeat("folder/", 12)+"v5.1", "by the seeds of 1,994 of 2,013 logs"
	var text, data, table, page bytes.Buffer
	err := errors.Join(r.WriteText(&text, true), r.WriteJSON(&data), r.WriteCSV(&table), r.WriteHTML(&page))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if w := terminal.Width(strings.TrimSuffix(line, "\n")); w > textColumns {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	for _, want := range []string{"would be place 3 of 4, among 3", "> your run", "not an MLPerf result", "^ yours",
		"v6.0", "not ranked"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
	var back RankingReport
	if err := json.Unmarshal(data.Bytes(), &back); err != nil || back.Schema != Schema ||
		len(back.Rankings[0].Entries) != 4 || !back.Rankings[0].Entries[2].Own {
		t.Errorf("%v: %s", err, data.String())
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != 5 || rows[3][3] != "true" || rows[0][2] != "place" {
		t.Errorf("%v: %q", err, rows)
	}
	for _, bad := range []string{"<script", "http://", "https://", "a<b>"} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"would be place", "a&lt;b&gt;", `class="own"`, "<polyline", "not an MLPerf result"} {
		if !strings.Contains(strings.ToLower(page.String()), strings.ToLower(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
