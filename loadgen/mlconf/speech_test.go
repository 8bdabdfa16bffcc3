package mlconf_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// rnntRound contains the settings of a round for rnnt, from its mlperf.conf. If a scenario has no number of queries
// there, it has LoadGen's default of 100.
type rnntRound struct {
	name                           string
	duration                       time.Duration
	singleStream, server, offline  uint64 // minimum queries; in Offline samples
	qsl, sampleIndex, scheduleSeed uint64
	optionalServer                 bool // in the datacenter category
}

var rnntRounds = []rnntRound{
	{"v0.7", time.Minute, 1024, 270336, 24576,
		12786827339337101903, 12640797754436136668, 3135815929913719677, false},
	{"v1.0", 10 * time.Minute, 1024, 270336, 24576,
		7322528924094909334, 1570999273408051088, 3507442325620259414, true},
	{"v1.1", 10 * time.Minute, 1024, 270336, 24576,
		1624344308455410291, 517984244576520566, 10051496985653635065, true},
	{"v2.0", 10 * time.Minute, 1024, 270336, 24576,
		6655344265603136530, 15863379492028895792, 12662793979680847247, false},
	{"v2.1", 10 * time.Minute, 1024, 270336, 24576,
		14284205019438841327, 4163916728725999944, 299063814864929621, false},
	{"v3.0", 10 * time.Minute, 1024, 270336, 24576,
		10003631887983097364, 17183018601990103738, 12134888396634371638, false},
	{"v3.1", 10 * time.Minute, 100, 100, 24576,
		148687905518835231, 520418551913322573, 811580660758947900, false},
	{"v4.0", 10 * time.Minute, 100, 100, 2513,
		13281865557512327830, 198141574272810017, 7575108116881280410, false},
}

func TestSettingsOfRNNT(t *testing.T) {
	for _, c := range rnntRounds {
		for scenario, queries := range map[loadgen.Scenario]uint64{
			loadgen.SingleStream: c.singleStream, loadgen.Server: c.server, loadgen.Offline: c.offline,
		} {
			s, err := mlconf.Load(mlconf.Options{
				Rules: c.name, Model: "rnnt", Scenario: scenario, Mode: loadgen.PerformanceOnly,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := []any{s.MinQueryCount, s.MinDuration, s.PerformanceSampleCountOverride, s.QSLRNGSeed, s.SampleIndexRNGSeed,
				s.ScheduleRNGSeed, s.SampleConcatenatePermutation}
			want := []any{queries, c.duration, uint64(2513), c.qsl, c.sampleIndex, c.scheduleSeed, false}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s %v: got %v, want %v", c.name, scenario, got, want)
			}
			if scenario == loadgen.Server &&
				(s.ServerTargetLatency != time.Second || s.ServerTargetLatencyPercentile != 0.99) {
				t.Errorf("%s: limit %v at %v", c.name, s.ServerTargetLatency, s.ServerTargetLatencyPercentile)
			}
		}
	}
}

func TestRulesOfRNNT(t *testing.T) {
	for _, c := range rnntRounds {
		r := rules(t, c.name)
		if got := r.Targets("rnnt", "Server"); !slices.Equal(got, []mlconf.Target{{Metric: "WER", Value: 91.62252}}) {
			t.Errorf("%s: targets %v", c.name, got)
		}
		required, optional := []string{"Server", "Offline"}, []string(nil)
		if c.optionalServer {
			required, optional = []string{"Offline"}, []string{"Server"}
		}
		if got := r.RequiredScenarios("rnnt", mlconf.Datacenter); !slices.Equal(got, required) {
			t.Errorf("%s: datacenter %q, want %q", c.name, got, required)
		}
		if got := r.OptionalScenarios("rnnt", mlconf.Datacenter); !slices.Equal(got, optional) {
			t.Errorf("%s: datacenter may have %q, want %q", c.name, got, optional)
		}
		if got := r.RequiredScenarios("rnnt", mlconf.Edge); !slices.Equal(got, []string{"SingleStream", "Offline"}) {
			t.Errorf("%s: edge %q", c.name, got)
		}
		if r.LatencyLimit("rnnt", "Server") != time.Second || r.PerformanceSampleCount("rnnt") != 2513 {
			t.Errorf("%s: limit or samples", c.name)
		}
		if got := r.Audits("rnnt"); !slices.Equal(got, []string{"TEST01", "TEST05"}) {
			t.Errorf("%s: audits %q", c.name, got)
		}
	}
	if newest := rules(t, ""); newest.Has("rnnt") || newest.OfflineSamples("rnnt") != 2513 {
		t.Error("v6.1 lists rnnt, or has lost its lines")
	}
}

// TestRulesOfWhisper checks that whisper exists from v5.1 on, only in Offline.
func TestRulesOfWhisper(t *testing.T) {
	for _, name := range []string{"v5.1", "v6.0", "v6.1"} {
		s, err := mlconf.Load(mlconf.Options{
			Rules: name, Model: "whisper", Scenario: loadgen.Offline, Mode: loadgen.PerformanceOnly,
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.MinQueryCount != 1633 || s.PerformanceSampleCountOverride != 1633 || !s.SampleConcatenatePermutation ||
			!s.UseTokenLatencies || s.MinDuration != 10*time.Minute {
			t.Errorf("%s: %+v", name, s.TestSettings)
		}
		r := rules(t, name)
		if got := r.Targets("whisper", ""); !slices.Equal(got, []mlconf.Target{{Metric: "ACCURACY", Value: 96.953571}}) {
			t.Errorf("%s: targets %v", name, got)
		}
		for _, system := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
			if got := r.RequiredScenarios("whisper", system); !slices.Equal(got, []string{"Offline"}) {
				t.Errorf("%s %s: %q", name, system, got)
			}
		}
		metric, ok := r.Metric("whisper", "Offline")
		if !ok || metric.Key != "result_tokens_per_second" || r.DatasetSize("whisper") != 1633 {
			t.Errorf("%s: metric %+v, %d samples", name, metric, r.DatasetSize("whisper"))
		}
		if got := r.Audits("whisper"); !slices.Equal(got, []string{"TEST01"}) {
			t.Errorf("%s: audits %q", name, got)
		}
	}
	if rules(t, "v5.0").Has("whisper") {
		t.Error("v5.0 lists whisper")
	}
}
