package mlconf_test

import (
	"slices"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// middle contains the settings of a round from v1.0 to v4.1 for a model in a scenario.
type middle struct {
	round, model string
	scenario     loadgen.Scenario
	queries      uint64
	limit        time.Duration // Server: the latency limit; MultiStream: the arrival interval
	early        bool
}

var middleRules = []middle{
	{"v1.0", "resnet50", loadgen.MultiStream, 270336, 50 * time.Millisecond, false},
	{"v1.1", "ssd-resnet34", loadgen.MultiStream, 270336, time.Second / 15, false},
	{"v1.1", "dlrm", loadgen.Server, 270336, 30 * time.Millisecond, false},
	{"v2.0", "resnet50", loadgen.MultiStream, 270336, 0, true},
	{"v2.1", "retinanet", loadgen.Server, 270336, 100 * time.Millisecond, true},
	{"v3.0", "bert", loadgen.SingleStream, 1024, 0, true},
	{"v3.1", "gptj", loadgen.Server, 100, 20 * time.Second, true},
	{"v4.0", "resnet50", loadgen.MultiStream, 662, 0, true},
	{"v4.1", "3d-unet", loadgen.Offline, 43, 0, true},
}

func TestSettingsOfTheMiddleRounds(t *testing.T) {
	for _, c := range middleRules {
		s, err := mlconf.Load(mlconf.Options{
			Rules: c.round, Model: c.model, Scenario: c.scenario, Mode: loadgen.PerformanceOnly,
		})
		if err != nil {
			t.Fatal(err)
		}
		limit := time.Duration(0)
		switch c.scenario {
		case loadgen.MultiStream:
			limit = s.MultiStreamArrivalInterval
		case loadgen.Server:
			limit = s.ServerTargetLatency
		}
		if s.MinQueryCount != c.queries || limit != c.limit || s.NoEarlyStopping == c.early ||
			s.MinDuration != 10*time.Minute {
			t.Errorf("%+v: %d queries, limit %v, %v, no early stopping %v",
				c, s.MinQueryCount, limit, s.MinDuration, s.NoEarlyStopping)
		}
	}
}

// TestTokenLimitsAreOfTheirRound checks that llama2-70b has limits from v4.0 on, and the scaled gptj of v4.1.
func TestTokenLimitsAreOfTheirRound(t *testing.T) {
	for round, want := range map[string]bool{"v3.1": false, "v4.0": true, "v4.1": true} {
		s, err := mlconf.Load(mlconf.Options{
			Rules: round, Model: "llama2-70b", Scenario: loadgen.Server, Mode: loadgen.PerformanceOnly,
		})
		if err != nil || s.UseTokenLatencies != want {
			t.Errorf("%s: %v, token latencies %v", round, err, s.UseTokenLatencies)
		}
	}
}

func TestAuditsOfTheMiddleRounds(t *testing.T) {
	for round, want := range map[string][]string{
		"v1.0": {"TEST01", "TEST04-A", "TEST04-B", "TEST05"}, "v2.1": {"TEST01", "TEST04", "TEST05"},
		"v4.1": {"TEST01", "TEST04", "TEST05"}, "v5.0": {"TEST01", "TEST04"},
	} {
		if got := rules(t, round).Audits("resnet50"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", round, got, want)
		}
	}
	if got := rules(t, "v4.0").Audits("llama2-70b-99"); !slices.Equal(got, []string{"TEST06"}) {
		t.Errorf("llama2-70b-99: %q", got)
	}
}
