package series

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/orderstat"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// made is a source of artificial samples: latencies of a log-normal distribution, with the peak in the middle.
type made struct {
	n, per int
	tokens bool
	left   int // number of unanswered samples
}

func (m made) Start() time.Time     { return time.Unix(1_700_000_000, 0) }
func (m made) Samples() int         { return m.n }
func (m made) SamplesPerQuery() int { return m.per }
func (m made) HasTokens() bool      { return m.tokens }
func (m made) HasFirstTokens() bool { return m.tokens }

func (m made) Slot(i int) loadgen.Slot {
	r := rand.NewPCG(uint64(i), 7)
	due := int64(i/m.per) * 1_000_000
	took := int64(5e6 * math.Exp(rand.New(r).NormFloat64()))
	if i == m.n/2 {
		took = 3_600_000_000_000
	}
	s := loadgen.Slot{
		Sample: uint64(i), Query: uint64(i / m.per), Tokens: 101,
		Scheduled: due, Issued: due + int64(r.Uint64()%50_000), FirstToken: due + took/2 + 1, Done: due + took + 50_000,
	}
	if i >= m.n-m.left {
		s.Done = -1
	}
	return s
}

func TestOf(t *testing.T) {
	for name, m := range map[string]made{
		"queries": {n: 5000, per: 1}, "streams": {n: 8000, per: 8}, "tokens": {n: 3000, per: 1, tokens: true},
		"ended early": {n: 5000, per: 1, left: 100}, "one query": {n: 4096, per: 4096}, "one sample": {n: 1, per: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := FromSource(m)
			text, err := f.JSON()
			if err != nil {
				t.Fatal(err)
			}
			back, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := back.JSON()
			if !bytes.Equal(text, again) {
				t.Error("a file that is read and written differs")
			}
			m.compare(t, back)
		})
	}
}

// compare compares a file with the samples from which it was made.
func (m made) compare(t *testing.T, f *File) {
	t.Helper()
	var all []int64
	for i := range m.n {
		if s := m.Slot(i); s.Done >= 0 {
			all = append(all, s.Done-s.Scheduled)
		}
	}
	slices.Sort(all)
	h := f.Histogram(metric.Latency)
	if h.Count != uint64(len(all)) || h.Min != all[0] || h.Max != all[len(all)-1] || f.Unanswered != m.left {
		t.Errorf("histogram %d of %d to %d, %d unanswered", h.Count, h.Min, h.Max, f.Unanswered)
	}
	for _, p := range []float64{0, .1, .5, .9, .99, .999, 1} {
		want := all[min(int(p*float64(len(all))), len(all)-1)]
		if got := h.Quantile(p); math.Abs(float64(got-want)) > float64(want)/(1<<maxBits) {
			t.Errorf("quantile %g is %d, want %d", p, got, want)
		}
	}
	var samples, tokens int64
	for i := range f.Rates.Samples {
		samples += f.Rates.Samples[i]
		if m.tokens {
			tokens += f.Rates.Tokens[i]
		}
	}
	if samples != int64(len(all)) || m.tokens && tokens != 101*samples {
		t.Errorf("rates count %d samples and %d tokens of %d samples", samples, tokens, len(all))
	}
	if l := f.Line(metric.Latency); m.n > m.per && slices.Max(l.V) != h.Max {
		t.Errorf("the line's peak is %d, want %d", slices.Max(l.V), h.Max)
	}
	if (f.Line(metric.TTFT) != nil) != m.tokens || (f.Line(metric.QueryLatency) != nil) != (m.per > 1 && m.n > m.per) {
		t.Errorf("lines %+v", f.Lines)
	}
}

// The band counts every value once, and its percentiles are those of the values of each step.
func TestBands(t *testing.T) {
	m := made{n: 6100, per: 1, left: 7}
	f := FromSource(m)
	b := f.Band(metric.Latency)
	if b == nil || len(b.Count) != maxBands {
		t.Fatalf("band %+v", b)
	}
	for k := range b.Count {
		var all []int64
		for i := range m.n {
			if s := m.Slot(i); s.Done >= 0 && s.Scheduled/b.Step == int64(k) {
				all = append(all, s.Done-s.Scheduled)
			}
		}
		slices.Sort(all)
		if b.Count[k] != int64(len(all)) {
			t.Fatalf("step %d has %d values, want %d", k, b.Count[k], len(all))
		}
		for p, got := range map[float64]int64{.5: b.P50[k], .99: b.P99[k]} {
			want := all[int(p*float64(len(all)))]
			if math.Abs(float64(got-want)) > float64(want)/(1<<maxBits) {
				t.Errorf("step %d: percentile %g is %d, want %d", k, p, got, want)
			}
		}
	}
}

// A file without bands has bands of complete lines, but not of reduced ones.
func TestBandsOfOlderFiles(t *testing.T) {
	whole, thinned := FromSource(made{n: 1500, per: 1}), FromSource(made{n: 5000, per: 1})
	kept := whole.Bands
	whole.Bands, thinned.Bands = nil, nil
	got := whole.Band(metric.Latency)
	if got == nil || !slices.Equal(got.P99, kept[0].P99) || !slices.Equal(got.Count, kept[0].Count) {
		t.Errorf("band %+v, want %+v", got, kept[0])
	}
	if b := thinned.Band(metric.Latency); b != nil {
		t.Errorf("a line of some values has the band %+v", b)
	}
	if b := FromSource(made{n: 199, per: 1}).Band(metric.Latency); b != nil {
		t.Errorf("199 values have the band %+v", b)
	}
}

// A damaged band is a fault of the file.
func TestDamagedBands(t *testing.T) {
	for name, damage := range map[string]func(b *Band){
		"lengths": func(b *Band) { b.P99 = b.P99[1:] }, "step": func(b *Band) { b.Step = 0 },
		"long": func(b *Band) { b.Step = math.MaxInt64 }, "below 0": func(b *Band) { b.Count[1] = -1 },
		"order": func(b *Band) { b.P99[2] = b.P50[2] - 1 },
	} {
		f := FromSource(made{n: 5000, per: 1})
		damage(&f.Bands[0])
		text, err := f.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "band") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The peak of each stretch stays, and the line never exceeds the requested length.
func TestThinKeepsPeaks(t *testing.T) {
	const n, most = 100_000, 500
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n)
	for i := range values {
		values[i] = r.Float64()
	}
	var peaks []int
	for i := 777; i < n; i += 10_000 {
		values[i] = 100 + float64(i)
		peaks = append(peaks, i)
	}
	chosen := SelectPoints(n, most, func(i int) (float64, float64) { return float64(i), values[i] })
	if len(chosen) > most || !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != len(chosen) {
		t.Errorf("%d points, want %d that ascend", len(chosen), most)
	}
	for _, p := range peaks {
		if !slices.Contains(chosen, p) {
			t.Errorf("the peak at %d is lost", p)
		}
	}
	if got := SelectPoints(5, 6, nil); len(got) != 5 {
		t.Errorf("of 5 points %d stay", len(got))
	}
}

// A file never exceeds its maximum size. In this distribution every bucket from a nanosecond to a day contains values.
func TestFileStaysSmall(t *testing.T) {
	f := FromSource(made{n: 20_000, per: 1, tokens: true})
	for k := range f.Histograms {
		c := newCounter(f.Histograms[k].Name)
		for v := int64(1); v < 86_400_000_000_000; v += 1 + v/1500 {
			c.add(v)
			c.counts[bucketOf(v, maxBits)] += 12_345_678
			c.Count += 12_345_678
		}
		f.Histograms[k] = c.histogram()
	}
	long := CollectedSeries{Name: "kv_cache_use", Title: "KV cache in use", Unit: "%"}
	f.Lengths, f.Rates.Streamed = &Lengths{Of: maxLengths}, f.Rates.Tokens
	for k := range int64(maxLengths) {
		f.Lengths.Prompt, f.Lengths.TTFT = append(f.Lengths.Prompt, 1_000_000+k), append(f.Lengths.TTFT, 9e12+k)
		long.T, long.V = append(long.T, 9e12+k), append(long.V, float64(k)/7)
	}
	for range 14 { // the maximum number of quantities, and two of meters
		f.Collected = append(f.Collected, long.Thinned())
	}
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(text); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(text))
}

func TestBuckets(t *testing.T) {
	for _, precision := range []int{1, 5, 11} {
		last := int64(-1)
		for v := int64(0); v < 1<<20; v += 1 + v/64 {
			i := bucketOf(v, precision)
			low, high := orderstat.Bounds(int(i), precision)
			w := high - low + 1
			if v < low || v >= low+w || i < last || v > 1<<(precision+1) && w > v>>precision {
				t.Fatalf("%d is in bucket %d of %d bits, from %d, %d wide, after %d", v, i, precision, low, w, last)
			}
			last = i
		}
	}
	if i := bucketOf(math.MaxInt64, maxBits); LowestValue(i, maxBits) < math.MaxInt64>>1 {
		t.Errorf("the last bucket begins at %d", LowestValue(i, maxBits))
	}
}

func TestParseRefuses(t *testing.T) {
	good, _ := FromSource(made{n: 100, per: 1}).JSON()
	for name, change := range map[string][2]string{
		"another schema": {`"plumbline.series"`, `"other"`}, "a newer version": {`"schema_version":1`, `"schema_version":2`},
		"no samples per query": {`"samples_per_query":1`, `"samples_per_query":0`},
		"a missing value":      {`"v_ns":[`, `"v_ns":[1,`}, "a step of 0": {`"step_ns":`, `"step_ns":0,"was":`},
		"bits": {`"bits":11`, `"bits":12`}, "a count": {`"count":100`, `"count":101`}, "cut": {`"rates":{`, ``},
		"a time back": {`"t_ns":[`, `"t_ns":[9999999999999,`},
	} {
		text := strings.Replace(string(good), change[0], change[1], 1)
		if text == string(good) {
			t.Errorf("%s: nothing changed", name)
		}
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The trace log gives the same series as the slots.
func TestFindFallsBackToTheTrace(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		t.Run(scenario.String(), func(t *testing.T) {
			dir := t.TempDir()
			s := loadgen.DefaultTestSettings()
			s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, 0, 500, 1e5
			var direct *File
			l := loadgen.LogSettings{OutDir: dir, EnableTrace: true, Record: func(r loadgen.Recording, _ string) error {
				direct = FromSource(r)
				return nil
			}}
			qsl := loadgentest.QSL{Total: 100, Performance: 100}
			if _, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, s, l); err != nil {
				t.Fatal(err)
			}
			f, origin, err := Find(dir)
			if err != nil || origin != FromTrace {
				t.Fatal(origin, err)
			}
			got, want := f.Histogram(metric.Latency), direct.Histogram(metric.Latency)
			if f.Samples != direct.Samples || f.Queries != direct.Queries || got.Sum != want.Sum || got.Max != want.Max {
				t.Errorf("of the trace %+v, of the slots %+v", got, want)
			}
			text, err := direct.JSON()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, FileName), text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, origin, err = Find(dir); err != nil || origin != FromFile {
				t.Error(origin, err)
			}
		})
	}
	if _, _, err := Find(t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	text, _ := FromSource(fixed{[]int64{3, 1, 5}}).JSON()
	f.Add(text)
	banded, _ := FromSource(made{n: 300, per: 1}).JSON()
	f.Add(banded)
	served := FromRequests([]metrics.Request{asked(0, 10, 3), asked(second, 20, 2)}, metrics.FigureRules{}, time.Time{})
	served.Collected = []CollectedSeries{{Name: "power", Title: "meter", Unit: "W", T: []int64{-5, 9}, V: []float64{1, 2}}}
	text, _ = served.JSON()
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		for _, of := range metric.Distributions() {
			if b := file.Band(of); b != nil && b.check() != nil {
				t.Errorf("the band of %s: %v", of.Key, b.check())
			}
		}
		for _, h := range file.Histograms {
			if v := h.Quantile(.99); h.Count > 0 && (v < h.Min || v > h.Max) {
				t.Errorf("quantile %d of %d to %d", v, h.Min, h.Max)
			}
			h.Share(h.Max)
		}
		if _, err := json.Marshal(file); err != nil {
			t.Error(err)
		}
	})
}

func FuzzFromTraceLog(f *testing.F) {
	f.Add("{\"traceEvents\":[\n" + `{"name":"Sample","cat":"default","ph":"b","pid":1,"id":0,"ts":5.000,` +
		`"args":{"sample_seq":0,"query_seq":0,"sample_idx":3,"issue_start_ns":10,"complete_ns":2000}},` +
		"\n{\"name\":\"LastTrace\"}\n],\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := FromTraceLog(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := file.check(); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	const n = 10_000_000
	slots := make([]int64, n)
	for i := range slots {
		slots[i] = int64(5e6 * math.Exp(rand.NormFloat64()))
	}
	b.ReportAllocs()
	for b.Loop() {
		text, err := FromSource(fixed{slots}).JSON()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(text)), "B/file")
	}
}

// fixed is a source that is as fast as a recording.
type fixed struct{ took []int64 }

func (f fixed) Start() time.Time     { return time.Time{} }
func (f fixed) Samples() int         { return len(f.took) }
func (f fixed) SamplesPerQuery() int { return 1 }
func (f fixed) HasTokens() bool      { return false }
func (f fixed) HasFirstTokens() bool { return false }
func (f fixed) Slot(i int) loadgen.Slot {
	due := int64(i) * int64(min(60_000, len(f.took)-1))
	return loadgen.Slot{Scheduled: due, Issued: due + int64(i%1000), Done: due + f.took[i]}
}
