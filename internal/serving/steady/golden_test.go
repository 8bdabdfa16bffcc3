package steady

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// series of the official detector, with all that it says of them.
type seriesCase struct {
	Name   string
	Params struct {
		Warmup       json.RawMessage
		WarmupDriver string    `json:"warmup_driver"`
		WarmupBand   float64   `json:"warmup_band"`
		CovBounds    []float64 `json:"cov_bounds"`
		TrendGate    Test      `json:"trend_gate"`
	}
	SuperPasses []struct {
		Issued     int       `json:"n_issued"`
		FirstIssue int64     `json:"first_issue_ns"`
		LastIssue  int64     `json:"last_issue_ns"`
		LastEvent  int64     `json:"last_event_ns"`
		OutTokens  int64     `json:"out_tokens"`
		TTFT       []float64 `json:"ttft_ns"`
		TPOT       []float64 `json:"tpot_ns"`
		Latency    []float64 `json:"latency_ns"`
	} `json:"super_passes"`
	Out map[string]any
}

func (c seriesCase) passes() (all []Pass) {
	for _, p := range c.SuperPasses {
		all = append(all, Pass{p.Issued, p.FirstIssue, p.LastIssue, p.LastEvent, p.OutTokens, p.TTFT, p.TPOT, p.Latency})
	}
	return all
}

func (c seriesCase) options(t *testing.T) Options {
	o := Options{WarmupBand: c.Params.WarmupBand, ScatterBounds: c.Params.CovBounds, Trend: c.Params.TrendGate}
	if n := 0; json.Unmarshal(c.Params.Warmup, &n) == nil {
		o.Warmup = &n
	}
	if c.Params.WarmupDriver != "tpot_p50" {
		t.Fatalf("driver %q", c.Params.WarmupDriver)
	}
	return o
}

// TestGoldenSeries compares every figure with the official detector's, to 1e-9 of it.
func TestGoldenSeries(t *testing.T) {
	golden.Each(t, "endpoints/steady.jsonl", func(t *testing.T, path string) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		n := 0
		for ; lines.Scan(); n++ {
			var c seriesCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			t.Run(c.Name, func(t *testing.T) { compareAny(t, "", official(t, c), c.Out) })
		}
		if lines.Err() != nil || n < 40 {
			t.Errorf("%d series (%v)", n, lines.Err())
		}
	})
}

// official is our report of a series in the official form.
func official(t *testing.T, c seriesCase) map[string]any {
	o := c.options(t)
	r := Detect(c.passes(), o)
	full := o.withDefaults()
	left := rankPasses(c.passes()[r.Warmup:], full.WarmupDriver)
	out := map[string]any{"warmup": float64(r.Warmup), "n_post_warmup": float64(r.Passes)}
	trajectories, scatters, trends := map[string]any{}, map[string]any{}, map[string]any{}
	for _, tr := range []Trajectory{{TTFT, 50}, {TTFT, 90}, {TPOT, 50}, {TPOT, 90}, {TTFT, 99}, {TPOT, 99}, {Latency, 50},
		{Latency, 90}} {
		v := left.trajectoryValues(tr)
		trajectories[tr.String()], scatters[tr.String()] = list(v), variation(v)
	}
	for _, tr := range watchedTrajectories {
		tests := map[string]any{}
		for _, test := range Tests() {
			tests[string(test)] = trendOut(test.Of(left.trajectoryValues(tr)))
		}
		trends[tr.String()] = tests
	}
	out["trajectories"], out["cov"], out["trends"] = trajectories, scatters, trends
	out["pettitt"] = changeOut(left.changePoint())
	durations := []any{}
	for _, d := range r.Durations {
		m := durationOut(d)
		m["plateau"] = []any{float64(d.Plateau.Low), float64(d.Plateau.High)}
		durations = append(durations, m)
	}
	out["durations"] = durations
	out["steady_state"] = blockOut(r, true)
	o.AnyDuration = true
	out["without_min_duration"] = blockOut(Detect(c.passes(), o), false)
	if r.Index >= 0 {
		gates := map[string]any{}
		for _, tr := range gatingTrajectories {
			g := left[r.Window.Low:r.Window.High].makeGate(tr, full)
			gates[tr.String()] = map[string]any{"trend": trendOut(g.Trend), "rel_drift": g.Change, "cov": g.Scatter}
		}
		out["window_gate"] = gates
	}
	return out
}

func list(v []float64) []any {
	all := []any{}
	for _, x := range v {
		all = append(all, x)
	}
	return all
}

func trendOut(t Trend) map[string]any {
	m := map[string]any{"verdict": string(t.Direction), "slope": t.Slope, "statistic": t.Statistic, "pvalue": t.P,
		"variance": t.Variance, "rel_drift": t.Change, "snr": t.Signal}
	if math.IsNaN(t.P) {
		m["pvalue"] = nil
	}
	return m
}

func changeOut(c ChangePoint) map[string]any {
	return map[string]any{"change_point": float64(c.Before), "k_stat": c.K, "pvalue": c.P, "significant": c.Significant}
}

func durationOut(d Duration) map[string]any {
	return map[string]any{"is_short": d.IsShort(), "window_duration_s": d.Window, "min_duration_s": d.MinSeconds(),
		"dominant": d.Dominant(), "t_precision_s": d.Precision, "t_relaxation_s": d.Relaxation, "t_floor_s": d.Floor,
		"kstar": float64(d.NeededPasses), "cov_b": d.Scatter, "tau_sp_s": d.PassSeconds, "l_p90_s": d.LatencyP90}
}

func distributionOut(d *Distribution) map[string]any {
	all := []any{}
	for _, b := range d.Histogram {
		all = append(all, map[string]any{"lo": b.Low, "hi": b.High, "count": float64(b.Count)})
	}
	return map[string]any{"count": float64(d.Count), "mean": d.Mean, "min": d.Min, "max": d.Max, "p50": d.P50,
		"p90": d.P90, "p99": d.P99, "histogram": all}
}

func anomalyOut(r Report) map[string]any {
	plateaus := []any{}
	for _, p := range r.Plateaus {
		plateaus = append(plateaus, []any{float64(p.Low), float64(p.High)})
	}
	m := map[string]any{"detected": r.Anomaly.Detected, "change_point_sp": nil, "delta_pct": r.Anomaly.Percent,
		"pettitt": nil, "plateaus": plateaus}
	if r.Anomaly.Detected {
		m["change_point_sp"] = float64(r.Anomaly.ChangePoint)
	}
	if r.Anomaly.Pettitt != nil {
		m["pettitt"] = changeOut(*r.Anomaly.Pettitt)
	}
	return m
}

func blockOut(r Report, whole bool) map[string]any {
	m := map[string]any{"found": r.Found, "window": nil, "tps": nil, "anomaly": anomalyOut(r)}
	trends, up := map[string]any{}, []any{}
	for name, d := range r.Trends {
		trends[name] = string(d)
	}
	for _, name := range r.DriftsUp {
		up = append(up, name)
	}
	m["global_trend"], m["drifting_up"] = trends, up
	if whole {
		m["ttft"], m["tpot"], m["short_window"] = nil, nil, nil
	}
	if r.Index < 0 {
		return m
	}
	m["window"] = map[string]any{"sp_lo": float64(r.Window.Low), "sp_hi": float64(r.Window.High),
		"n_super_passes": float64(r.Window.High - r.Window.Low), "n_samples": float64(r.Samples),
		"plateau_index": float64(r.Index), "n_plateaus": float64(len(r.Plateaus)), "skipped_short": float64(r.Index)}
	m["tps"] = map[string]any{"per_user": r.Rates.PerUser, "per_user_ci": list(r.Rates.PerUserInterval[:]),
		"system": r.Rates.System, "system_ci": list(r.Rates.SystemInterval[:])}
	if whole {
		m["ttft"], m["tpot"], m["short_window"] = distributionOut(r.TTFT), distributionOut(r.TPOT), durationOut(r.Duration)
	}
	return m
}

// compareAny compares decoded JSON; reasons are in each side's own words.
func compareAny(t *testing.T, at string, got, want any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want an object", at, got)
			return
		}
		for key := range w {
			if key != "reason" {
				compareAny(t, strings.TrimPrefix(at+"."+key, "."), g[key], w[key])
			}
		}
		if len(w) < len(g) {
			t.Errorf("%s: %v, want %v", at, g, w)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for i := range w {
			compareAny(t, at+"[]", g[i], w[i])
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-9*math.Abs(w) {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}
