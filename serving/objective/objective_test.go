package objective_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
)

// TestGoldenObjectives compares parsed texts with those of an independent program.
func TestGoldenObjectives(t *testing.T) {
	golden.Each(t, "serving/slo.json", func(t *testing.T, path string) {
		var cases []struct {
			SLO   string
			Terms []struct {
				Stat, Metric, Op, Unit string
				Value                  float64
			}
			Each  metrics.RequestLimits `json:"each_request"`
			Error string                `json:"error_says"`
		}
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			o, err := objective.Parse(c.SLO)
			if c.Error != "" {
				if err == nil || !strings.Contains(err.Error(), c.Error) {
					t.Errorf("%q: %v, want an error that says %q", c.SLO, err, c.Error)
				}
				continue
			}
			if err != nil || len(o.Terms) != len(c.Terms) {
				t.Errorf("%q: %v, %v", c.SLO, o.Terms, err)
				continue
			}
			for i, want := range c.Terms {
				got := o.Terms[i]
				if got.Stat != want.Stat || got.Metric != want.Metric || string(got.Op) != want.Op || got.Unit != want.Unit ||
					got.Value != want.Value {
					t.Errorf("%q: %+v, want %+v", c.SLO, got, want)
				}
			}
			if !maps.Equal(o.RequestLimits(), c.Each) {
				t.Errorf("%q: limits %v, want %v", c.SLO, o.RequestLimits(), c.Each)
			}
		}
	})
}

func parse(t testing.TB, text string) objective.Objectives {
	t.Helper()
	o, err := objective.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOrderOfStatistic parses a statistic and a metric in both orders, and joined in common ways.
func TestOrderOfStatistic(t *testing.T) {
	for stat, metrics := range map[string][]string{
		"p99": {"ttft", "e2e_sent"}, "p99.9": {"tpot", "ttft_sent"}, "p50": {"user"}, "mean": {"queue"}, "max": {"stall"},
	} {
		for _, metric := range metrics {
			limit := " < 1s"
			if metric == "user" {
				limit = " > 5"
			}
			want := parse(t, stat+" "+metric+limit).Terms[0]
			for _, subject := range []string{metric + " " + stat, metric + "." + stat, metric + "_" + stat, metric + "-" + stat,
				metric + ":" + stat, stat + "." + metric, stat + "_" + metric, stat + "-" + metric, strings.ToUpper(metric) + "  " +
					strings.ToUpper(stat)} {
				got := parse(t, subject+limit).Terms[0]
				if got.Text = want.Text; got != want {
					t.Errorf("%q: %+v, want %+v", subject, got, want)
				}
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"p99 tpott < 50ms":                      `did you mean "tpot"?`,
		"ttft == 5ms":                           "== is no limit",
		"p99 ttft > 500ms":                      "better the smaller",
		"ttft < 300ms, ttft > 500ms":            "better the smaller",
		"user < 5":                              "better the larger",
		"attainment > 100 %":                    "no point can hold it",
		"attainment >= 101 %":                   "no point can hold it",
		"failed < 0 %":                          "no point can hold it",
		"ttft < 0ms":                            "no time is that short",
		"ttft < -1ms":                           "no time is that short",
		"user > -1":                             "below 0",
		"p0 ttft < 5ms":                         `"p0" is no statistic`,
		"p100 ttft < 5ms":                       `"p100" is no statistic`,
		"median ttft < 5ms":                     `"median" is no statistic`,
		"p99 goodput > 5":                       "one number of a point",
		"p99 p95 ttft < 5ms":                    "is no metric",
		"< 5ms":                                 "is no metric",
		"ttft < 5ms,":                           "nothing between two commas",
		"ttft < 5 furlongs":                     "a unit",
		"goodput > 5 tokens/s":                  "the unit of goodput is requests/s",
		"ttft < fast":                           "is no number",
		"p99 latency < 5ms":                     "unclear",
		"latency.p99 < 5ms":                     "unclear",
		"p99 < 5ms":                             "p99 of what? p99 ttft",
		"mean < 5ms":                            "mean of what?",
		"ttft median < 5ms":                     `"median" is no statistic`,
		"ttft.p100 < 5ms":                       `"p100" is no statistic`,
		"p99_ttf < 5ms":                         `did you mean "ttfo"?`,
		"p99.9-tpott < 5ms":                     `did you mean "tpot"?`,
		"goodput p99 > 5":                       "one number of a point",
		"tokens_per_s.p99 > 5":                  "one number of a point",
		"ttft tpot < 5ms":                       `"ttft" is no statistic`,
		"p50 ttft < 1s, P50 TTFT < 2s":          "twice",
		"ttft < 1e308s":                         "too large",
		strings.Repeat("ttft < 5ms,", 200):      "2200 characters",
		"tokens_per_s > 5, tokens_per_second>6": "twice",
	} {
		if _, err := objective.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	_, err := objective.Parse("ttft 5, p99 tpot < 3, good > 3")
	for _, want := range []string{"operator", "a unit", "did you mean"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestEachRequest(t *testing.T) {
	for text, want := range map[string]metrics.RequestLimits{
		"p50 ttft < 200ms, p99 ttft < 500ms": {"ttft": 500e6},
		"p99 ttft < 500ms, p50 ttft < 200ms": {"ttft": 500e6},
		"ttft < 1s, p99 ttft < 500ms":        {"ttft": 1e9},
		"p50 user > 50, p1 user > 20":        {"user": 20},
		"ttft.p99 < 1us, mean e2e < 3s":      {"ttft": 1e3},
		"attainment >= 99 %, goodput > 2 /s": {},
	} {
		if got := parse(t, text).RequestLimits(); !maps.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestNoGoodput checks that figures contain goodput only if an objective requires it.
func TestNoGoodput(t *testing.T) {
	for text, want := range map[string]bool{
		"failed < 1 %": false, "mean ttft < 1s": false, "attainment > 9 %": true, "ttft < 1s": true, "p99 ttft < 1s": true,
	} {
		if limits := parse(t, text).RequestLimits(); (limits != nil) != want {
			t.Errorf("%q has the limits %v", text, limits)
		}
	}
	if limits := (objective.Objectives{}).RequestLimits(); limits != nil {
		t.Errorf("no objectives have the limits %v", limits)
	}
}

// answered returns n requests with a first token after ttft ms and four more tokens at intervals of 10 ms.
func answered(n int, ttft int64) []metrics.Request {
	var all []metrics.Request
	for range n {
		r := metrics.Request{Status: metrics.OK, Usage: metrics.NoUsage(), Retokenized: metrics.Unknown}
		for i := range int64(5) {
			r.End = (ttft + 10*i) * 1e6
			r.Events.Add(metrics.StreamEvent{At: r.End, Kind: metrics.Content, Text: true, IDs: 1})
		}
		all = append(all, r)
	}
	return all
}

func refused(n int) []metrics.Request {
	return slices.Repeat([]metrics.Request{{Status: metrics.Refused, Usage: metrics.NoUsage(), End: 1e6}}, n)
}

func judgeTerm(t *testing.T, text string, requests []metrics.Request) []objective.Verdict {
	t.Helper()
	o := parse(t, text)
	return o.JudgeFigures(metrics.ComputeFigures(requests, metrics.FigureRules{Limits: o.RequestLimits(),
		Percentiles: o.Percentiles()}))
}

func TestJudge(t *testing.T) {
	fast := answered(98, 100)
	for _, c := range []struct {
		text     string
		requests []metrics.Request
		want     string
	}{
		{"p99 ttft < 100ms", fast, "misses p99 ttft < 100ms: 0.1 s"},
		{"p99 ttft <= 100ms", fast, "holds p99 ttft <= 100ms: 0.1 s"},
		{"p99 ttft < 200ms", append(fast, refused(2)...), "misses p99 ttft < 200ms: failed requests stand there, " +
			"but with as few requests it could be from 0.1 s to failed"},
		{"p99 stall < 200ms", append(fast, refused(2)...), "misses p99 stall < 200ms: failed requests stand there, " +
			"but with as few requests it could be from 10 ms to failed"},
		{"p95 stall < 200ms", append(fast, refused(2)...), "holds p95 stall < 200ms: 10 ms"},
		{"max ttft < 200ms", append(fast, refused(1)...), "misses max ttft < 200ms: failed requests stand there"},
		{"mean ttft < 200ms", append(fast, refused(1)...), "holds mean ttft < 200ms: 0.1 s"},
		{"p99 queue < 1ms", append(fast, refused(50)...), "holds p99 queue < 1ms: 0.0 s"},
		{"p1 user >= 100", fast, "holds p1 user >= 100: 100 tokens/s"},
		{"p1 user >= 50", append(fast, refused(2)...), "misses p1 user >= 50: 0 tokens/s, " +
			"but with as few requests it could be from 0 tokens/s to 100 tokens/s"},
		{"p2.5 user >= 50", append(fast, refused(2)...), "holds p2.5 user >= 50: 100 tokens/s, " +
			"but with as few requests it could be from 0 tokens/s to 100 tokens/s"},
		{"p99 ttft < 1s", refused(3), "misses p99 ttft < 1s: failed requests stand there"},
		{"p99 ttft < 1s", nil, "misses p99 ttft < 1s: no request has one"},
		{"failed < 1 %", nil, "misses failed < 1 %: there was no request"},
		{"failed <= 2 %", append(fast, refused(2)...), "holds failed <= 2 %: 2 %"},
		{"failed < 2 %", append(fast, refused(2)...), "misses failed < 2 %: 2 %"},
		{"attainment >= 90 %, ttft < 1s", fast, "holds attainment >= 90 %: 100 %"},
		{"attainment >= 99 %, ttft < 1s", append(fast, refused(2)...), "misses attainment >= 99 %: 98 %, " +
			"but with as few requests it could be from 93 % to 99.4 %"},
		{"attainment >= 99 %, ttft < 1s", fast, "holds attainment >= 99 %: 100 %, " +
			"but with as few requests it could be from 96.2 % to 100 %"},
		{"attainment >= 90 %", append(fast, refused(2)...), "holds attainment >= 90 %: 98 %"},
		{"attainment >= 90 %, p99 ttft < 10ms", fast, "misses attainment >= 90 %: 0 %"},
		{"tokens_per_s > 3000", fast, "holds tokens_per_s > 3000: 3500 tokens/s"},
		{"goodput > 700, ttft < 1s", fast, "misses goodput > 700: 700 requests/s"},
	} {
		verdicts := judgeTerm(t, c.text, c.requests)
		if got := verdicts[0].String(); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
		if v := verdicts[0]; v.Held != strings.HasPrefix(c.want, "holds") ||
			v.Unclear != strings.Contains(c.want, "could be") {
			t.Errorf("%q: %+v", c.text, v)
		}
		text, err := json.Marshal(verdicts)
		var again []objective.Verdict
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || again[0].String() != verdicts[0].String() {
			t.Errorf("%s is read as %v (%v)", text, again, err)
		}
	}
}

// TestLimitsAlone checks that limits of each request yield goodput, which a point cannot miss.
func TestLimitsAlone(t *testing.T) {
	o := parse(t, "ttft < 5ms, user > 3 tok/s")
	if o.HasPointTerms() || len(judgeTerm(t, "ttft < 5ms", answered(1, 100))) != 0 {
		t.Error("there is a verdict on a limit of each request")
	}
	if !parse(t, "ttft < 5ms, attainment > 5%").HasPointTerms() {
		t.Error("an attainment can be missed")
	}
}

// TestWilson compares intervals with those of R. G. Newcombe, "Two-sided confidence intervals for the single
// proportion" (1998), table I, method 3.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {0, 0, 0, 1}} {
		low, high := metrics.WilsonInterval(float64(c.k), c.n)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %v to %v", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

// TestDoc checks that docs/serving-figures.md names every metric and that its example can be parsed.
func TestDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/serving-figures.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Objectives\n")
	for _, m := range objective.MetricNames() {
		if !strings.Contains(section, "`"+m+"`") {
			t.Errorf("%s is missing", m)
		}
	}
	parse(t, strings.TrimSpace(strings.SplitN(section, "\n", 3)[1]))
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"p99 ttft < 500ms, attainment >= 99 %", "user > 5 tok/s", "ttft.p99.9<=1µs",
		",", "p1 user>1e3"} {
		f.Add(text)
	}
	figures := metrics.ComputeFigures(append(answered(20, 100), refused(1)...),
		metrics.FigureRules{Limits: metrics.RequestLimits{}})
	f.Fuzz(func(t *testing.T, text string) {
		o, err := objective.Parse(text)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" || len(o.Terms) > 0 {
				t.Errorf("%q: %v with %v", text, err, o.Terms)
			}
			return
		}
		again, err := objective.Parse(o.String())
		if err != nil || !slices.Equal(again.Terms, o.Terms) {
			t.Errorf("%q again: %+v, %v", o.String(), again, err)
		}
		for _, term := range o.Terms {
			if math.IsNaN(term.Value) || math.IsInf(term.Value, 0) || term.Value < 0 {
				t.Errorf("%q: %+v", text, term)
			}
		}
		o.JudgeFigures(figures)
		o.RequestLimits()
	})
}
