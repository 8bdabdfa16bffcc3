package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// run is one of a scenario whose queries take about so long, on a backend.
func run(scenario, backend string, rate float64, latency time.Duration) record.Run {
	ns := latency.Nanoseconds()
	return record.Run{
		Model: "resnet50", Scenario: scenario, Mode: "performance", Status: record.Complete, Verdict: "VALID", Rules: "v6.1",
		Profile: "official", Pace: "default",
		Performance: &record.Performance{
			Metric: record.Figure{Name: "completed samples per second", Unit: "samples/s", Value: figure.Number(rate)},
			Latency: record.Latency{Count: 1000, Min: ns / 2, Max: 3 * ns, Mean: ns, Percentiles: []record.Percentile{
				{P: 0.5, NS: ns}, {P: 0.99, NS: 2 * ns},
			}},
			Queries: 1000, Samples: 1000,
		},
		Settings: []record.Setting{{Key: "target_qps", Value: "100"}},
		Workload: &record.Workload{Backend: backend, Precision: "fp32", ModelSHA256: strings.Repeat("a", 64),
			Dataset: "synthetic", DatasetSize: 1000, PerformanceSampleCount: 1000},
	}
}

// input is a side of runs.
func input(name string, runs ...record.Run) SideInput {
	in := SideInput{Name: name}
	for _, r := range runs {
		in.Runs = append(in.Runs, results.FoundRun{Run: r, Out: name})
	}
	return in
}

// around are n runs whose rates and latencies scatter by 1 % around what is given.
func around(random *rand.Rand, n int, backend string, rate float64, latency time.Duration) []record.Run {
	runs := make([]record.Run, n)
	for i := range runs {
		scatter := func() float64 { return 1 + 0.01*random.NormFloat64() }
		runs[i] = run("Server", backend, rate*scatter(), time.Duration(float64(latency)*scatter()))
	}
	return runs
}

// headline is the verdict on the result of two sides that have one pair.
func headline(t *testing.T, a, b []record.Run) FigureRow {
	t.Helper()
	c, err := Compare(input("a", a...), input("b", b...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Pairs[0].Rows[0]
}

func TestAPlantedDifferenceIsFound(t *testing.T) {
	const pairs = 100
	found, invented := 0, 0
	for seed := range uint64(pairs) {
		random := rand.New(rand.NewPCG(seed, 7))
		base := around(random, 7, "ort", 100, 10*time.Millisecond)
		if headline(t, base, around(random, 7, "process", 97, 10*time.Millisecond)).Verdict == VerdictWorsened {
			found++
		}
		if headline(t, base, around(random, 7, "process", 100, 10*time.Millisecond)).Verdict != VerdictWithin {
			invented++
		}
	}
	t.Logf("of %d pairs, 3 %% slower: found in %d; as fast: a difference in %d", pairs, found, invented)
	if found < 95 || invented > 5 {
		t.Errorf("3 %% found in %d of %d pairs, and no difference found in %d", found, pairs, invented)
	}
}

// TestNothingIsInventedMoreOftenThanSaid counts over all ways to deal 14 ranks to two sides.
func TestNothingIsInventedMoreOftenThanSaid(t *testing.T) {
	total, extreme := 0, 0
	for chosen := range 1 << 14 {
		var a, b []float64
		for i := range 14 {
			if chosen>>i&1 == 1 {
				a = append(a, float64(i))
			} else {
				b = append(b, float64(i))
			}
		}
		if len(a) != 7 {
			continue
		}
		if total++; mannWhitney(a, b) < SignificanceLevel {
			extreme++
		}
	}
	if total != 3432 || float64(extreme)/float64(total) >= SignificanceLevel {
		t.Errorf("%d of %d", extreme, total)
	}
}

func TestDirections(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	base := around(random, 7, "ort", 100, 10*time.Millisecond)
	next := around(random, 7, "ort", 110, 11*time.Millisecond)
	for i := range next {
		next[i].Performance.Queries = 2000
	}
	c, err := Compare(input("a", base...), input("b", next...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]DifferenceVerdict{
		"result": VerdictImproved, "p99": VerdictWorsened, "queries": VerdictChanged, "samples": VerdictWithin,
		"overlatency": VerdictWithin,
	} {
		i := slices.IndexFunc(c.Pairs[0].Rows, func(r FigureRow) bool { return r.Name == name })
		if r := c.Pairs[0].Rows[i]; r.Verdict != want {
			t.Errorf("%s: %s (p %v), want %s", name, r.Verdict, r.P, want)
		}
	}
}

// TestDirectionsOfAccuracies: each goes by what its result says of it, which is the manifest's; where one side is of an
// older harness, by the other's.
func TestDirectionsOfAccuracies(t *testing.T) {
	scored := func(factor float64, better func(sdk.MetricDirection) sdk.MetricDirection) (runs []record.Run) {
		for i := range 7 {
			r := run("Offline", "ort", 100, time.Millisecond)
			r.Mode, r.Performance, r.Accuracy = "accuracy", nil, &record.Accuracy{}
			for name, way := range map[string]sdk.MetricDirection{
				"F1": sdk.HigherBetter, "perplexity": sdk.LowerBetter, "gen_len": sdk.NeitherBetter,
			} {
				r.Accuracy.Metrics = append(r.Accuracy.Metrics,
					judge.Metric{Name: name, Better: better(way), Value: figure.Number(factor * (100 + float64(i)))})
			}
			runs = append(runs, r)
		}
		return runs
	}
	said := func(b sdk.MetricDirection) sdk.MetricDirection { return b }
	older := func(sdk.MetricDirection) sdk.MetricDirection { return "" }
	for _, c := range []struct {
		base, next             func(sdk.MetricDirection) sdk.MetricDirection
		f1, perplexity, length DifferenceVerdict
	}{
		{said, said, VerdictImproved, VerdictWorsened, VerdictChanged},
		{older, said, VerdictImproved, VerdictWorsened, VerdictChanged},
		{said, older, VerdictImproved, VerdictWorsened, VerdictChanged},
		{older, older, VerdictChanged, VerdictChanged, VerdictChanged},
	} {
		got, err := Compare(input("a", scored(1, c.base)...), input("b", scored(1.5, c.next)...), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]DifferenceVerdict{"accuracy.F1": c.f1, "accuracy.perplexity": c.perplexity,
			"accuracy.gen_len": c.length}
		for _, r := range got.Pairs[0].Rows {
			if r.Verdict != want[r.Name] {
				t.Errorf("%s: %s, want %s", r.Name, r.Verdict, want[r.Name])
			}
			delete(want, r.Name)
		}
		if len(want) > 0 {
			t.Errorf("not compared: %v", want)
		}
	}
}

func TestFewRunsHaveNoVerdict(t *testing.T) {
	for n, want := range map[int]DifferenceVerdict{1: VerdictUnknown, 3: VerdictUnknown, 4: VerdictWorsened} {
		var a, b []record.Run
		for i := range n {
			a = append(a, run("Server", "ort", 100+float64(i), time.Millisecond))
			b = append(b, run("Server", "ort", 50+float64(i), time.Millisecond))
		}
		if r := headline(t, a, b); r.Verdict != want {
			t.Errorf("%d runs: %s, want %s", n, r.Verdict, want)
		}
	}
}

// changes of a run that a comparison takes notice of, by the word of --allow-unlike.
func changes() map[string]func(*record.Run) {
	return map[string]func(*record.Run){
		"model":    func(r *record.Run) { r.Workload.ModelSHA256 = strings.Repeat("b", 64) },
		"scenario": func(r *record.Run) { r.Scenario = "Offline" },
		"mode":     func(r *record.Run) { r.Mode = "findpeak" },
		"rules":    func(r *record.Run) { r.Rules = "v5.0" },
		"data":     func(r *record.Run) { r.Workload.DatasetSize = 500 },
		"settings": func(r *record.Run) { r.Settings = []record.Setting{{Key: "target_qps", Value: "200"}} },
		"loadgen":  func(r *record.Run) { r.LoadGen = &record.LoadGen{Name: "official", Version: "6.0.17"} },
		"backend":  func(r *record.Run) { r.Workload.Backend = "process" },
		"machine":  func(r *record.Run) { r.System.CPU = "another" },
		"versions": func(r *record.Run) { r.Plugin.Version = "9" },
	}
}

func known(r record.Run) record.Run {
	r.System.CPU, r.Plugin.Version = "one", "1"
	return r
}

// TestTooFewLatencies wants a note of percentiles that the latencies are too few for, of the side that has such runs.
func TestTooFewLatencies(t *testing.T) {
	of := func(scenario string, counts ...int) []record.Run {
		runs := make([]record.Run, len(counts))
		for i, n := range counts {
			r := run(scenario, "ort", 100, time.Millisecond)
			r.Performance.Latency.Count = n
			runs[i] = r
		}
		return runs
	}
	for name, c := range map[string]struct {
		base, next []record.Run
		want       string
	}{
		"enough":   {of("Server", 100), of("Server", 5000), ""},
		"one less": {of("Server", 100), of("Server", 99), "1 of the 1 run of b: too few latencies (99) for p99, which"},
		"of two": {of("Server", 30, 8), of("Server", 200, 200),
			"2 of the 2 runs of a: at worst too few latencies (8) for p99,"},
		"median":  {of("SingleStream", 1), of("SingleStream", 200), "too few latencies (1) for p50, p99, which"},
		"rates":   {of("Offline", 1), of("Offline", 8), ""},
		"unknown": {of("Server", 0), of("Server", 0), ""},
	} {
		got, err := Compare(input("a", c.base...), input("b", c.next...), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		notes := strings.Join(got.Pairs[0].Notes, "\n")
		if !strings.Contains(notes, c.want) || (c.want == "") != (notes == "") {
			t.Errorf("%s: notes %q, want %q", name, notes, c.want)
		}
	}
}

func TestUnlikeRunsAreRefused(t *testing.T) {
	for name, change := range changes() {
		t.Run(name, func(t *testing.T) {
			base, next := known(run("Server", "ort", 100, time.Millisecond)), known(run("Server", "ort", 100, time.Millisecond))
			change(&next)
			_, err := Compare(input("a", base), input("b", next), nil)
			subject := slices.Contains([]string{"backend", "machine", "versions"}, name)
			if refused := errors.Is(err, ErrUnlike); refused == subject {
				t.Errorf("refused: %v (%v)", refused, err)
			}
			if err != nil && exitcode.Of(err) != exitcode.Usage {
				t.Errorf("exit code %d", exitcode.Of(err))
			}
			c, err := Compare(input("a", base), input("b", next), []string{name})
			if err != nil || len(c.Pairs) != 1 || len(c.Pairs[0].Differs) == 0 {
				t.Errorf("allowed: %+v, %v", c, err)
			}
		})
	}
}

func TestRunsOfOneSideAreAlike(t *testing.T) {
	for name, change := range changes() {
		t.Run(name, func(t *testing.T) {
			one, other := known(run("Server", "ort", 100, time.Millisecond)), known(run("Server", "ort", 100, time.Millisecond))
			change(&other)
			_, err := Compare(input("a", one, other), input("b", one), nil)
			another := name == "scenario" || name == "mode" // a pair of its own, of one side alone
			if refused := errors.Is(err, ErrUnlike); refused == another {
				t.Errorf("refused: %v (%v)", refused, err)
			}
			_, err = Compare(input("a", one, other), input("b", one), []string{name})
			key := another || name == "model"
			if refused := errors.Is(err, ErrUnlike); refused != key {
				t.Errorf("allowed, and refused: %v (%v)", refused, err)
			}
		})
	}
}

// TestRateThatFollowsSingleStream: a rate that nobody chose makes no two sides unlike.
func TestRateThatFollowsSingleStream(t *testing.T) {
	var runs []record.Run
	for _, rate := range []string{"100", "27.8", "31.4"} {
		r, origin := run("Server", "ort", 100, time.Millisecond), "smoke settings of resnet50"
		if rate != "100" {
			origin = "SingleStream of the same command: 20 % of the 140 samples/s of SingleStream"
		}
		r.Settings = []record.Setting{{Key: "min_query_count", Value: "500"},
			{Key: "target_qps", Value: rate, Origin: origin}}
		runs = append(runs, r)
	}
	for i, a := range runs {
		if _, err := Compare(input("a", a), input("b", runs[(i+1)%len(runs)]), nil); err != nil {
			t.Errorf("%v beside %v: %v", a.Settings, runs[(i+1)%len(runs)].Settings, err)
		}
	}
	if _, err := Compare(input("a", runs...), input("b", runs[0]), nil); err != nil {
		t.Errorf("of one side: %v", err)
	}
}

func TestASettingOfOneSideAlone(t *testing.T) {
	base, next := run("Server", "ort", 100, time.Millisecond), run("Server", "ort", 100, time.Millisecond)
	next.Options.Params = map[string]string{"dtype": "int64"}
	_, err := Compare(input("a", base), input("b", next), nil)
	if !errors.Is(err, ErrUnlike) || !strings.Contains(err.Error(), "dtype=int64") {
		t.Error(err)
	}
	next.Options.Params, base.Settings = nil, nil // an early result does not list them
	if _, err := Compare(input("a", base), input("b", next), nil); err != nil {
		t.Error(err)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	good := run("Server", "ort", 100, time.Millisecond)
	under, failed := good, good
	under.Status, failed.Status = record.Unfinished, record.Failed
	offline, invalid := run("Offline", "ort", 100, time.Millisecond), good
	invalid.Verdict, invalid.ExitCode = "INVALID", 3
	a, b := input("a", good, under, failed, failed), input("b", invalid, offline)
	b.Skipped = []string{"b/result.json: cut"}
	c, err := Compare(a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(append(c.Notes, c.Pairs[0].Notes...), "\n")
	for _, want := range []string{
		"left out of a: 2 runs failed", "left out of a: 1 run under way, or killed", "left out: b/result.json: cut",
		"only in b: resnet50 Offline performance", "1 of the 1 run of b: INVALID",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	_, err = Compare(input("a", under), input("b", good), nil)
	if exitcode.Of(err) != exitcode.Data ||
		!strings.Contains(fmt.Sprint(err), "a: no run that came to its end (1 run under") {
		t.Error(err)
	}
	_, err = Compare(input("a", good), input("b", offline), nil)
	if exitcode.Of(err) != exitcode.Usage || !strings.Contains(fmt.Sprint(err), "nothing in common") {
		t.Error(err)
	}
	if _, err = Compare(a, b, []string{"colour"}); exitcode.Of(err) != exitcode.Usage {
		t.Error(err)
	}
}

// point is a run of a suite's matrix.
func point(text string, repeat int) record.Run {
	r := run("Offline", "ort", 100+float64(repeat), time.Millisecond)
	r.Identity = record.Identity{Point: []string{text}, Repeat: repeat, Repeats: 2}
	r.Workload.Batch = len(text)
	return r
}

// TestPointsOfAMatrix: suites are compared point by point, folders of their points with each other.
func TestPointsOfAMatrix(t *testing.T) {
	suite := func(points ...string) (runs []record.Run) {
		for _, p := range points {
			runs = append(runs, point(p, 1), point(p, 2))
		}
		return runs
	}
	c, err := Compare(input("a", suite("batch=4", "batch=16", "size=100")...), input("b", suite("batch=16", "batch=4")...),
		nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Pairs {
		got = append(got, fmt.Sprint(p.Title(), " ", p.BaseRuns, " ", p.NewRuns, " ", len(p.Differs)))
	}
	want := []string{"resnet50 Offline performance batch=4 2 2 0", "resnet50 Offline performance batch=16 2 2 0"}
	if !slices.Equal(got, want) || !slices.Contains(c.Notes, "only in a: resnet50 Offline performance size=100") {
		t.Errorf("%q, %q, want %q", got, c.Notes, want)
	}
	for name, sides := range map[string][2][]record.Run{
		"two points": {suite("batch=4"), suite("batch=16")}, "a point and a run": {suite("batch=4"),
			{run("Offline", "ort", 100, time.Millisecond)}},
	} {
		c, err := Compare(input("a", sides[0]...), input("b", sides[1]...), nil)
		if err != nil || len(c.Pairs) != 1 || c.Pairs[0].Title() != "resnet50 Offline performance" {
			t.Errorf("%s: %v, %+v", name, err, c.Pairs)
		}
	}
	_, err = Compare(input("a", suite("batch=4", "batch=16")...), input("b", run("Offline", "ort", 100, time.Millisecond)),
		nil)
	if !errors.Is(err, ErrUnlike) || !strings.Contains(err.Error(), "runs of one side differ in batch") {
		t.Error(err)
	}
}

// TestOneRowForEachQuantity: a comparison has each figure once, under its names, and says where a result is an estimate
// in some runs alone.
func TestOneRowForEachQuantity(t *testing.T) {
	stream := func(met bool) record.Run {
		r := run("SingleStream", "ort", 100, time.Millisecond)
		p := r.Performance
		p.Metric = record.Figure{Name: "90th percentile latency", Unit: "ms", Value: 2.5}
		p.Early = &record.EarlyStopping{Met: met, Percentile: 0.99, EstimateNS: 25e5, Processed: 776}
		p.Figures = []record.Figure{{Name: "mean latency", Unit: "ms", Value: 1}, {Name: "target percentile latency",
			Unit: "ms", Value: 2}}
		r.Effective = &record.Effective{TargetLatencyPercentile: 0.99}
		return r
	}
	c, err := Compare(input("a", stream(true)), input("b", stream(true)), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range c.Pairs[0].Rows {
		for _, name := range append([]string{r.Name, "title: " + r.Title}, r.Aliases...) {
			if seen[name] {
				t.Errorf("%s has two rows", name)
			}
			seen[name] = true
		}
	}
	for _, name := range []string{"title: early-stopping estimate of the 99th percentile latency",
		"title: 99th percentile latency", "target_percentile_latency", "mean"} {
		if !seen[name] {
			t.Errorf("no row is called %s", name)
		}
	}
	const note = "result is not the same figure in all runs: early-stopping estimate of the 99th percentile latency; " +
		"90th percentile latency"
	if len(c.Pairs[0].Notes) > 0 {
		t.Errorf("notes: %q", c.Pairs[0].Notes)
	}
	c, err = Compare(input("a", stream(true)), input("b", stream(false)), nil)
	if err != nil || !slices.Contains(c.Pairs[0].Notes, note) {
		t.Errorf("%v, %q, want %q", err, c.Pairs[0].Notes, note)
	}
}

func seven(t *testing.T) Comparison {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 3))
	c, err := Compare(input("out/ort", around(random, 7, "ort", 100, 10*time.Millisecond)...),
		input("out/process", around(random, 7, "process", 97, 10*time.Millisecond)...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestText(t *testing.T) {
	one := run("Server", "ort", 100, time.Millisecond)
	single, err := Compare(input("a", one), input("b", one), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Comparison{"seven": seven(t), "single": single} {
		var b bytes.Buffer
		if err := c.WriteText(&b, name == "single"); err != nil {
			t.Fatal(err)
		}
		testfile.Compare(t, name, b.String())
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, seven(t)); err != nil {
		t.Fatal(err)
	}
	var back Comparison
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != Schema || len(back.Pairs) != 1 || len(back.Pairs[0].Rows[0].Base.Values) != 7 {
		t.Errorf("%+v", back)
	}
}

// BenchmarkCompare100Runs reads and compares two folders of 50 runs, each with the settings and files of a real one.
func BenchmarkCompare100Runs(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 5))
	dir := b.TempDir()
	base, next := around(random, 50, "ort", 100, time.Millisecond), around(random, 50, "ort", 99, time.Millisecond)
	for i, r := range append(base, next...) {
		for n := range 60 {
			s := record.Setting{Key: fmt.Sprint("setting_", n), Value: "1", Unit: "ms", Origin: "rules"}
			r.Settings = append(r.Settings, s)
		}
		r.Files = slices.Repeat([]record.File{{Path: "a/path", SHA256: strings.Repeat("f", 64)}}, 8)
		if err := record.Save(filepath.Join(dir, fmt.Sprint(i/50), fmt.Sprint(i)), r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var sides [2]SideInput
		for i := range sides {
			s, err := results.Read(filepath.Join(dir, fmt.Sprint(i)))
			if err != nil {
				b.Fatal(err)
			}
			sides[i] = SideInput{fmt.Sprint(i), s}
		}
		if _, err := Compare(sides[0], sides[1], nil); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzCompare holds: whatever two results say, comparing them is an error or a text. Only what a run measured is
// varied, in few bytes: package record fuzzes the rest of a document, and the fuzzer would make long ones shorter for
// minutes.
func FuzzCompare(f *testing.F) {
	for _, measured := range []string{
		`"performance":{"valid":true,"metric":{"value":1,"unit":"samples/s"}}`,
		`"performance":{"metric":{"value":null},"latency":{"count":1,"percentiles":[{"p":1e308,"ns":-1}]}}`,
		`"performance":{"tokens":{"ttft":{}}}`,
		`"mode":"accuracy","accuracy":{"metrics":[{"name":"acc","value":1e308}]}`,
		`"status":"failed"`,
	} {
		f.Add(measured, measured)
	}
	f.Add(`"model":"b"`, `"scenario":"Offline"`)
	f.Fuzz(func(t *testing.T, base, next string) {
		var sides [2]SideInput
		for i, measured := range []string{base, next} {
			d, err := record.Parse([]byte(`{"schema":"plumbline.result","schema_version":1,"runs":[{"model":"m","scenario":` +
				`"Server","mode":"performance","status":"complete",` + measured + `}]}`))
			if err != nil {
				return
			}
			sides[i] = input(fmt.Sprint(i), d.Runs...)
		}
		for _, allow := range [][]string{nil, {everyFacet}} {
			c, err := Compare(sides[0], sides[1], allow)
			if err != nil {
				continue
			}
			if err := errors.Join(WriteJSON(io.Discard, c), c.WriteText(io.Discard, true)); err != nil {
				t.Error(err)
			}
		}
	})
}
