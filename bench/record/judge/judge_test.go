package judge

import (
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func model() sdk.ModelInfo {
	return sdk.ModelInfo{
		Files: []sdk.ModelFile{
			{Embedded: true, Precision: "fp32", Reference: []sdk.Metric{{Name: "accuracy", Value: 95}}},
			{Embedded: true, Precision: "int8", Reference: []sdk.Metric{{Name: "accuracy", Value: 94}}},
			{Precision: "fp32", Reference: []sdk.Metric{{Name: "accuracy", Value: 76.456}}},
		},
		Datasets: []sdk.DatasetInfo{{Name: "synthetic", Embedded: true, Samples: 100}, {Name: "imagenet", Samples: 50000}},
		Metrics:  []sdk.MetricInfo{{Name: "accuracy", Unit: "%", Reference: 76.46, Target: 75.6954, Upper: 90, Share: 0.99}},
	}
}

func TestJudge(t *testing.T) {
	cases := []struct {
		name          string
		own, embedded bool
		samples       int
		value         float64
		want          Outcome
		text          string
	}{
		{"official, met", true, false, 50000, 75.6954, Pass, "99.0 % of FP32: passes the 99 % target"},
		{"official, missed by little", true, false, 50000, 75.6953, Below,
			"98.9 % of FP32: below the 99 % target of 75.695 %"},
		{"official, too good", true, false, 50000, 91, Above, "above the upper limit of 90.000 %"},
		{"official, not a number", true, false, 50000, math.NaN(), Below, "below"},
		{"subset", true, false, 300, 1, Informational, ""},
		{"own data, embedded model", true, true, 50000, 75, Below, ""},
		{"card, met", false, true, 100, 94.05, Pass, "99.0 % of FP32: passes the 99 % target"},
		{"card, missed", false, true, 100, 94.0499, Below, "98.9 % of FP32: below the 99 % target of 94.050 %"},
		{"card, the reference itself", false, true, 100, 95, Pass, "100.0 % of FP32"},
		{"card, first samples only", false, true, 10, 1, Informational, ""},
		{"own model on the plugin's data", false, false, 100, 1, Informational, ""},
	}
	for _, c := range cases {
		score := sdk.Score{Samples: c.samples, Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: c.value}}}
		v := Judge(Case{Model: model(), Own: c.own, Embedded: c.embedded, Score: score})
		if v.Outcome != c.want || v.Metrics[0].Outcome != c.want || !strings.Contains(v.Metrics[0].Text, c.text) {
			t.Errorf("%s: %+v, want %s with %q", c.name, v, c.want, c.text)
		}
		if v.OK() != (c.want == Pass || c.want == Informational) {
			t.Errorf("%s: OK() = %v", c.name, v.OK())
		}
		if v.Basis == "" {
			t.Errorf("%s: no basis is given", c.name)
		}
	}
}

func TestWorstMetricCounts(t *testing.T) {
	m := model()
	m.Metrics = []sdk.MetricInfo{{Name: "rouge1", Target: 40}, {Name: "rouge2", Target: 20}, {Name: "length", Upper: 300}}
	judge := func(values ...float64) Outcome {
		score := sdk.Score{Samples: 50000}
		for i, name := range []string{"rouge1", "rouge2", "length"} {
			score.Metrics = append(score.Metrics, sdk.Metric{Name: name, Value: values[i]})
		}
		return Judge(Case{Model: m, Own: true, Score: score}).Outcome
	}
	if got := judge(41, 21, 299); got != Pass {
		t.Errorf("all met: %s", got)
	}
	if got := judge(41, 19, 299); got != Below {
		t.Errorf("second missed: %s", got)
	}
	if got := judge(41, 21, 301); got != Above {
		t.Errorf("third above its limit: %s", got)
	}
}

func TestSeveralOfficialDataSets(t *testing.T) {
	m := model()
	m.Datasets = append(m.Datasets, sdk.DatasetInfo{Name: "edge", Samples: 5000})
	for samples, want := range map[int]string{50000: "imagenet", 5000: "edge", 7: "imagenet"} {
		score := sdk.Score{Samples: samples, Metrics: []sdk.Metric{{Name: "accuracy", Value: 80}}}
		if v := Judge(Case{Model: m, Own: true, Score: score}); !strings.Contains(v.Basis, want) {
			t.Errorf("%d samples: %q, want %s", samples, v.Basis, want)
		}
	}
}

func TestCardKeepsTheUpperLimitsRatio(t *testing.T) {
	m := model()
	m.Metrics = []sdk.MetricInfo{{Name: "accuracy", Reference: 100, Target: 90, Upper: 110, Share: 0.9}}
	for value, want := range map[float64]Outcome{95 * 0.89: Below, 95: Pass, 95 * 1.11: Above} {
		score := sdk.Score{Samples: 100, Metrics: []sdk.Metric{{Name: "accuracy", Value: value}}}
		if got := Judge(Case{Model: m, Embedded: true, Score: score}).Outcome; got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
}

func TestRangeOfTheEmbeddedFiles(t *testing.T) {
	m := model()
	m.Metrics = []sdk.MetricInfo{{
		Name: "accuracy", Reference: 100, Target: 99, Upper: 101, Share: 0.99, EmbeddedLeast: 0.8, EmbeddedMost: 1.3,
	}}
	for value, want := range map[float64]Outcome{95 * 0.79: Below, 95 * 0.81: Pass, 95 * 1.29: Pass, 95 * 1.31: Above} {
		score := sdk.Score{Samples: 100, Metrics: []sdk.Metric{{Name: "accuracy", Value: value}}}
		if got := Judge(Case{Model: m, Embedded: true, Score: score}).Outcome; got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
}

// TestLowerIsBetter checks that a metric for which lower is better has only an upper limit, from the rules, the card
// and the user.
func TestLowerIsBetter(t *testing.T) {
	m := model()
	m.Metrics = []sdk.MetricInfo{{Name: "accuracy", Better: sdk.LowerBetter, Reference: 10, Upper: 12.5, Share: 0.8}}
	free := model()
	free.Metrics = []sdk.MetricInfo{{Name: "accuracy", Better: sdk.LowerBetter}}
	for _, c := range []struct {
		of     Case
		value  float64
		want   Outcome
		text   string
		metric Metric
	}{
		{Case{Model: m, Own: true}, 12.5, Pass, "passes the 80 % target", Metric{Upper: 12.5}},
		{Case{Model: m, Own: true}, 1, Pass, "passes", Metric{Upper: 12.5}},
		{Case{Model: m, Own: true}, 12.6, Above, "above the upper limit of 12.5", Metric{Upper: 12.5}},
		{Case{Model: m, Embedded: true}, 1, Pass, "passes", Metric{Upper: 95 / 0.8}},
		{Case{Model: m, Embedded: true}, 119, Above, "above", Metric{Upper: 95 / 0.8}},
		{Case{Model: free, Embedded: true}, 95, Pass, "passes the 99 % target", Metric{Upper: 95 / 0.99}},
		{Case{Model: free, Embedded: true}, 96, Above, "above", Metric{Upper: 95 / 0.99}},
		{Case{Model: free, Targets: map[string]float64{"accuracy": 5}}, 4, Pass, "passes the target of 5", Metric{Upper: 5}},
		{Case{Model: free, Targets: map[string]float64{"accuracy": 5}}, 6, Above, "above the target of 5", Metric{Upper: 5}},
		{Case{Model: free, Targets: map[string]float64{"accuracy": 0}}, 0.1, Above, "above the target of 0", Metric{}},
		{Case{Model: free, Targets: map[string]float64{"accuracy": 0}}, 0, Pass, "passes the target of 0", Metric{}},
		{Case{Model: m, Own: true}, math.NaN(), Below, "", Metric{Upper: 12.5}},
	} {
		c.of.Score = sdk.Score{Samples: 100, Metrics: []sdk.Metric{{Name: "accuracy", Value: c.value}}}
		if c.of.Own {
			c.of.Score.Samples = 50000
		}
		v := Judge(c.of)
		got := v.Metrics[0]
		if v.Outcome != c.want || !strings.Contains(got.Text, c.text) || got.Target != 0 ||
			math.Abs(float64(got.Upper-c.metric.Upper)) > 1e-9 || got.Better != sdk.LowerBetter {
			t.Errorf("%v: %s %+v, want %s", c.value, v.Outcome, got, c.want)
		}
	}
}

func TestNoReference(t *testing.T) {
	m := model()
	m.Files = nil
	score := sdk.Score{Samples: 100, Metrics: []sdk.Metric{{Name: "accuracy", Value: 1}}}
	if v := Judge(Case{Model: m, Embedded: true, Score: score}); v.Outcome != Informational ||
		!strings.Contains(v.Basis, "there is none") {
		t.Errorf("a card without reference: %+v", v)
	}
	m.Datasets = nil
	if v := Judge(Case{Model: m, Score: score}); v.Outcome != Informational || !strings.Contains(v.Basis, "not known") {
		t.Errorf("no data sets: %+v", v)
	}
}

func TestShares(t *testing.T) {
	for share, want := range map[float64]string{0.98979: "98.9 % of", 9.999: "999.9 % of", 12.39: "12.3 times"} {
		if got := shareText(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

func TestTargetsOfTheUser(t *testing.T) {
	score := sdk.Score{
		Samples: 7, Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 60},
			{Name: sdk.Agreement, Unit: "%", Value: 98.9}},
	}
	for _, c := range []struct {
		targets map[string]float64
		want    []Outcome
	}{
		{nil, []Outcome{Informational, Below}},
		{map[string]float64{"accuracy": 60, sdk.Agreement: 98}, []Outcome{Pass, Pass}},
		{map[string]float64{"accuracy": 60.1, sdk.Agreement: 0}, []Outcome{Below, Pass}},
	} {
		v := Judge(Case{Model: model(), Own: true, Score: score, Targets: c.targets})
		for i, m := range v.Metrics {
			if m.Outcome != c.want[i] {
				t.Errorf("%v: %s is %s, want %s", c.targets, m.Name, m.Outcome, c.want[i])
			}
		}
	}
	full := sdk.Score{Samples: 50000, Metrics: score.Metrics[:1]}
	if v := Judge(Case{
		Model: model(), Own: true, Score: full, Targets: map[string]float64{"accuracy": 59},
	}); v.Outcome != Pass || !strings.Contains(v.Basis, "user") {
		t.Errorf("a target in the place of the division's: %+v", v)
	}
	if err := (Case{Score: score, Targets: map[string]float64{"rouge1": 1}}).Check(); err == nil ||
		!strings.Contains(err.Error(), "accuracy, agreement") {
		t.Errorf("a target of no metric: %v", err)
	}
}
