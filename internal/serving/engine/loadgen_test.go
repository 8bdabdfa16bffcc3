package engine

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// What LoadGen makes of a test, figures of the same records are: its percentiles, its tokens per second, its verdict
// and its logs.
func TestLoadGenDrives(t *testing.T) {
	for _, c := range []struct {
		flags    arrival.LoadFlags
		requests int
	}{
		{arrival.LoadFlags{Rate: "20", Requests: "500", Seed: 5}, 500},
		{arrival.LoadFlags{Max: true, Requests: "50", Seed: 5}, 50},
		{arrival.LoadFlags{Concurrency: "1", Requests: "70", Seed: 5}, 70},
	} {
		s := &script{each: 20 * time.Millisecond, tokens: 11}
		s.slow = func(n int64) time.Duration { return time.Duration(100+n%40) * time.Millisecond }
		p := pattern(t, c.flags)
		settings, err := LoadGenSettings(p, 100, time.Second, 30*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			logs := loadgen.LogSettings{OutDir: t.TempDir()}
			ctx := loadgentest.WithSleep(t.Context())
			point, r, err := MeasureByLoadGen(ctx, s, PointPlan{Asks: asks(100), WarmUp: asks(8), Load: p}, settings, logs)
			if err != nil {
				t.Fatal(err)
			}
			if n := counted(point); n[metrics.OK] != c.requests || len(point.Requests) != c.requests+8 {
				t.Fatalf("%s: %v, %d with those that warm up", p.Scenario(), n, len(point.Requests))
			}
			f := metrics.ComputeFigures(point.Requests, metrics.FigureRules{LoadGen: p.Scenario(),
				OpenLoop: p.Kind != arrival.Users})
			if r.Verdict != loadgen.Valid || r.SampleCount != uint64(c.requests) {
				t.Errorf("%s: %s of %d samples: %+v", p.Scenario(), r.Verdict, r.SampleCount, r.Reasons)
			}
			median, _ := f.TPOT.PercentileAt(0.5)
			if f.TTFT.N != c.requests || median.Value != 20e6 {
				t.Errorf("%s: %d first tokens, TPOT of %v", p.Scenario(), f.TTFT.N, median.Value)
			}
			if p.Kind == arrival.Users {
				return
			}
			for _, of := range []struct {
				name      string
				got, want float64
			}{
				{"samples/s", f.LoadGen.SamplesPerSec, max(r.CompletedSamplesPerSec, r.SamplesPerSec)},
				{"tokens/s", f.LoadGen.TokensPerSec, r.Tokens.PerSec},
				{"mean TTFT", f.TTFT.Mean, float64(r.Tokens.TTFT.Latency.Mean)},
				{"least TTFT", f.TTFT.Min, float64(r.Tokens.TTFT.Latency.Min)},
				{"largest TPOT", f.TPOT.Max, float64(r.Tokens.TPOT.Latency.Max)},
			} {
				if p.Kind == arrival.Maximum && strings.Contains(of.name, "T") {
					continue // LoadGen has none
				}
				if math.Abs(of.got-of.want) > 1e-9*of.want+1 {
					t.Errorf("%s, %s: %v, LoadGen has %v", p.Scenario(), of.name, of.got, of.want)
				}
			}
			if found, _ := filepath.Glob(filepath.Join(logs.OutDir, "mlperf_log_*")); len(found) < 3 {
				t.Errorf("logs: %q", found)
			}
		})
	}
}

// One user by LoadGen ends with the requests or with the duration, whichever comes first.
func TestOneUserByLoadGenEnds(t *testing.T) {
	for _, c := range []struct {
		requests, duration string
		least, most        int
	}{{"30", "1h", 30, 30}, {"3000", "4s", 20, 22}, {"", "4s", 20, 21}, {"", "", 300, 301}} {
		s := &script{first: 100 * time.Millisecond, each: 100 * time.Millisecond, tokens: 2}
		p := pattern(t, arrival.LoadFlags{Concurrency: "1", Requests: c.requests, Duration: c.duration})
		settings, err := LoadGenSettings(p, 10, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			logs := loadgen.LogSettings{OutDir: t.TempDir()}
			point, _, err := MeasureByLoadGen(loadgentest.WithSleep(t.Context()), s, PointPlan{Asks: asks(10), Load: p},
				settings, logs)
			if err != nil {
				t.Fatal(err)
			}
			if n := counted(point)[metrics.OK]; n < c.least || n > c.most {
				t.Errorf("%q requests, %q: %d, want %d to %d", c.requests, c.duration, n, c.least, c.most)
			}
		})
	}
}

// The first failure ends LoadGen's test.
func TestLoadGenEndsWithTheFirstFailure(t *testing.T) {
	s := &script{first: time.Second, tokens: 2, status: func(n int64) metrics.Status {
		if n == 12 {
			return statusTooMany
		}
		return ""
	}}
	p := pattern(t, arrival.LoadFlags{Rate: "10", Requests: "300"})
	settings, err := LoadGenSettings(p, 100, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		logs := loadgen.LogSettings{OutDir: t.TempDir()}
		ctx := loadgentest.WithSleep(t.Context())
		point, _, err := MeasureByLoadGen(ctx, s, PointPlan{Asks: asks(100), Load: p}, settings, logs)
		if err == nil || !strings.Contains(err.Error(), "failed (http_429)") {
			t.Fatalf("error %v", err)
		}
		if n := counted(point); n[statusTooMany] != 1 || n[metrics.OK] < 12 || n[metrics.OK] > 40 ||
			point.StopReason != ByErrors {
			t.Errorf("%v, %s", n, point.StopReason)
		}
	})
	for _, f := range []arrival.LoadFlags{
		{Concurrency: "4"}, {Rate: "5", Arrival: "constant"}, {Rate: "5", Concurrency: "2"},
	} {
		if _, err := LoadGenSettings(pattern(t, f), 1, 0, 0); err == nil || !strings.Contains(err.Error(), "no LoadGen") {
			t.Errorf("%+v: error %v", f, err)
		}
	}
}
