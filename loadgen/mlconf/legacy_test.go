package mlconf_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// legacy contains the settings of v0.5 or v0.7 for a model in a scenario.
type legacy struct {
	round, model string
	scenario     loadgen.Scenario
	queries      uint64
	percentile   float64
	limit        time.Duration // Server: the latency limit; MultiStream: the arrival interval
}

var legacyRules = []legacy{
	{"v0.5", "resnet50", loadgen.SingleStream, 1024, 0.9, 0},
	{"v0.5", "resnet50", loadgen.MultiStream, 270336, 0.99, 50 * time.Millisecond},
	{"v0.5", "mobilenet", loadgen.MultiStream, 270336, 0.99, 50 * time.Millisecond},
	{"v0.5", "ssd-resnet34", loadgen.MultiStream, 270336, 0.99, time.Second / 15},
	{"v0.5", "ssd-mobilenet", loadgen.MultiStream, 270336, 0.99, 50 * time.Millisecond},
	{"v0.5", "gnmt", loadgen.MultiStream, 90112, 0.97, 100 * time.Millisecond},
	{"v0.5", "resnet50", loadgen.Server, 270336, 0.99, 15 * time.Millisecond},
	{"v0.5", "mobilenet", loadgen.Server, 270336, 0.99, 10 * time.Millisecond},
	{"v0.5", "ssd-resnet34", loadgen.Server, 270336, 0.99, 100 * time.Millisecond},
	{"v0.5", "ssd-mobilenet", loadgen.Server, 270336, 0.99, 10 * time.Millisecond},
	{"v0.5", "gnmt", loadgen.Server, 90112, 0.97, 250 * time.Millisecond},
	{"v0.7", "resnet50", loadgen.SingleStream, 1024, 0.9, 0},
	{"v0.7", "resnet50", loadgen.MultiStream, 270336, 0.99, 50 * time.Millisecond},
	{"v0.7", "ssd-resnet34", loadgen.MultiStream, 270336, 0.99, time.Second / 15},
	{"v0.7", "ssd-mobilenet", loadgen.MultiStream, 270336, 0.99, 50 * time.Millisecond},
	{"v0.7", "resnet50", loadgen.Server, 270336, 0.99, 15 * time.Millisecond},
	{"v0.7", "ssd-resnet34", loadgen.Server, 270336, 0.99, 100 * time.Millisecond},
	{"v0.7", "rnnt", loadgen.Server, 270336, 0.99, time.Second},
	{"v0.7", "bert", loadgen.Server, 270336, 0.99, 130 * time.Millisecond},
	{"v0.7", "dlrm", loadgen.Server, 270336, 0.99, 30 * time.Millisecond},
}

func TestLegacySettings(t *testing.T) {
	for _, c := range legacyRules {
		s, err := mlconf.Load(mlconf.Options{Rules: c.round, Model: c.model, Scenario: c.scenario,
			Mode: loadgen.PerformanceOnly})
		if err != nil {
			t.Fatal(err)
		}
		percentile, limit := s.SingleStreamTargetLatencyPercentile, time.Duration(0)
		switch c.scenario {
		case loadgen.MultiStream:
			percentile, limit = s.MultiStreamTargetLatencyPercentile, s.MultiStreamArrivalInterval
		case loadgen.Server:
			percentile, limit = s.ServerTargetLatencyPercentile, s.ServerTargetLatency
		}
		if s.MinQueryCount != c.queries || percentile != c.percentile || limit != c.limit || s.MinDuration != time.Minute ||
			!s.NoEarlyStopping {
			t.Errorf("%+v: %d queries, percentile %v, limit %v, %v, no early stopping %v",
				c, s.MinQueryCount, percentile, limit, s.MinDuration, s.NoEarlyStopping)
		}
		if s.MultiStreamCountDropped != (c.round == "v0.5") {
			t.Errorf("%+v: count dropped queries %v", c, s.MultiStreamCountDropped)
		}
	}
}

// TestLegacyCountsFollowFromTheFormula compares every count of a scenario with a latency limit with the formula of the
// texts (appendix "Number of Queries"; equations 1 and 2 of the paper "MLPerf Inference Benchmark", section III-D): the
// size of a poll at 99 % confidence with a margin of a twentieth of the percentile's distance from 1, rounded up to a
// multiple of 8,192.
func TestLegacyCountsFollowFromTheFormula(t *testing.T) {
	const confidence, unit = 0.99, 1 << 13
	z := math.Sqrt2 * math.Erfinv(confidence)
	for _, c := range legacyRules {
		p, margin := c.percentile, (1-c.percentile)/20
		n := uint64(math.Round(z * z * p * (1 - p) / (margin * margin)))
		if want := (n + unit - 1) / unit * unit; c.limit > 0 && c.queries != want {
			t.Errorf("%+v: the formula gives %d", c, want)
		}
	}
}

func TestLegacyFacts(t *testing.T) {
	old, newer := rules(t, "v0.5"), rules(t, "v0.7")
	for model, want := range map[string]mlconf.Target{
		"resnet50":  {Metric: "acc", Value: 0.99 * 76.46},
		"mobilenet": {Metric: "acc", Value: 0.98 * 71.68}, "ssd-resnet34": {Metric: "mAP", Value: 0.99 * 20},
		"ssd-mobilenet": {Metric: "mAP", Value: 0.99 * 22}, "gnmt": {Metric: "bleu", Value: 0.99 * 23.9},
	} {
		got := old.Targets(model, "")
		if len(got) != 1 || got[0].Metric != want.Metric || got[0].Value < want.Value-1e-9 || got[0].Value > want.Value+1e-9 {
			t.Errorf("v0.5 %s: %v, want %v", model, got, want)
		}
	}
	if old.Runs("MultiStream") != 5 || old.Runs("Server") != 5 || newer.Runs("MultiStream") != 1 ||
		newer.Runs("Server") != 5 || rules(t, "").Runs("Server") != 1 {
		t.Error("runs")
	}
	if !newer.Has("dlrm-99.9") || newer.Has("gnmt") || !old.Has("gnmt") || old.Has("bert-99") {
		t.Error("models")
	}
	if newer.PerformanceSampleCount("rnnt") != 2513 || newer.LatencyLimit("bert-99", "Server") != 130*time.Millisecond {
		t.Error("counts and limits of v0.7")
	}
}

func TestRoundsWith(t *testing.T) {
	for model, want := range map[string]string{
		"ssd-resnet34": "v2.0 v1.1 v1.0 v0.7 v0.5", "gnmt": "v0.5", "nobodys": "", "yolo-99": "v6.1 v6.0",
		"resnet50": strings.Join(mlconf.Rounds(), " "), "resnet": strings.Join(mlconf.Rounds(), " "),
		"gptj-99": "v5.0 v4.1 v4.0 v3.1",
	} {
		if got := strings.Join(mlconf.RoundsWith(model), " "); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
}

// TestWhatV05RanAndWhatItsTextHas checks that v0.5 ran MultiStream with more queries and a higher percentile than its
// text requires.
func TestWhatV05RanAndWhatItsTextHas(t *testing.T) {
	for _, model := range []string{"resnet50", "gnmt"} {
		s, err := mlconf.Load(mlconf.Options{Rules: "v0.5",
			Model: model, Scenario: loadgen.MultiStream, Mode: loadgen.PerformanceOnly})
		if err != nil {
			t.Fatal(err)
		}
		for field, want := range map[string]string{"MinQueryCount": "24576", "MultiStreamTargetLatencyPercentile": "90",
			"MinDuration": ""} {
			if o := s.Origins[field]; o.Otherwise != want || o.Source != "rules v0.5" {
				t.Errorf("%s of %s: %+v, want the text's %q beside it", field, model, o, want)
			}
		}
	}
}

// TestWhatV07RanAndWhatItsTextHas checks that the text of v0.7 requires fewer queries and a lower percentile for models
// other than image models.
func TestWhatV07RanAndWhatItsTextHas(t *testing.T) {
	for _, model := range []string{"rnnt", "bert", "dlrm"} {
		s, err := mlconf.Load(mlconf.Options{Rules: "v0.7",
			Model: model, Scenario: loadgen.Server, Mode: loadgen.PerformanceOnly})
		if err != nil {
			t.Fatal(err)
		}
		for field, want := range map[string]string{"MinQueryCount": "90112", "ServerTargetLatencyPercentile": "97"} {
			if o := s.Origins[field]; o.Otherwise != want {
				t.Errorf("%s of %s: %+v, want the text's %q beside it", field, model, o, want)
			}
		}
	}
}
