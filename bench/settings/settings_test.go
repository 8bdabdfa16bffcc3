package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

func request(profile Profile) Request {
	return Request{
		Model: sdk.ModelInfo{Name: "resnet50", LoadGenKey: "resnet50", Smoke: []sdk.SmokeSetting{
			{Scenario: loadgen.Server, Key: "min_duration", Value: "2000"},
			{Scenario: loadgen.Server, Key: "target_qps", Value: "50"},
			{Scenario: loadgen.Offline, Key: "min_duration", Value: "1"},
		}},
		Scenario: loadgen.Server, Mode: loadgen.PerformanceOnly, Profile: profile,
	}
}

func load(t *testing.T, r Request) Settings {
	t.Helper()
	s, err := Load(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func overrides(t *testing.T, texts ...string) (all []mlconf.Override) {
	t.Helper()
	for _, text := range texts {
		o, err := mlconf.ParseOverride(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// origins maps keys to origins.
func origins(s Settings) map[string]string {
	m := map[string]string{}
	for _, row := range s.Rows() {
		m[row.Key] = row.Origin
	}
	return m
}

func userConf(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "user.conf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProfiles(t *testing.T) {
	t.Run("official", func(t *testing.T) {
		s := load(t, request(Official))
		if s.Profile != Official || len(s.Deviations) != 0 || s.MinDuration != 600*time.Second {
			t.Errorf("%s, min_duration %v, deviations %v", s.Profile, s.MinDuration, s.Deviations)
		}
	})
	t.Run("smoke", func(t *testing.T) {
		s := load(t, request(Smoke))
		if s.Profile != Smoke || s.MinDuration != 2*time.Second || s.ServerTargetQPS != 50 {
			t.Errorf("%s, min_duration %v, target_qps %v", s.Profile, s.MinDuration, s.ServerTargetQPS)
		}
		if got := origins(s)["min_duration"]; got != "smoke settings of resnet50" {
			t.Errorf("origin %q", got)
		}
	})
	t.Run("smoke without smoke settings", func(t *testing.T) {
		r := request(Smoke)
		r.Scenario = loadgen.SingleStream
		if s := load(t, r); s.Profile != Smoke || s.MinDuration != 0 {
			t.Errorf("%s, min_duration %v, want smoke, as long as its queries take", s.Profile, s.MinDuration)
		}
		r.Scenario, r.Model.Smoke = loadgen.Server, nil
		if s := load(t, r); s.Profile != Official {
			t.Errorf("%s, want official: nothing of it is smoke", s.Profile)
		}
	})
	t.Run("custom", func(t *testing.T) {
		r := request(Official)
		r.Overrides = overrides(t, "min_duration=100", "target_latency=99")
		s := load(t, r)
		want := []string{"min_duration = 100 ms, rules 600000 ms", "target_latency = 99 ms, rules 15 ms"}
		if s.Profile != Custom || !slices.Equal(s.Deviations, want) {
			t.Errorf("%s, %q, want %q", s.Profile, s.Deviations, want)
		}
	})
	t.Run("stricter than the rules", func(t *testing.T) {
		r := request(Official)
		r.Overrides = overrides(t, "min_duration=700000", "target_latency=10", "target_qps=7",
			"min_query_count=1000")
		if s := load(t, r); s.Profile != Official || len(s.Deviations) != 0 {
			t.Errorf("%s, %q, want official", s.Profile, s.Deviations)
		}
	})
}

func TestUserConfBeatsSmokeSettings(t *testing.T) {
	r := request(Smoke)
	r.UserConf = userConf(t, "*.Server.target_qps = 77\n")
	s := load(t, r)
	if s.ServerTargetQPS != 77 || s.MinDuration != 2*time.Second {
		t.Errorf("target_qps %v, min_duration %v; want the user's 77 and smoke's 2 s", s.ServerTargetQPS, s.MinDuration)
	}
	if got := origins(s)["target_qps"]; got != r.UserConf+":1 (*.Server.target_qps)" {
		t.Errorf("origin %q", got)
	}
}

func TestCommandLineBeatsAll(t *testing.T) {
	r := request(Smoke)
	r.UserConf = userConf(t, "*.Server.target_qps = 77\n")
	r.Overrides = overrides(t, "server.target_qps=8", "Offline.target_qps=9", "min_duration = 3")
	s := load(t, r)
	if s.ServerTargetQPS != 8 || s.MinDuration != 3*time.Millisecond {
		t.Errorf("target_qps %v, min_duration %v", s.ServerTargetQPS, s.MinDuration)
	}
	if got := origins(s)["target_qps"]; got != "flag --set" {
		t.Errorf("origin %q", got)
	}
}

func TestFaultsAreUsage(t *testing.T) {
	r := request(Official)
	r.Overrides = overrides(t, "min_duration=soon")
	if _, err := Load(r); exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), "min_duration") {
		t.Errorf("a value that is no number: %v", err)
	}
	r = request(Official)
	r.UserConf = filepath.Join(t.TempDir(), "no.conf")
	if _, err := Load(r); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("a missing user.conf: %v", err)
	}
}

func TestOverridesApplyWhereTheyMeanSomething(t *testing.T) {
	overrides := overrides(t, "target_qps=5", "Server.max_async_queries=3", "samples_per_query=4")
	for scenario, want := range map[loadgen.Scenario]int{
		loadgen.SingleStream: 0, loadgen.MultiStream: 1, loadgen.Server: 2, loadgen.Offline: 1,
	} {
		s := load(t, Request{Scenario: scenario, Overrides: overrides})
		if got := s.Applied[len(s.Applied)-1].Fields; len(got) != want {
			t.Errorf("%v takes %v, want %d", scenario, got, want)
		}
	}
}

// TestUserConfOfAnotherScenario checks that a rate of one scenario does not change the smoke settings and profiles of
// another.
func TestUserConfOfAnotherScenario(t *testing.T) {
	r := request(Smoke)
	r.Scenario = loadgen.Offline
	r.Model.Smoke = append(r.Model.Smoke, sdk.SmokeSetting{Scenario: loadgen.Offline, Key: "target_qps", Value: "300"})
	r.UserConf = userConf(t, "*.Server.target_qps = 77\n")
	s := load(t, r)
	if s.OfflineExpectedQPS != 300 || s.Profile != Smoke {
		t.Errorf("target_qps %v, %s; want the smoke settings' 300", s.OfflineExpectedQPS, s.Profile)
	}
	err := s.Suggest("a profile", mlconf.Override{All: true, Key: "target_qps", Value: "400"})
	if err != nil || s.OfflineExpectedQPS != 400 || origins(s)["target_qps"] != "a profile" {
		t.Errorf("target_qps %v of %s, %v; want the profile's 400", s.OfflineExpectedQPS, origins(s)["target_qps"], err)
	}
}

func TestSuggestLeavesWhatTheUserWrote(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"user.conf": func(r *Request) { r.UserConf = userConf(t, "*.Server.target_qps = 77\n") },
		"--set":     func(r *Request) { r.Overrides = overrides(t, "target_qps=77") },
		"audit":     func(r *Request) { r.Audit = userConf(t, "*.Server.target_qps = 77\n") },
	} {
		r := request(Smoke)
		change(&r)
		s := load(t, r)
		err := s.Suggest("a profile", mlconf.Override{All: true, Key: "target_qps", Value: "400"})
		if err != nil || s.ServerTargetQPS != 77 {
			t.Errorf("%s: target_qps %v, %v; want the user's 77", name, s.ServerTargetQPS, err)
		}
	}
}

// TestFaultsOfAllLayers checks that the faults of all sources are reported at once.
func TestFaultsOfAllLayers(t *testing.T) {
	r := request(Official)
	r.UserConf = userConf(t, "*.*.min_qery_count = 4\n")
	r.Overrides = overrides(t, "min_duration=soon")
	r.Audit = userConf(t, "*.*.qsl_rng_seed = 4\n")
	_, err := Load(r)
	for _, want := range []string{"min_qery_count", "soon", "qsl_rng_seed"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestUserConfCannotChangeTheMode(t *testing.T) {
	r := request(Official)
	r.UserConf = userConf(t, "*.*.mode = 1\n")
	if s := load(t, r); s.Mode != loadgen.PerformanceOnly {
		t.Errorf("mode %v", s.Mode)
	}
}

func TestRowsShowTheMode(t *testing.T) {
	r := request(Official)
	r.Mode = loadgen.AccuracyOnly
	row := load(t, r).Rows()[0]
	if row.Key != "mode" || row.Value != "AccuracyOnly" || row.Doc == "" {
		t.Errorf("first row %+v", row)
	}
}
