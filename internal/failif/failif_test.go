package failif

import (
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/compare"
)

// subjects are a Server run and an accuracy, of two models, with a base for the first.
func subjects() []Subject {
	return []Subject{
		{
			Name: "resnet50 Server performance", Model: "resnet50", Scenario: "Server",
			Metrics: []metric.Metric{
				metric.Latency.At(.99).Of(12.5), metric.Latency.At(.999).Of(20), metric.SamplesPerSecond.Of(97),
				metric.OverLatency.Of(3),
			},
			Base: []metric.Metric{
				metric.Latency.At(.99).Of(10), metric.SamplesPerSecond.Of(100), metric.OverLatency.Of(0),
				metric.Latency.At(.999).Of(20),
			},
		},
		{
			Name: "bert-99.9 Offline accuracy", Model: "bert-99.9", Scenario: "Offline",
			Metrics:     []metric.Metric{metric.Accuracy("F1", "%", sdk.HigherBetter).Of(90.5)},
			Unavailable: []UnavailableFigures{{[]metric.Metric{metric.Tokens.Of(0)}, "tokens"}},
		},
	}
}

func TestJudge(t *testing.T) {
	for text, met := range map[string]bool{
		"p99 > 12ms": true, "p99>12.5ms": false, "p99>=12.5 ms": true, "p99 > 12": true, "P99 > 0.012s": true,
		"p99 > 12400us": true, "p99 > 12500001ns": false, "p99 == 12.5ms": true, "p99 != 12.5ms": false, "p99 < 13ms": true,
		"p99 <= 12ms": false, "server.p99.9 > 19ms": true, "Server.p99 > +24%": true, "Server.p99 > +25 %": false,
		"resnet50/Server.p99 > +2ms": true, "resnet50/p99 > +3ms": false, "samples_per_second < -2%": true,
		"samples_per_second < -3%": false, "samples_per_second < 98 samples/s": true, "overlatency > 2": true,
		"overlatency > +2": true, "F1 < 91": true, "bert-99.9/Offline.accuracy.f1 < 91%": true, "accuracy.F1 < 90%": false,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Judge(subjects())
		if err != nil || len(got) > 0 != met {
			t.Errorf("%q: %v (%v), want %v", text, got, err, met)
		}
	}
}

func TestMetSaysWhatWasMeasured(t *testing.T) {
	c, err := Parse(" Server.p99 > +5% ")
	if err != nil {
		t.Fatal(err)
	}
	met, err := c.Judge(subjects())
	const want = "Server.p99 > +5%: resnet50 Server performance 12.500 ms, was 10.000 ms"
	if err != nil || len(met) != 1 || met[0].String() != want || !c.IsChange() {
		t.Errorf("%v, %v", met, err)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "no operator",
		"p99":                      "no operator",
		"p99 = 3":                  "no operator",
		"> 3":                      "no metric",
		"Server. > 3":              "no metric",
		"/p99 > 3":                 "no model",
		"p99 p95 > 3":              "more than one name",
		"ttft p99 > 3s":            `joined by a dot: "ttft.p99"`,
		"p99  TTFT > 3s":           `joined by a dot: "TTFT.p99"`,
		"Server p99 > 3s":          `joined by a dot: "Server.p99"`,
		"p99 > ":                   "is no number",
		"p99 > +":                  "is no number",
		"p99 > fast":               "is no number",
		"p99 > 1e999":              "is no number",
		"p99 > nan":                "is no number",
		"p99 > 3 > 2":              "is no number",
		strings.Repeat("p", 2_000): "2000 characters",
		"p98 > 3ms":                `did you mean "p99"? (known: p99, p99.9, samples_per_second, overlatency, accuracy.F1)`,
		"p99 > 12%":                "the unit of p99 is ns, us, ms or s",
		"overlatency > 3ms":        "the unit of overlatency is none",
		"samples_per_second < 3ms": "the unit of samples_per_second is samples/s",
		"MultiStream.p99 > 3ms":    "there is no such run; there are resnet50 Server performance, bert-99.9",
		"llm/p99 > 3ms":            "there is no such run",
		"Offline.F1 < -1%":         "but bert-99.9 Offline accuracy has none",
		"overlatency > +1%":        "is 0",
		"tokens < 3":               "tokens is not measured here; it takes tokens",
	} {
		c, err := Parse(text)
		if err == nil {
			_, err = c.Judge(subjects())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestSubjects(t *testing.T) {
	a := record.Run{Model: "m", Scenario: "Offline", Mode: "accuracy", Status: record.Complete, Accuracy: &record.Accuracy{
		Verdict: judge.Verdict{Metrics: []judge.Metric{{Name: "F1", Value: 3}}}}}
	if s := RunSubjects([]record.Run{a}); len(s) != 1 || s[0].Name != "m Offline accuracy" || len(s[0].Metrics) != 1 {
		t.Errorf("%+v", s)
	}
	s := ComparisonSubjects(compare.Comparison{Pairs: []compare.ScenarioPair{{Model: "m", Scenario: "Server",
		Rows: []compare.FigureRow{
			{Name: "p99", Unit: "ms", Base: compare.FigureSample{Median: 1}, New: compare.FigureSample{Median: 2}}}}}})
	if len(s) != 1 || s[0].Metrics[0].Value != 2 || s[0].Base[0].Value != 1 {
		t.Errorf("%+v", s)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"Server.p99 > +5%", "p99>12ms", "bert-99.9/Offline.accuracy.F1 <= 90.5 %", "a!=-1e-3", "<>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		if c.Metric == "" || c.op == "" || math.IsNaN(c.value.Value) || math.IsInf(c.value.Value, 0) {
			t.Errorf("%q: %+v", text, c)
		}
		again, err := Parse(c.Text)
		if err != nil || again != c {
			t.Errorf("%q again: %+v, %v", c.Text, again, err)
		}
		_, _ = c.Judge(subjects())
	})
}
