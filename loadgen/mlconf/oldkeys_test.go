package mlconf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestKeysOfTheRound checks that each scenario of a user.conf is read like in the round's LoadGen.
func TestKeysOfTheRound(t *testing.T) {
	const old = "# all that files of these rounds hold\n*.*.qsl_rng_seed = 3\n*.Server.sample_index_rng_seed = 4\n" +
		"*.*.schedule_rng_seed = 5\n*.Server.target_duration = 60000\n*.Offline.target_latency_percentile = 90\n" +
		"*.SingleStream.target_qps = 7\nresnet50.MultiStream.target_qps = 15\n*.MultiStream.max_async_queries = 1\n" +
		"*.MultiStream.samples_per_query = 12\n*.Server.server_target_latency_percentile = 99\n"
	for round, want := range map[string]struct {
		text     string
		seeds    [3]uint64 // in MultiStream; 0: those of the rules
		streams  uint64
		interval time.Duration
		fault    string
	}{
		"v0.5": {old, [3]uint64{3, 0, 5}, 12, 66666666, ""},
		"v0.7": {old, [3]uint64{3, 0, 5}, 12, 66666666, ""},
		"v1.0": {old, [3]uint64{3, 0, 5}, 12, 66666666, ""},
		"v1.1": {old, [3]uint64{3, 0, 5}, 12, 66666666, ""},
		"v2.0": {"*.*.qsl_rng_seed = 3\n", [3]uint64{3, 0, 0}, 8, 0, ""},
		"v4.1": {"*.MultiStream.sample_index_rng_seed = 3\n", [3]uint64{0, 3, 0}, 8, 0, ""},
		"v5.0": {"*.*.qsl_rng_seed = 3\n", [3]uint64{}, 8, 0, "qsl_rng_seed: is ignored in a user.conf: the rules set it"},
		"v6.1": {"*.MultiStream.target_qps = 3\n", [3]uint64{}, 8, 0, "target_qps: is ignored under MultiStream"},
		"":     {"*.Server.target_duration = 3\n", [3]uint64{}, 8, 0, "unknown key"},
	} {
		path := filepath.Join(t.TempDir(), "user.conf")
		if err := os.WriteFile(path, []byte(want.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, scenario := range loadgen.Scenarios() {
			o := mlconf.Options{Rules: round, Model: "resnet50", RulesModel: "resnet", Scenario: scenario,
				Mode: loadgen.PerformanceOnly}
			rules, err := mlconf.Load(o)
			if err != nil {
				t.Fatal(err)
			}
			o.Layers = []mlconf.Layer{mlconf.UserConf(path)}
			s, err := mlconf.Load(o)
			if want.fault != "" {
				if err == nil || !strings.Contains(err.Error(), want.fault) {
					t.Errorf("%s %v: %v, want %q", round, scenario, err, want.fault)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s %v: %v", round, scenario, err)
				continue
			}
			if scenario != loadgen.MultiStream {
				if s.MultiStreamArrivalInterval != rules.MultiStreamArrivalInterval {
					t.Errorf("%s %v: interval %v", round, scenario, s.MultiStreamArrivalInterval)
				}
				continue
			}
			checkSeeds(t, round, s, rules, want.seeds)
			if s.MultiStreamArrivalInterval != want.interval || s.MultiStreamSamplesPerQuery != want.streams {
				t.Errorf("%s: interval %v, %d samples", round, s.MultiStreamArrivalInterval, s.MultiStreamSamplesPerQuery)
			}
			checkOldOrigins(t, round, s, path)
		}
	}
}

// checkSeeds requires the seeds of a file, or those of the rules if want is 0.
func checkSeeds(t *testing.T, round string, s, rules mlconf.Settings, want [3]uint64) {
	t.Helper()
	for i, c := range []struct{ got, rules uint64 }{{s.QSLRNGSeed, rules.QSLRNGSeed},
		{s.SampleIndexRNGSeed, rules.SampleIndexRNGSeed}, {s.ScheduleRNGSeed, rules.ScheduleRNGSeed}} {
		if seed := want[i]; c.got != seed && (seed != 0 || c.got != c.rules) {
			t.Errorf("%s: seed %d is %d", round, i, c.got)
		}
	}
}

// checkOldOrigins requires the file as the origin of an interval, and a note on ignored keys.
func checkOldOrigins(t *testing.T, round string, s mlconf.Settings, path string) {
	t.Helper()
	if s.MultiStreamArrivalInterval == 0 {
		return
	}
	origin := s.Origins["MultiStreamArrivalInterval"]
	if origin.Source != path || origin.Line != 8 || origin.Key != "resnet50.MultiStream.target_qps" {
		t.Errorf("%s: the interval is from %+v", round, origin)
	}
	var notes []string
	for _, n := range s.Notes {
		notes = append(notes, n.String())
	}
	all := strings.Join(notes, "\n")
	for _, want := range []string{"target_duration", "Offline.target_latency_percentile", "SingleStream.target_qps",
		"server_target_latency_percentile"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s: no note names %s:\n%s", round, want, all)
		}
	}
}

// TestFaultsOfOldFiles requires faults for entries that the round's LoadGen refused or that ours does not support.
func TestFaultsOfOldFiles(t *testing.T) {
	for text, want := range map[string]string{
		"Same as the system's\n":                    "want KEY = VALUE",
		"*.MultiStream.target_qps = 0\n":            "want a number of queries per second above 0",
		"*.MultiStream.target_qps = inf\n":          "want a number of queries per second above 0",
		"*.MultiStream.target_qps = -15\n":          "want a number of queries per second above 0",
		"*.MultiStream.target_qps = 1e12\n":         "want a number of queries per second above 0",
		"*.MultiStream.max_async_queries = 4\n":     "want 1",
		"*.*.qsl_rng_seed = -3\n":                   "want a whole number",
		"*.*.qsl_rng_seed = many\n":                 "want a number",
		"*.MultiStream.arrival_interval = 50\n":     "the rules set it",
		"*.*.no_early_stopping = 0\n":               "the rules set it",
		"*.MultiStream.count_dropped_queries = 0\n": "the rules set it",
	} {
		path := filepath.Join(t.TempDir(), "user.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := mlconf.Load(mlconf.Options{Rules: "v0.7", Model: "resnet50", Scenario: loadgen.MultiStream,
			Layers: []mlconf.Layer{mlconf.UserConf(path)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestOfficialReadsOldFiles checks that Official reads the same keys.
func TestOfficialReadsOldFiles(t *testing.T) {
	text := "*.*.qsl_rng_seed = 3\n*.MultiStream.target_qps = 20\n"
	for round, want := range map[string]struct {
		seed     bool
		interval time.Duration
	}{
		"v0.5": {true, 50 * time.Millisecond}, "v1.1": {true, 50 * time.Millisecond}, "v4.1": {true, 0}, "v5.0": {false, 0},
	} {
		o := mlconf.Official{Rules: round}
		s := loadgen.DefaultTestSettings()
		s.Scenario = loadgen.MultiStream
		code, err := o.FromConfig(&s, &text, "resnet50", "MultiStream", mlconf.ConfUser)
		if err != nil || code != mlconf.CodeOK || (s.QSLRNGSeed == 3) != want.seed ||
			s.MultiStreamArrivalInterval != want.interval {
			t.Errorf("%s: %d, %v, seed %d, interval %v", round, code, err, s.QSLRNGSeed, s.MultiStreamArrivalInterval)
		}
	}
}
