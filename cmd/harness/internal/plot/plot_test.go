package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// source is a run whose latencies grow, with a peak.
type source struct {
	n, per int
	tokens bool
}

func (s source) Start() time.Time     { return time.Unix(1_700_000_000, 0) }
func (s source) Samples() int         { return s.n }
func (s source) SamplesPerQuery() int { return s.per }
func (s source) HasTokens() bool      { return s.tokens }
func (s source) HasFirstTokens() bool { return s.tokens }

func (s source) Slot(i int) loadgen.Slot {
	due := int64(i/s.per) * 9_000_000
	took := 4_000_000 + int64(i*7919%997)*6_000 + int64(i)*300
	if i == s.n/3 {
		took *= 4
	}
	return loadgen.Slot{Scheduled: due, Issued: due + int64(i%50)*2000, FirstToken: due + took/3 + 1, Done: due + took,
		Tokens: 64}
}

func TestCharts(t *testing.T) {
	const timed = "latency latency-distribution latency-histogram throughput outstanding issue-delay"
	for name, c := range map[string]struct {
		source
		want string
	}{
		"server":  {source{3000, 1, false}, timed},
		"streams": {source{4000, 8, false}, timed},
		"offline": {source{2048, 2048, false}, "latency-distribution latency-histogram throughput outstanding"},
		"tokens":  {source{700, 1, true}, timed + " ttft ttft-distribution tpot tpot-distribution tokens"},
		"one":     {source{1, 1, false}, "throughput outstanding"},
		"two":     {source{2, 1, false}, timed},
	} {
		t.Run(name, func(t *testing.T) {
			facts := Facts{Percentile: .99, Limit: 15_000_000, TTFTLimit: 5_000_000, TPOTLimit: 1e9, TargetSamplesPer: 111}
			var ids []string
			for _, chart := range Charts(series.FromSource(c.source), facts) {
				ids = append(ids, chart.ID)
				check(t, name, chart)
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("charts %s, want %s", got, c.want)
			}
		})
	}
}

// check holds a chart to being XML without style attributes, of little size, and a PNG that can be read.
func check(t *testing.T, name string, c Chart) {
	t.Helper()
	text, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 30_000 || bytes.Contains(text, []byte("style=")) || bytes.Contains(text, []byte("NaN")) {
		t.Errorf("%s: %d bytes, with style attributes or numbers that are none", c.ID, len(text))
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	checkBoxes(t, c)
	var picture, alone bytes.Buffer
	if err := errors.Join(c.WritePNG(&picture), c.WriteSVG(&alone)); err != nil {
		t.Fatal(err)
	}
	if out := os.Getenv("PLUMBLINE_PLOTS"); out != "" {
		_ = os.WriteFile(filepath.Join(out, name+"-"+c.ID+".png"), picture.Bytes(), 0o600)
		_ = os.WriteFile(filepath.Join(out, name+"-"+c.ID+".svg"), alone.Bytes(), 0o600)
	}
	if _, err := png.Decode(&picture); err != nil {
		t.Errorf("%s: %v", c.ID, err)
	}
}

// checkBoxes holds a chart, in a page and alone, to texts that cover no other and stay in the picture, and to what is
// drawn staying in it.
func checkBoxes(t *testing.T, c Chart) {
	t.Helper()
	for _, alone := range []bool{false, true} {
		s := c.layOut(alone)
		whole := sceneBox{0, 0, s.w, s.h}
		for i, a := range s.texts {
			if !a.textBox().coversWhole(whole) {
				t.Errorf("%s: %q at %v leaves the picture of %g by %g", c.ID, a.text, a.textBox(), s.w, s.h)
			}
			for _, b := range s.texts[:i] {
				if a.textBox().overlaps(b.textBox()) {
					t.Errorf("%s: %q at %v covers %q at %v", c.ID, a.text, a.textBox(), b.text, b.textBox())
				}
			}
		}
		around := sceneBox{-4, -4, s.w + 4, s.h + 4}
		for _, p := range s.paths {
			for _, part := range p.parts {
				for _, at := range part {
					if !around.containsPoint(at) {
						t.Fatalf("%s: %s at %v leaves the picture of %g by %g", c.ID, p.ink.class, at, s.w, s.h)
					}
				}
			}
		}
		for _, h := range s.hovers {
			if !h.coversWhole(around) {
				t.Errorf("%s: %q at %v leaves the picture", c.ID, h.words, h.sceneBox)
			}
		}
	}
}

// A name that has no room beside its line, but across another one, is in the key.
func TestNamesDoNotCrossLines(t *testing.T) {
	c := Chart{ID: "x", X: Axis{Label: "x", Max: 100}, Y: Axis{Label: "y", Max: 100},
		Lines: []Line{{X: []float64{0, 100}, Y: []float64{50, 50}}}}
	for _, at := range []float64{48, 49, 50, 51, 52} { // two names have room, at either side
		c.Marks = append(c.Marks, Mark{Name: fmt.Sprintf("a long name of %g", at), At: at, Vertical: true})
	}
	s := c.layOut(false)
	checkBoxes(t, c)
	for _, m := range c.Marks {
		keyed := 0
		for _, w := range s.texts {
			b := w.textBox()
			if at := 5 + 435*m.At/100; w.halo && b.left < at-12 && at+12 < b.right {
				t.Errorf("%q crosses the line at %g", w.text, m.At)
			}
			if !w.halo && strings.HasPrefix(w.text, "a long") {
				keyed++
			}
		}
		if keyed != 3 {
			t.Errorf("%d names in the key, want 3", keyed)
		}
	}
}

// Whatever is to be shown, texts stay apart and in the picture.
func TestTextsStayApart(t *testing.T) {
	for seed := range uint64(120) {
		c := random(rand.New(rand.NewPCG(seed, 1)))
		c.ID = fmt.Sprintf("seed %d", seed)
		checkBoxes(t, c)
	}
}

// random is a chart of anything.
func random(r *rand.Rand) Chart {
	long := func() string {
		return strings.Repeat([]string{"ab ", "W", "東", "p99 of it, "}[r.IntN(4)], r.IntN(60))
	}
	size := math.Pow(10, float64(r.IntN(18))-4)
	c := Chart{Title: long(), Of: long(), X: Axis{Label: long(), Of: Quantity(r.IntN(3)), Exact: r.IntN(2) > 0},
		Y: Axis{Label: long(), Of: Quantity(r.IntN(2)), Whole: r.IntN(3) == 0}, Notes: []string{long(), long()}}
	if r.IntN(3) == 0 {
		c.X = Axis{Label: long(), Scale: Tail, Max: 10 * r.Float64()}
	}
	for range 1 + r.IntN(9) {
		l := Line{Name: long(), Step: r.IntN(2) > 0, Fill: r.IntN(2) > 0}
		for k := range 1 + r.IntN(30) {
			l.X, l.Y = append(l.X, float64(k)/7), append(l.Y, size*(1+math.Exp(3*r.NormFloat64())))
		}
		c.Lines = append(c.Lines, l)
	}
	if r.IntN(2) == 0 {
		c.Y.Scale, c.Y.Min = Log, size*math.Pow(10, -float64(r.IntN(8)))
	}
	at := size * (1 + math.Exp(2*r.NormFloat64()))
	for k := range r.IntN(7) {
		m := Mark{Name: long(), At: at * (1 + r.Float64()/20), Limit: k%2 == 0}
		if r.IntN(3) == 0 {
			m.Vertical, m.At = true, r.Float64()
		}
		c.Marks = append(c.Marks, m)
	}
	if r.IntN(4) > 0 {
		return c
	}
	c.Lines, c.Marks, c.X = nil, nil, Axis{Label: long(), Of: Latency, Scale: Log, Min: size}
	for range 1 + r.IntN(30) {
		low := size * (1 + 100*r.Float64())
		c.Rows = append(c.Rows, Row{Name: long(), Value: long(), Low: low, From: low * 2, To: low * 3, High: low * 50,
			At: low * 2.5, Limit: low * 1e4 * r.Float64()})
	}
	return c
}

// A logarithmic axis begins where all but one in a thousand values do, and the chart says what is below.
func TestLogarithmicAxisBeginsWithTheValues(t *testing.T) {
	s := source{n: 5000, per: 1}
	f := series.FromSource(outliers{s})
	for _, c := range Charts(f, Facts{}) {
		if c.ID != "latency" && c.ID != "latency-distribution" {
			continue
		}
		if c.Y.Scale != Log || c.Y.Min < 1e6 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "down to 4.00 ns") {
			t.Errorf("%s: the axis %+v, notes %q", c.ID, c.Y, c.Notes)
		}
		for _, w := range c.layOut(false).texts {
			if strings.HasSuffix(w.text, " ns") || strings.HasSuffix(w.text, " µs") {
				t.Errorf("%s: a tick %s", c.ID, w.text)
			}
		}
	}
}

// outliers are latencies of milliseconds, two of nanoseconds and one of minutes.
type outliers struct{ source }

func (o outliers) Slot(i int) loadgen.Slot {
	s := o.source.Slot(i)
	switch i {
	case 7, 8:
		s.Done = s.Scheduled + 4
	case 9:
		s.Done = s.Scheduled + 120e9
	}
	return s
}

// Ticks of a logarithmic axis have a unit each, those of others one that the title says.
func TestTicksOfTimes(t *testing.T) {
	for _, c := range []struct {
		axis      Axis
		low, high float64
		title     string
		want      string
	}{
		{Axis{Label: "latency", Of: Latency}, 0, 4.2e6, "latency, ms", "0 1 2 3 4 5"},
		{Axis{Label: "latency", Of: Latency, Scale: Log, Min: 3e5}, 0, 4e9, "latency, logarithmic", "1 ms|10 ms|100 ms|1 s"},
		{Axis{Label: "latency", Of: Latency, Scale: Log, Min: 90}, 0, 2100, "latency, logarithmic",
			"100 ns|200 ns|500 ns|1 µs|2 µs"},
		{Axis{Label: "users", Scale: Log, Min: 1, Doubling: true}, 1, 40, "users, logarithmic", "1|2|4|8|16|32"},
		{Axis{Label: "users", Scale: Log, Min: 3, Doubling: true}, 3, 1200, "users, logarithmic",
			"4|8|16|32|64|128|256|512|1,024"},
		{Axis{Label: "time", Of: Elapsed, Exact: true}, 0, 13.2e9, "time, s", "0 5 10"},
		{Axis{Label: "time", Of: Elapsed, Exact: true}, 0, 1800e9, "time, min", "0 5 10 15 20 25 30"},
		{Axis{Label: "samples", Whole: true}, 0, 2, "samples", "0 1 2"},
		{Axis{Label: "percentile", Scale: Tail, Max: 3.2}, 0, 0, "percentile", "min p50 p90 p99 p99.9"},
	} {
		a := c.axis.spanValues(c.low, c.high)
		var got []string
		set := a.tickChoices()[0]
		for _, tick := range set {
			if tick.label != "" {
				got = append(got, tick.label)
			}
		}
		separator := " "
		if c.axis.Scale == Log {
			separator = "|"
		}
		if s := strings.Join(got, separator); s != c.want || a.axisTitle() != c.title {
			t.Errorf("%+v from %g to %g: %s: %s, want %s: %s", c.axis, c.low, c.high, a.axisTitle(), s, c.title, c.want)
		}
	}
}

// Runs are laid over one another: percentiles and distributions of each, eight at most.
func TestOverlays(t *testing.T) {
	var runs []Run
	for k := range 11 {
		runs = append(runs, Run{Name: fmt.Sprintf("batch=%d", k), File: series.FromSource(source{400 + 10*k, 1, k > 5}),
			Facts: Facts{Limit: 15_000_000}})
	}
	var ids []string
	for _, c := range Overlays(runs) {
		ids = append(ids, c.ID)
		check(t, "overlay", c)
		want := maxLines
		if strings.HasPrefix(c.ID, "t") {
			want = 5
		}
		if len(c.Lines) != want || c.Lines[1].Name == "" || !strings.Contains(c.Alt, c.Lines[1].Name) {
			t.Errorf("%s has %d lines, and says %s", c.ID, len(c.Lines), c.Alt)
		}
	}
	const want = "ttft-percentiles ttft-distributions tpot-percentiles tpot-distributions"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("charts %s, want %s", got, want)
	}
	if got := Overlays(runs[:6]); len(got) != 2 || got[0].ID != "latency-percentiles" || len(got[0].Marks) != 1 {
		t.Errorf("charts %+v", got)
	}
	if got := Overlays(runs[:1]); got != nil {
		t.Errorf("charts of one run: %+v", got)
	}
}

func TestBatchSizes(t *testing.T) {
	c, ok := BatchSizes([]BatchSizeCount{{1, 10}, {2, 20}, {7, 70}})
	if !ok || len(c.Hover) != 3 || c.Hover[2].Words != "7 samples: 70.0 %" || len(c.Lines[0].X) != 8 ||
		!strings.Contains(c.Alt, "100 batches of 5.40 samples on average, 7 at most") {
		t.Errorf("%+v", c)
	}
	check(t, "batches", c)
	var many []BatchSizeCount
	for n := range 1000 {
		many = append(many, BatchSizeCount{n + 1, 1})
	}
	if c, ok = BatchSizes(many); !ok || len(c.Hover) > bins || c.Hover[0].Words != "1 to 17 samples: 1.70 %" {
		t.Errorf("%d bars, the first is %q", len(c.Hover), c.Hover[0].Words)
	}
	check(t, "many-batches", c)
	for _, none := range [][]BatchSizeCount{nil, {{1, 500}}} {
		if _, ok := BatchSizes(none); ok {
			t.Errorf("%v has a chart", none)
		}
	}
}

func TestWaiting(t *testing.T) {
	known := func(scale int64) Quantiles {
		return Quantiles{Count: 1000, Max: 200 * scale, Known: []Point{{.5, 10 * scale}, {.9, 30 * scale}, {.99, 90 * scale}}}
	}
	c := Waiting(known(1e3), known(1e6))
	if c.Y.Scale != Log || c.Y.Min != 10e3 || len(c.Lines) != 2 ||
		!strings.Contains(c.Alt, "Waiting in the plugin: median 10.0 µs, highest 200 µs; Time in the model: median 10.0 ms") {
		t.Errorf("%+v", c)
	}
	check(t, "waiting", c)
	check(t, "waiting-linear", Waiting(known(1e6), known(1e6)))
}

// TestQuantilesGoForward places what is known of any number of values, also as a plugin may tell it: no line goes back,
// none goes beyond the percentile that so many values have, and it ends with the highest value.
func TestQuantilesGoForward(t *testing.T) {
	logs := []Point{{.5, 50}, {.9, 90}, {.95, 95}, {.97, 97}, {.99, 99}, {.999, 100}}
	backwards := slices.Clone(logs)
	slices.Reverse(backwards)
	for _, n := range []uint64{1, 2, 3, 8, 20, 64, 100, 120, 128, 999, 1000, 1001, 24576} {
		for name, known := range map[string][]Point{
			"logs": logs, "falling": backwards, "none": nil, "ends": {{0, 1}, {.0001, 1}, {.99999, 100}, {1, 100}, {2, 100}},
		} {
			q := Quantiles{Count: n, Min: 1, Max: 100, Known: known}
			for _, c := range []Chart{Waiting(q, q), Percentiles(q, Facts{})} {
				for _, l := range c.Lines {
					end := len(l.X) - 1
					if !slices.IsSorted(l.X) || !slices.IsSorted(l.Y) || l.X[0] != 0 || l.Y[end] != 100 || l.X[end] > c.X.Max ||
						math.Abs(l.X[end]-percentilePosition(1-1/float64(max(2, n)))) > 1e-9 {
						t.Errorf("%s of %d values, %s: %v %v", name, n, c.ID, l.X, l.Y)
					}
				}
				if strings.Contains(c.Alt, "99.9th") && n < 1000 || strings.Contains(c.Alt, "99th") && n < 100 {
					t.Errorf("%s of %d values: %s", name, n, c.Alt)
				}
			}
		}
	}
}

// TestQuantilesOfUnknownNumber: percentiles of a log that does not say of how many values are all shown, and nothing is
// beyond the highest.
func TestQuantilesOfUnknownNumber(t *testing.T) {
	c := Percentiles(Quantiles{Min: 1, Max: 100, Known: []Point{{.5, 50}, {.99, 99}, {1, 100}}}, Facts{})
	if l := c.Lines[0]; len(l.X) != 3 || l.Y[2] != 99 || l.X[2] != percentilePosition(.99) || !strings.Contains(c.Alt,
		"50th") {
		t.Errorf("%v %v: %s", l.X, l.Y, c.Alt)
	}
	if l := Percentiles(Quantiles{Min: 1, Max: 100}, Facts{}).Lines[0]; len(l.X) != 2 || l.Y[1] != 100 {
		t.Errorf("without percentiles: %v %v", l.X, l.Y)
	}
}

// TestPercentilesOfFewValues wants the word for those that there are too few values for, wherever a chart says some.
func TestPercentilesOfFewValues(t *testing.T) {
	for n, want := range map[int][2]string{ // p90 and p99
		1: {"too few", "too few"}, 9: {"too few", "too few"}, 10: {"9.00 ms", "too few"}, 99: {"89.1 ms", "too few"},
		100: {"90.0 ms", "99.0 ms"}, 1000: {"900 ms", "990 ms"},
	} {
		if got := [2]string{Percentile(uint64(n), .9, int64(n)*9e5), Percentile(uint64(n), .99, int64(n)*99e4)}; got != want {
			t.Errorf("%d values: %q, want %q", n, got, want)
		}
	}
	few, many := series.FromSource(source{64, 1, false}), series.FromSource(source{640, 1, false})
	row := RangeRow("few", few.Histogram(metric.Latency), Facts{Percentile: .99}, 0)
	if !strings.Contains(row.Value, "p99 too few") || row.At != 0 {
		t.Errorf("%+v", row)
	}
	if row = RangeRow("many", many.Histogram(metric.Latency), Facts{Percentile: .99}, 0); row.At == 0 ||
		strings.Contains(row.Value, "too few") {
		t.Errorf("%+v", row)
	}
	for _, c := range Charts(few, Facts{Percentile: .99}) {
		for _, m := range c.Marks {
			t.Errorf("%s marks %q of 64 values", c.ID, m.Name)
		}
		if c.ID == "latency-distribution" && !strings.Contains(c.Alt, "99th percentile too few") {
			t.Error(c.Alt)
		}
	}
	for _, c := range Overlays([]Run{{Name: "a", File: few}, {Name: "b", File: many}}) {
		if strings.Count(c.Alt, "99th percentile too few") != 1 {
			t.Error(c.Alt)
		}
	}
}

func TestOverview(t *testing.T) {
	var rows []Row
	for k := range 30 {
		h := series.FromSource(source{400 + 10*k, 1, false}).Histogram(metric.Latency)
		rows = append(rows, RangeRow(fmt.Sprintf("run %d", k), h, Facts{Percentile: .9}, 15_000_000))
	}
	x := Axis{Label: "latency", Of: Latency, Scale: Log, Min: 1e6}
	c, ok := Overview("overview", "Latency of each run", x, rows)
	if !ok || len(c.Rows) != maxRows || !strings.Contains(c.Notes[0], "24 of 30") {
		t.Errorf("%d rows, notes %q", len(c.Rows), c.Notes)
	}
	check(t, "overview", c)
	if _, ok := Overview("overview", "", x, rows[:1]); ok {
		t.Error("an overview of one run")
	}
}

// A file of series may say anything that is sound; charts of it have texts that stay apart, and numbers.
func TestChartsOfAnySeries(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	value := func() int64 { return int64(r.Uint64() >> (1 + r.IntN(63))) }
	for seed := range 60 {
		f := &series.File{Duration: value(), Queries: 1 + r.IntN(1e6), Samples: 1 + r.IntN(1e6),
			SamplesPerQuery: 1 + r.IntN(9)}
		for _, of := range metric.Distributions() {
			n := 1 + r.IntN(400)
			l := series.Line{Name: of.Key, Of: n + r.IntN(2)*1000}
			counts := series.Histogram{Name: of.Key, Bits: 11, Min: math.MaxInt64}
			for range n {
				v := value()
				l.T, l.V = append(l.T, value()), append(l.V, v)
				counts.Min, counts.Max, counts.Count = min(counts.Min, v), max(counts.Max, v), counts.Count+1
				counts.Buckets = append(counts.Buckets, series.Bucket{Index: v % 80_000, Count: 1})
			}
			slices.Sort(l.T)
			slices.SortFunc(counts.Buckets, func(a, b series.Bucket) int { return int(a.Index - b.Index) })
			counts.Buckets = slices.CompactFunc(counts.Buckets, func(a, b series.Bucket) bool { return a.Index == b.Index })
			counts.Count = uint64(len(counts.Buckets))
			f.Lines, f.Histograms = append(f.Lines, l), append(f.Histograms, counts)
		}
		f.Rates.Step = 1 + value()>>20
		for range r.IntN(500) {
			f.Rates.Queries, f.Rates.Samples = append(f.Rates.Queries, value()), append(f.Rates.Samples, value())
			f.Rates.Outstanding, f.Rates.Tokens = append(f.Rates.Outstanding, value()), append(f.Rates.Tokens, value())
		}
		f.Schema, f.SchemaVersion = series.Schema, series.SchemaVersion
		text, err := f.JSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := series.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		facts := Facts{Percentile: r.Float64(), Limit: value(), TTFTLimit: value(), TPOTLimit: value(),
			TargetSamplesPer: float64(value())}
		charts := append(Charts(back, facts), Overlays([]Run{{"a", back, facts, false}, {"b", back, facts, true}})...)
		if c, ok := Overview("overview", "", Axis{Of: Latency, Scale: Log, Min: 1}, []Row{
			RangeRow("a", &back.Histograms[0], facts, value()), RangeRow("b", &back.Histograms[1], facts, value())}); ok {
			charts = append(charts, c)
		}
		for _, c := range charts {
			checkBoxes(t, c)
			if text, err := c.SVG(); err != nil || len(text) > 60_000 || bytes.Contains(text, []byte("NaN")) {
				t.Fatalf("seed %d: %s: %d bytes, %v", seed, c.ID, len(text), err)
			}
		}
	}
}

// A chart has a bounded number of points, however many values there are.
func TestFewPoints(t *testing.T) {
	f := series.FromSource(source{n: 200_000, per: 1})
	for _, c := range Charts(f, Facts{}) {
		n := 0
		for _, p := range c.layOut(false).paths {
			for _, part := range p.parts {
				n += len(part)
			}
		}
		if n > 2000 {
			t.Errorf("%s has %d points", c.ID, n)
		}
		check(t, "many", c)
	}
}

// Texts of a chart are escaped wherever they stand.
func TestTextsAreEscaped(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	c := Chart{ID: "x", Title: evil, Alt: evil, X: Axis{Label: evil}, Y: Axis{Label: evil},
		Lines: []Line{{Name: evil, X: []float64{1, 2}, Y: []float64{1, 2}}, {Name: evil, X: []float64{1}, Y: []float64{1}}},
		Marks: []Mark{{Name: evil, At: 1.5}}, Notes: []string{evil}, Of: evil, Hover: []Hover{{1, 2, evil}}}
	text, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("<script")) || bytes.Contains(text, []byte(`""`)) {
		t.Errorf("%s", text)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v, step float64
		want    string
	}{
		{0, 1, "0"}, {1234567, 1, "1,234,567"}, {.25, .05, "0.25"}, {-1500, 500, "-1,500"}, {999, 1, "999"}, {.5, .1, "0.5"},
	} {
		if got := formatStep(c.v, c.step); got != c.want {
			t.Errorf("number(%g, %g) = %s, want %s", c.v, c.step, got, c.want)
		}
	}
	if got := Duration(1_713_500); got != "1.71 ms" {
		t.Error(got)
	}
}

// TestKnots: measured points keep their names where there is room, and nothing covers anything, however near they are.
func TestKnots(t *testing.T) {
	var l, near Line
	l.Name, near.Name = "one", "two"
	for k := range 12 {
		x := 100 - 9*float64(k%7) - float64(k)/7
		l.X, l.Y = append(l.X, x), append(l.Y, float64(k*k))
		l.Knots = append(l.Knots, Knot{Name: fmt.Sprint(1 << k), Words: "words", Hollow: k%3 == 0, Aside: k%4 == 0})
		near.X, near.Y = append(near.X, x+.1), append(near.Y, float64(k*k)+.1)
		near.Knots = append(near.Knots, Knot{Name: "never", Aside: true})
	}
	c := Chart{ID: "knots", Title: "Knots", Lines: []Line{l, near}, X: Axis{Label: "x"}, Y: Axis{Label: "y"}}
	check(t, "knots", c)
	named := 0
	for _, w := range c.layOut(false).texts {
		if w.textLook == small && w.text != "never" {
			named++
		}
	}
	if named < 8 {
		t.Errorf("%d of 12 knots are named", named)
	}
}

// TestInvalidRuns: an INVALID run has another mark and the word wherever it is shown with others.
func TestInvalidRuns(t *testing.T) {
	rows := []Row{{Name: "a", Value: "10", To: 10, Asked: 12}, {Name: "b", Value: "9", To: 9, Invalid: true}}
	c, ok := Overview("overview", "Throughput", Axis{Label: "samples/s"}, rows)
	if !ok {
		t.Fatal("no chart")
	}
	check(t, "overview", c)
	l := c.layOut(false)
	words := textsOf(l)
	for _, want := range []string{"INVALID 9", "INVALID run", "10, asked for: 12.0", "rate asked for by the schedule"} {
		if !slices.Contains(words, want) {
			t.Errorf("no %q among %q", want, words)
		}
	}
	filled := 0
	for _, p := range l.paths {
		if p.fill && p.ink == inkFirst {
			filled++
		}
	}
	if filled != 1 || !strings.Contains(c.Alt, "b: INVALID 9") ||
		!strings.Contains(strings.Join(c.Notes, ""), "not the highest") {
		t.Errorf("%d bars are filled; %s; %q", filled, c.Alt, c.Notes)
	}
	file := series.FromSource(source{400, 1, false})
	for _, c := range Overlays([]Run{{Name: "a", File: file}, {Name: "b", File: file, Invalid: true}}) {
		check(t, c.ID, c)
		l := c.layOut(false)
		dotted := slices.ContainsFunc(l.paths, func(p scenePath) bool {
			return p.ink == lineInk(1) && slices.Equal(p.dash, Line{Invalid: true}.dashes(1))
		})
		if !slices.Contains(textsOf(l), "b (INVALID)") || slices.Contains(textsOf(l), "a (INVALID)") || !dotted {
			t.Errorf("%s: %q, dotted %v", c.ID, textsOf(l), dotted)
		}
	}
}

func textsOf(l *drawnScene) (all []string) {
	for _, w := range l.texts {
		all = append(all, w.text)
	}
	return all
}

// TestAxesBeginAtZero: bars and surfaces begin at 0; a line's axis that does not begin there says so.
func TestAxesBeginAtZero(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{105, 104, 108}
	for name, of := range map[string]struct {
		chart Chart
		says  string
	}{
		"surface": {Chart{Lines: []Line{{X: x, Y: y, Fill: true}}, Y: Axis{Label: "y"}}, "y"},
		"line":    {Chart{Lines: []Line{{X: x, Y: y}}, Y: Axis{Label: "y"}}, "y (axis begins at 104, not 0)"},
		"times": {Chart{Lines: []Line{{X: x, Y: []float64{2.1e6, 2.2e6, 2.4e6}}}, Y: Axis{Label: "y", Of: Latency}},
			"y, ms (axis begins at 2.10 ms, not 0)"},
		"below": {Chart{Lines: []Line{{X: x, Y: []float64{-1, 2, 3}}}, Y: Axis{Label: "y"}}, "y"},
	} {
		of.chart.ID, of.chart.Title, of.chart.X = name, name, Axis{Label: "x"}
		check(t, name, of.chart)
		if words := textsOf(of.chart.layOut(false)); !slices.Contains(words, of.says) {
			t.Errorf("%s: no %q among %q", name, of.says, words)
		}
	}
	c := Chart{ID: "rows", Title: "rows", X: Axis{Label: "x"},
		Rows: []Row{{Name: "a", From: 5, To: 9}, {Name: "b", From: 6, To: 8}}}
	if words := textsOf(c.layOut(false)); !slices.Contains(words, "0") {
		t.Errorf("the bars do not begin at 0: %q", words)
	}
}

// TestNamesCoverNoPoint: neither a knot's name nor a mark's covers a point of any line.
func TestNamesCoverNoPoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		c := Chart{ID: "points", Title: "Points", X: Axis{Label: "x"}, Y: Axis{Label: "y"},
			Marks: []Mark{{Name: "a limit of this", At: 50, Limit: true}, {Name: "another mark", At: 30, Vertical: true}}}
		for range 3 {
			var l Line
			for k := range 10 {
				l.X, l.Y = append(l.X, 10*float64(k)), append(l.Y, 100*r.Float64())
				l.Knots = append(l.Knots, Knot{Name: fmt.Sprint(1 << k)})
			}
			c.Lines = append(c.Lines, l)
		}
		checkBoxes(t, c)
		l := &chartLayout{}
		l.drawnScene = *c.layOut(false)
		for _, w := range l.texts {
			for _, p := range l.paths {
				if w.halo && p.dots && w.textBox().containsPoint(p.parts[0][0]) && p.width == knotWidth {
					t.Errorf("%q covers a point", w.text)
				}
			}
		}
	}
}

func TestTimeline(t *testing.T) {
	if _, ok := Timeline("t", "T", "samples/s", []TimelineEntry{{Value: 1}}); ok {
		t.Error("a chart of one entry")
	}
	c, ok := Timeline("t", "T", "samples/s", []TimelineEntry{{Value: 100, Words: "first"}, {Value: 102, Invalid: true},
		{Value: 90, Change: "worse"}})
	if !ok {
		t.Fatal("no chart")
	}
	check(t, "timeline", c)
	words := textsOf(c.layOut(false))
	for _, want := range []string{"worse", "change larger than the spread", "with INVALID or failed runs"} {
		if !slices.Contains(words, want) {
			t.Errorf("no %q among %q", want, words)
		}
	}
	if !strings.Contains(c.Alt, "3 entries from 90.0 to 102, the newest 90.0; 1 with a change") {
		t.Error(c.Alt)
	}
}
