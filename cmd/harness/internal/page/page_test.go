package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/system"

	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'` + "\x1b[31m"

// hostile is a run in which every text is evil.
func hostile() record.Run {
	return record.Run{
		Identity: record.Identity{Label: evil, Entry: evil, Point: []string{evil}, Repeat: 1, Repeats: 2},
		Model:    evil, Scenario: evil, Mode: evil, Status: record.Status(evil), Verdict: evil, Division: evil,
		DivisionReasons: []string{evil}, Error: &record.Failure{Class: evil, Message: evil, Stderr: []string{evil}},
		Reasons: []record.Reason{{Rule: evil, Measured: evil, Needed: evil, Hint: evil}},
		Notes:   []record.Finding{{About: evil, Text: evil}}, Messages: []record.Message{{Text: evil, Warning: true}},
		Deviations: []string{evil}, Files: []record.File{{Path: evil, SHA256: evil}}, Command: []string{evil},
		Settings: []record.Setting{{Key: evil, Value: evil, Unit: evil, Origin: evil}},
		Performance: &record.Performance{Metric: record.Figure{Name: evil, Unit: evil, Rounded: evil},
			Latency: record.Latency{Count: 3, Min: -5, Max: 1 << 62, Percentiles: []record.Percentile{{P: 7, NS: -1}}}},
		Accuracy: &record.Accuracy{Notes: []string{evil}, Verdict: judge.Verdict{Basis: evil,
			Metrics: []judge.Metric{{Name: evil, Unit: evil, Rounded: evil, Text: evil, Value: 1, Target: 2}}}},
		Workload: &record.Workload{SUT: evil, BackendInfo: map[string]string{evil: evil},
			Shares: []record.Share{{Name: evil, Fraction: 1e300}}},
		Options: record.Options{Params: map[string]string{evil: evil}},
	}
}

func html(t *testing.T, set results.Set) string {
	t.Helper()
	var b bytes.Buffer
	if err := (Report{Set: set, Version: evil}).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// However hostile a result is, the page has no element that it did not mean, and its policy forbids all scripts.
func TestHostileResult(t *testing.T) {
	runs := []results.FoundRun{{Run: hostile(), Out: t.TempDir()}, {Run: hostile()}}
	set := results.Set{Skipped: []string{evil}, Runs: runs}
	text := html(t, set)
	for _, bad := range []string{"<script", "<img src=x", "onerror=alert(1)>\"", " style="} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if !strings.Contains(text, `content="default-src &#39;none&#39;; style-src &#39;sha256-`) {
		t.Error("the page has no policy")
	}
	var terminal bytes.Buffer
	if err := (Report{Set: set}).WriteText(&terminal); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(terminal.String(), "\x1b") {
		t.Errorf("the text has control characters: %q", terminal.String())
	}
}

// later answers each query a virtual millisecond after it came, so that what is measured is the same on any machine.
type later struct {
	loadgentest.NullSUT
	clock *loadgentest.Clock
}

func (s *later) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	q.Samples = slices.Clone(q.Samples)
	// twice what Server's queries are apart: they are issued late
	s.clock.Advance(10 * time.Microsecond)
	s.clock.After(time.Millisecond, func() { _ = s.NullSUT.IssueQuery(ctx, q, r) }) // it never fails
	return nil
}

// measuredRun is a run of LoadGen's in a folder, with its series.
func measuredRun(t *testing.T, scenario loadgen.Scenario, queries uint64) results.FoundRun {
	t.Helper()
	out := t.TempDir()
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, 0, queries, 2e5
	s.ServerTargetLatency = time.Hour
	l := loadgen.LogSettings{OutDir: out, Record: func(r loadgen.Recording, dir string) error {
		text, err := series.FromSource(r).JSON()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, series.FileName), text, 0o600)
	}}
	sut := &later{clock: new(loadgentest.Clock)}
	ctx := loadgentest.WithClock(t.Context(), sut.clock)
	res, err := loadgen.StartTest(ctx, sut, loadgentest.QSL{Total: 90, Performance: 90}, s, l)
	if err != nil {
		t.Fatal(err)
	}
	r := record.Run{Model: "null", Scenario: scenario.String(), Mode: "performance", Dir: ".", Verdict: "VALID",
		Status: record.Complete, Rules: "v6.1"}
	r.FromResult(res)
	return results.FoundRun{Run: r, Out: out}
}

func TestPageOfRuns(t *testing.T) {
	var set results.Set
	for _, s := range loadgen.Scenarios() {
		set.Runs = append(set.Runs, measuredRun(t, s, 2000))
	}
	text := html(t, set)
	for id, want := range map[string]int{"latency": 3, "latency-distribution": 4, "throughput": 4, "outstanding": 2} {
		if n := len(regexp.MustCompile(`<figure id="run-\d-`+id+`">`).FindAllString(text, -1)); n != want {
			t.Errorf("%d charts %s, want %d", n, id, want)
		}
	}
	if strings.Contains(text, "http:") || strings.Contains(text, "https:") || strings.Contains(text, "ZgotmplZ") {
		t.Error("the page speaks of the network, or something of it was refused")
	}
	var terminal bytes.Buffer
	if err := (Report{Set: set}).WriteText(&terminal); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(terminal.String(), "throughput over time"); got != 4 {
		t.Errorf("the text has %d lines of throughput:\n%s", got, terminal.String())
	}
}

// The head says what ran on what: a value for each way in which the runs differ, a few of them, and all together for
// the date.
func TestHead(t *testing.T) {
	var set results.Set
	for i := range 7 {
		r := record.Run{Model: "m", Scenario: "Server", Mode: "performance", Status: record.Complete, Rules: "v6.1",
			Profile: "official", Division: "closed", Started: time.Date(2026, 11, 23, 22, 50+5*i, 0, 0, time.UTC),
			Workload: &record.Workload{ModelFile: "m.onnx", Precision: "int8", Dataset: "pictures", DatasetSize: 500,
				Backend: fmt.Sprintf("backend%d", i), BackendInfo: map[string]string{"version": "1.2"}},
			System: system.Info{CPU: "Example CPU", Cores: 8, MemoryBytes: 32e9, OS: "Linux"}}
		r.Stated.System = system.StatedProperties{"accelerator": "Acme X1"}
		set.Runs = append(set.Runs, results.FoundRun{Run: r})
	}
	got := map[string]string{}
	for _, f := range runFacts(set.Runs) {
		got[f.Name] = strings.Join(f.Values, "; ")
	}
	for name, want := range map[string]string{
		"model": "m.onnx, int8", "data": "pictures, 500 samples", "machine": "Example CPU, 8 cores, 32.0 GB",
		"backend":   "backend0, 1.2; backend1, 1.2; backend2, 1.2; backend3, 1.2; and others (3 runs)",
		"as stated": "accelerator Acme X1", "rules": "official: rules v6.1", "division": "closed",
		"LoadGen": "Plumbline's own", "date": "23 November 2026, 22:50 to 23:20 UTC",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	set.Runs[1].Model = "other"
	for _, f := range runFacts(set.Runs) {
		if f.Name == "model" && !slices.Equal(f.Values, []string{"m: m.onnx, int8", "other: m.onnx, int8"}) {
			t.Errorf("of two models: %q", f.Values)
		}
	}
	if all := runFacts(nil); all != nil {
		t.Errorf("of no runs: %v", all)
	}
}

// A run stands beside what judges it, with the margin in percent of the limit.
func TestJudgedBy(t *testing.T) {
	server := func(ns int64) record.Run {
		return record.Run{Scenario: "Server",
			Effective: &record.Effective{TargetLatencyPercentile: .99, TargetLatencyNS: 15e6},
			Performance: &record.Performance{Latency: record.Latency{Percentiles: []record.Percentile{{P: .9, NS: 1},
				{P: .99, NS: ns}}}}}
	}
	tokens := server(1)
	tokens.Performance.Tokens = &record.Tokens{
		TTFT: &record.TokenLatency{Figure: record.Figure{Name: "99th percentile TTFT", Unit: "ms", Value: 1000,
			Rounded: "1000.0"}, LimitNS: 2e9},
		TPOT: &record.TokenLatency{Figure: record.Figure{Name: "99th percentile TPOT", Unit: "ms", Value: 300,
			Rounded: "300.00"}, LimitNS: 2e8}}
	stream := server(1)
	stream.Scenario = "SingleStream"
	for name, c := range map[string]struct {
		run  record.Run
		want []judgedValue
	}{
		"met":    {server(12e6), []judgedValue{{"99th percentile latency 12.000 ms, at most 15 ms", "+20.0 %", false}}},
		"missed": {server(30e6), []judgedValue{{"99th percentile latency 30.000 ms, at most 15 ms", "-100.0 %", true}}},
		"tokens": {tokens, []judgedValue{{"99th percentile TTFT 1000.0 ms, at most 2000 ms", "+50.0 %", false},
			{"99th percentile TPOT 300.00 ms, at most 200 ms", "-50.0 %", true}}},
		"none": {stream, nil},
		"accuracy": {record.Run{Accuracy: &record.Accuracy{Verdict: judge.Verdict{Metrics: []judge.Metric{
			{Name: "F1", Unit: "%", Value: 90, Rounded: "90.000", Target: 80},
			{Name: "length", Value: 12, Rounded: "12.000", Upper: 10},
			{Name: "other", Value: 1}}}}},
			[]judgedValue{{"at least 80 %", "+12.5 %", false}, {"length 12.000, at most 10", "-20.0 %", true}}},
	} {
		if got := judgedBy(c.run); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Several runs are laid over one another where they are of one model and scenario, and compared with all.
func TestChartsOfSeveralRuns(t *testing.T) {
	var set results.Set
	for _, s := range []loadgen.Scenario{loadgen.Server, loadgen.Server, loadgen.SingleStream, loadgen.Offline} {
		set.Runs = append(set.Runs, measuredRun(t, s, 800))
	}
	var ids []string
	for _, m := range regexp.MustCompile(`<figure id="(over[^"]*)">`).FindAllStringSubmatch(html(t, set), -1) {
		ids = append(ids, m[1])
	}
	const want = "overview-throughput overview-latency overlay-1-latency-percentiles overlay-1-latency-distributions"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("charts %s, want %s", got, want)
	}
	set.Runs = set.Runs[:1]
	if text := html(t, set); strings.Contains(text, `<figure id="over`) {
		t.Error("one run has charts of several")
	}
}

// TestTextsOfAnyDirection: what others wrote, labels first, finds its own direction.
func TestTextsOfAnyDirection(t *testing.T) {
	r := hostile()
	r.Identity.Label, r.Error.Message, r.Error.Stderr = "תווית", "הודעה", []string{"שגיאה"}
	r.Notes, r.Stated.Note = []record.Finding{{Text: "הערה"}}, "مذكرة"
	page := html(t, results.Set{Runs: []results.FoundRun{{Run: r}, {Run: hostile()}}})
	for _, want := range []string{`<h1 dir="auto">`, `-title" dir="auto">תווית: `,
		`<th scope="row"><a href="#run-1">תווית: `, `<p dir="auto">הודעה</p>`, `<p class="mono" dir="auto">שגיאה</p>`,
		`<p dir="auto">הערה</p>`, "unicode-bidi:plaintext"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestThousandsOfRuns: a page stays small, says for which runs it has no room, and its table of all ends.
func TestThousandsOfRuns(t *testing.T) {
	one := measuredRun(t, loadgen.Server, 5000)
	var set results.Set
	for i := range 3000 {
		r := one
		r.Model = fmt.Sprintf("model%d", i)
		set.Runs = append(set.Runs, r)
	}
	text := html(t, set)
	if at := strings.Index(text, `id="overview-`); at < 0 || at > strings.Index(text, `aria-label="All runs"`) {
		t.Error("the charts are behind a table of thousands of rows")
	}
	if len(text) > 2_000_000 || !strings.Contains(text, "of 3,000 runs") || !strings.Contains(text, "and 1,000 more") {
		t.Errorf("%d bytes", len(text))
	}
}

// TestNamesOfAMatrix: six runs of a matrix are called by their points, in the table, in headings and for the terminal.
func TestNamesOfAMatrix(t *testing.T) {
	var set results.Set
	var want []string
	for _, batch := range []string{"batch=1", "batch=4", "batch=8"} {
		for _, precision := range []string{"precision=fp32", "precision=int8"} {
			r := record.Run{Model: "resnet50", Scenario: "Offline", Mode: "performance", Verdict: "VALID"}
			r.Identity.Point = []string{batch, precision}
			set.Runs = append(set.Runs, results.FoundRun{Run: r})
			want = append(want, "resnet50 Offline performance "+batch+", "+precision)
		}
	}
	text := html(t, set)
	var terminal bytes.Buffer
	if err := (Report{Set: set}).WriteText(&terminal); err != nil {
		t.Fatal(err)
	}
	for i, name := range want {
		name := template.HTMLEscapeString(name)
		for _, place := range []string{
			fmt.Sprintf(`<a href="#run-%d">%s</a>`, i+1, name),
			fmt.Sprintf(`<h2 id="run-%d-title" dir="auto">%s</h2>`, i+1, name),
		} {
			if !strings.Contains(text, place) {
				t.Errorf("the page lacks %s", place)
			}
		}
		if !strings.Contains(terminal.String(), "\n"+want[i]+"  ") {
			t.Errorf("the text lacks %s:\n%s", want[i], terminal.String())
		}
	}
}

// TestNarrowTerminals: the text fits 80 columns, a number never stands apart from what it is of, and nothing is lost.
func TestNarrowTerminals(t *testing.T) {
	var set results.Set
	for _, s := range []loadgen.Scenario{loadgen.Server, loadgen.MultiStream} {
		set.Runs = append(set.Runs, measuredRun(t, s, 2000))
	}
	var narrow, wide bytes.Buffer
	for to, columns := range map[*bytes.Buffer]int{&narrow: 80, &wide: 0} {
		out := terminal.NewWriter(to, terminal.Options{Columns: func() int { return columns }})
		if err := (Report{Set: set}).WriteText(out); err != nil {
			t.Fatal(err)
		}
		out.Flush()
	}
	for line := range strings.Lines(narrow.String()) {
		if n := terminal.Width(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	numbers := regexp.MustCompile(`[0-9.]+ (ns|µs|ms|s)\b`)
	if a, b := len(numbers.FindAllString(wide.String(), -1)), len(numbers.FindAllString(narrow.String(), -1)); a != b {
		t.Errorf("%d times on a wide terminal, %d on a narrow one", a, b)
	}
	if !regexp.MustCompile(`(?m)^    99\.9 %( +[0-9.]+ [nµm]?s){2}$`).MatchString(narrow.String()) {
		t.Errorf("no line of the 99.9th percentiles:\n%s", narrow.String())
	}
}

// TestManyDistributions: what was measured of a server has more distributions than 80 columns hold; they are in several
// tables, each with the names of the statistics.
func TestManyDistributions(t *testing.T) {
	head := []string{"", "min", "50 %", "90 %", "95 %", "99 %", "99.9 %", "max", "mean"}
	rows := [][]string{head}
	for _, of := range metric.ServingDistributions() {
		row := []string{of.Title}
		for i := range head[1:] {
			row = append(row, fmt.Sprintf("%d.25 ms", 100+i))
		}
		rows = append(rows, row)
	}
	var text bytes.Buffer
	out := terminal.NewWriter(&text, terminal.Options{Columns: func() int { return 80 }})
	if err := writeLatencies(out, rows); err != nil {
		t.Fatal(err)
	}
	out.Flush()
	numbers, whole := 0, regexp.MustCompile(`^    (min|max|mean|[0-9.]+ %)( +[0-9.]+ ms)+$`)
	for line := range strings.Lines(text.String()) {
		line = strings.TrimRight(line, "\n")
		if n := terminal.Width(line); n > 80 || strings.Contains(line, " ms") && !whole.MatchString(line) {
			t.Errorf("%d columns: %q", n, line)
		}
		numbers += strings.Count(line, " ms")
	}
	if want := (len(head) - 1) * (len(rows) - 1); numbers != want {
		t.Errorf("%d numbers, want %d:\n%s", numbers, want, text.String())
	}
}

// TestPercentilesOfFew wants "too few" in the tables of page and terminal for what the latencies are too few for, of
// runs as of measurements of servers.
func TestPercentilesOfFew(t *testing.T) {
	known := []record.Percentile{{P: .5, NS: 1e6}, {P: .9, NS: 2e6}, {P: .99, NS: 3e6}, {P: .999, NS: 4e6}}
	for n, want := range map[int]string{
		1: "too few,too few,too few,too few", 8: "1.00 ms,too few,too few,too few", 64: "1.00 ms,2.00 ms,too few,too few",
		100: "1.00 ms,2.00 ms,3.00 ms,too few", 1000: "1.00 ms,2.00 ms,3.00 ms,4.00 ms",
	} {
		l := record.Latency{Count: n, Min: 5e5, Max: 4e6, Mean: 1e6, Percentiles: known}
		r := record.Run{Model: "resnet50", Scenario: "Server", Performance: &record.Performance{Latency: l, Issue: &l},
			Workload: &record.Workload{Batching: &record.Batching{Waiting: &l, Model: &l}}}
		d := metrics.Distribution{N: n, Min: 5e5, Max: 4e6, Mean: 1e6}
		for _, p := range known {
			d.Percentiles = append(d.Percentiles, metrics.Percentile{P: p.P, Value: float64(p.NS)})
		}
		served := record.Run{Serving: &record.Serving{Figures: &metrics.Figures{TTFT: d, E2E: d}}}
		for _, table := range []textTable{latencyTable(r), latencyTable(served)} {
			if len(table.Rows) < 2 {
				t.Fatal(table)
			}
			for _, row := range table.Rows {
				if got := strings.Join(row[2:6], ","); got != want {
					t.Errorf("%d values, %s: %s, want %s", n, row[0], got, want)
				}
			}
		}
		set := results.Set{Runs: []results.FoundRun{{Run: r}}}
		var text bytes.Buffer
		if err := (Report{Set: set}).WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for of, shown := range map[string]string{"page": html(t, set), "text": text.String()} {
			if strings.Contains(shown, "too few") != strings.Contains(want, "too few") {
				t.Errorf("%d values: the %s has %q", n, of, shown)
			}
		}
	}
}

func TestNoRunsAndRunsUnderWay(t *testing.T) {
	if text := html(t, results.Set{}); !strings.Contains(text, "No runs") {
		t.Error(text)
	}
	under := record.Run{Model: "m", Scenario: "Server", Mode: "performance", Status: record.Unfinished,
		Verdict: "UNFINISHED"}
	text := html(t, results.Set{Runs: []results.FoundRun{{Run: under, Out: t.TempDir()}}})
	if !strings.Contains(text, "under way") || !strings.Contains(text, "UNFINISHED") {
		t.Error(text)
	}
}

// A folder of LoadGen's logs alone is read, one with a result.json that is cut as well, and the page says so.
func TestLoad(t *testing.T) {
	f := measuredRun(t, loadgen.SingleStream, 500)
	if err := os.Remove(filepath.Join(f.Out, series.FileName)); err != nil {
		t.Fatal(err)
	}
	set, err := results.ReadLogs(f.Out)
	if err != nil || len(set.Runs) != 1 || set.Runs[0].Verdict != "VALID" {
		t.Fatalf("%+v, %v", set, err)
	}
	text := html(t, set)
	if !strings.Contains(text, "No charts over time") || !strings.Contains(text, "The logs have these alone") {
		t.Error("the page does not say what is missing")
	}
	if err := os.WriteFile(filepath.Join(f.Out, record.FileName), []byte(`{"schema": "plumb`), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err = results.ReadLogs(f.Out)
	if err != nil || len(set.Runs) != 1 || len(set.Skipped) != 1 {
		t.Errorf("a result.json that is cut: %+v, %v", set, err)
	}
	if _, err := results.ReadLogs(t.TempDir()); err == nil {
		t.Error("an empty folder is no fault")
	}
	newer, _ := json.Marshal(map[string]any{"schema": record.Schema, "schema_version": 99})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, record.FileName), newer, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := results.ReadLogs(dir); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("a newer result: %v", err)
	}
}

// Damaged series cost the charts, and no more.
func TestDamagedSeries(t *testing.T) {
	f := measuredRun(t, loadgen.Server, 300)
	if err := os.WriteFile(filepath.Join(f.Out, series.FileName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := html(t, results.Set{Runs: []results.FoundRun{f}}); !strings.Contains(text, "not a series file") {
		t.Error("the page does not say it")
	}
}

// TestVerdictOfATest: an audit fails whose run is VALID.
func TestVerdictOfATest(t *testing.T) {
	r := record.Run{Status: record.Complete, Verdict: "VALID (smoke)", Test: "TEST04"}
	for found, want := range map[record.TestVerdict]runVerdict{
		"":                   {"VALID (smoke)", "good", "✓"},
		record.TestPassed:    {"VALID (smoke), TEST04 PASS", "good", "✓"},
		record.TestFailed:    {"VALID (smoke), TEST04 FAIL", "bad", "✗"},
		record.TestNotJudged: {"VALID (smoke), TEST04 not judged", "warn", "!"},
	} {
		r.TestVerdict = found
		if got := verdictOf(r); got != want {
			t.Errorf("%q: %v, want %v", found, got, want)
		}
	}
}
