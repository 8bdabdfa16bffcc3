package page

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
)

// point is a server's point at a number of users: with each doubling, tokens come more slowly, and first ones much.
func point(t *testing.T, out, label, limits string, users int) results.FoundRun {
	t.Helper()
	o, err := objective.Parse(limits)
	if err != nil {
		t.Fatal(err)
	}
	var all []metrics.Request
	tpot, first := int64(10e6+float64(users)*25e4), int64(40e6*math.Pow(1.05, float64(users)))
	for i := range int64(100) {
		r := metrics.Request{Index: int(i), Status: metrics.OK, Usage: metrics.NoUsage(),
			Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
		r.Due = i * (first + 64*tpot) / int64(users)
		r.Sent = r.Due + 1000
		for k := range int64(64) {
			r.Events.Add(metrics.StreamEvent{At: r.Due + first + i*1e5 + k*tpot, Kind: metrics.Content, Text: true, IDs: 1})
		}
		r.End = r.Due + first + 64*tpot
		all = append(all, r)
	}
	s := &record.Serving{
		Load: record.ServingLoad{By: arrival.Users, Value: float64(users)}, Label: "no LoadGen scenario: closed loop",
		Sentence: fmt.Sprintf("%d users wait for answers; when the server is slow they ask less.", users),
		Server:   record.ServingServer{URLs: []string{"http://127.0.0.1:8000"}, Kind: "vllm", Model: "m"},
		Asked:    record.ServingAsked{API: "completions", ISL: "1024", OSL: "64", Seed: 1},
		Figures:  metrics.ComputeFigures(all, metrics.FigureRules{Limits: o.RequestLimits(), Percentiles: o.Percentiles()}),
	}
	s.Told = &record.ServingTold{
		Engine: "vllm", Counters: map[string]float64{"prefix_cache_hits": 12},
		Gauges:     map[string]record.Gauge{"requests_running": {Mean: 3.5, Max: 4}},
		Histograms: map[string]record.SecondsTold{"ttft": {Count: 40, Mean: .01, P50: .01, P99: .02}},
	}
	s.Energy = &record.ServingEnergy{Watts: 700, Joules: 1400, PerToken: .55}
	s.Objectives = o.JudgeFigures(s.Figures)
	held := objective.AllHeld(s.Objectives)
	if s.Holds = &held; users > 40 {
		s.Flags = []string{record.NotStationary}
	}
	r := record.Run{Model: "m", Mode: record.ModeServing, Dir: ".", Status: record.Complete, Serving: s,
		Identity: record.Identity{Label: label, Point: []string{fmt.Sprintf("users=%d", users)}},
		Started:  time.Date(2026, 11, 24, 12, 0, users, 0, time.UTC)}
	r.Finish(nil)
	folder := filepath.Join(out, fmt.Sprintf("users-%d", users))
	return results.FoundRun{Run: r, Out: folder, File: filepath.Join(folder, "result.json")}
}

// TestSweeps: a sweep has its curves, two sweeps share them under names that tell them apart, and every point has what
// it was measured with.
func TestSweeps(t *testing.T) {
	const limits = "p99 ttft < 300ms, p99 tpot < 21ms"
	var one, two []results.FoundRun
	for users := 1; users <= 64; users *= 2 {
		one = append(one, point(t, "/one", "", limits, users))
		two = append(two, point(t, "/two/a", "old", limits, users), point(t, "/two/b", "new", limits, users+1))
	}
	for name, set := range map[string]results.Set{"one": {Runs: one}, "two": {Runs: two}} {
		text := html(t, set)
		for _, want := range []string{
			`id="curve-tokens"`, `id="curve-ttft-users"`, `id="curve-tpot-users"`, `id="curve-goodput-users"`,
			`id="curve-attainment-users"`, "limit 300 ms", "limit 21.0 ms", "not stationary", "no LoadGen scenario: closed loop",
			"16 users wait for answers", "1024 in, 64 out", "HOLDS", "MISSES", "at most 300 ms", "<h3 dir=\"auto\">Points",
			"prefix cache hits, meanwhile", "requests running", "20.0 ms", "energy of a token of answers, J",
			"time to first token since sending",
		} {
			if name == "two" && strings.HasPrefix(want, "16 users") {
				want = "17 users wait for answers"
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page has no %s", name, want)
			}
		}
		for _, sweep := range []string{"old", "new"} {
			if got := strings.Contains(text, ">"+sweep+" p99</text>"); got != (name == "two") {
				t.Errorf("%s: %s has its name in the key: %v", name, sweep, got)
			}
		}
		var b bytes.Buffer
		if err := (Report{Set: set}).WriteText(&b); err != nil || !strings.Contains(b.String(), "closed loop") {
			t.Errorf("%v: %s", err, b.String())
		}
		if out := os.Getenv("PLUMBLINE_PAGES"); out != "" {
			_ = os.WriteFile(filepath.Join(out, name+".html"), []byte(text), 0o600)
			_ = os.WriteFile(filepath.Join(out, name+".txt"), b.Bytes(), 0o600)
		}
	}
}

// TestThreeSweeps: three servers are three lines of one picture, each with the points that no other one of its own
// beats, and each with a table.
func TestThreeSweeps(t *testing.T) {
	var set results.Set
	for users := 1; users <= 16; users *= 4 {
		for _, name := range []string{"old", "new", "other"} {
			set.Runs = append(set.Runs, point(t, "/three/"+name, name, "ttft < 1s", users))
		}
	}
	var tokens plot.Chart
	for _, c := range sweepCharts(set.Runs) {
		if c.ID == "curve-tokens" {
			tokens = c
		}
	}
	if len(tokens.Lines) != 3 || len(tokens.Lines[2].X) != 3 {
		t.Errorf("%d lines: %+v", len(tokens.Lines), tokens.Lines)
	}
	text := html(t, set)
	for _, name := range []string{"old", "new", "other"} {
		want := `<h3 dir="auto">Points of ` + name
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestPointsHaveRoom: of however many points each has its section, and as many as have room their charts.
func TestPointsHaveRoom(t *testing.T) {
	out := t.TempDir()
	var set results.Set
	for users := range 40 {
		f := point(t, out, "", "ttft < 1s", users+1)
		var all []metrics.Request
		for i := range int64(800) {
			r := metrics.Request{Due: i * 1e7, Sent: i * 1e7, Status: metrics.OK, Usage: metrics.NoUsage(),
				Retokenized: metrics.Unknown, AskedIn: 1 + i*7919%997, AskedOut: metrics.Unknown}
			for k := range 2 + i%5 {
				r.End = r.Due + 1e6*(1+i*7919%97+k*(1+i*104729%31))
				r.Events.Add(metrics.StreamEvent{At: r.End, Kind: metrics.Content, Text: true, IDs: 1})
			}
			all = append(all, r)
		}
		text, err := series.FromRequests(all, metrics.FigureRules{}, time.Time{}).JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(f.LogFolder(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.LogFolder(), series.FileName), text, 0o600); err != nil {
			t.Fatal(err)
		}
		set.Runs = append(set.Runs, f)
	}
	text := html(t, set)
	if n := strings.Count(text, `<section class="card" id="run-`); n != 40 || strings.Contains(text, "Not shown") {
		t.Errorf("%d sections of 40 points", n)
	}
	drawn, left := strings.Count(text, `-ttft-length"`), strings.Count(text, "Its charts have no room")
	if drawn+left != 40 || left == 0 || len(text) > maxSections+400_000 {
		t.Errorf("%d points with charts and %d without in %d bytes", drawn, left, len(text))
	}
	if one := html(t, results.Set{Runs: set.Runs[7:9]}); strings.Count(one, `-ttft-length"`) != 2 {
		t.Error("two points have no charts")
	}
	damaged := set.Runs[3]
	if err := os.WriteFile(filepath.Join(damaged.LogFolder(), series.FileName), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := html(t, results.Set{Runs: []results.FoundRun{damaged}}); !strings.Contains(text, "No charts over time: ") {
		t.Error("a damaged file is passed over in silence")
	}
}

// TestFewRequests: p99 of fewer than 100 requests is neither in the table of points nor a point of a chart.
func TestFewRequests(t *testing.T) {
	var set results.Set
	for users := 1; users <= 4; users *= 2 {
		r := point(t, "/few", "", "ttft < 1s", users)
		for _, d := range []*metrics.Distribution{&r.Serving.Figures.TTFT, &r.Serving.Figures.TPOT} {
			d.N = 99
		}
		set.Runs = append(set.Runs, r)
		if row := pointRow(r.Run); row[4] == "" || row[5] != metrics.TooFew || row[7] != metrics.TooFew {
			t.Errorf("row %q", row)
		}
	}
	for _, c := range sweepCharts(set.Runs) {
		for _, l := range c.Lines {
			if l.Name == "p99" {
				t.Errorf("%s has a line of p99", c.ID)
			}
		}
	}
	few := timedRun("m", "Server", "VALID", "samples/s", 1).Run
	few.Performance.Latency.Count = 99
	if text := tailText(few); text != "p99 "+metrics.TooFew {
		t.Error(text)
	}
}
