package mlconf_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// conf writes a user.conf and returns its path.
func conf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "user.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func userConf(path string) []mlconf.Layer { return []mlconf.Layer{mlconf.UserConf(path)} }

func TestLoadRules(t *testing.T) {
	s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Mode: loadgen.SubmissionRun})
	if err != nil {
		t.Fatal(err)
	}
	if s.Scenario != loadgen.Server || s.Mode != loadgen.SubmissionRun {
		t.Errorf("%v %v", s.Scenario, s.Mode)
	}
	if s.ServerTargetLatency != 15*time.Millisecond || s.ServerTargetLatencyPercentile != 0.99 ||
		s.MinDuration != 10*time.Minute ||
		s.PerformanceSampleCountOverride != 1024 || s.QSLRNGSeed != 2085463073848966840 {
		t.Errorf("%+v", s.TestSettings)
	}
	want := map[string]mlconf.Origin{
		"ServerTargetLatency": {Source: "rules v6.1", Key: "resnet50.Server.target_latency", Text: "15"},
		"QSLRNGSeed":          {Source: "rules v6.1", Key: "*.*.qsl_rng_seed", Text: "2085463073848966840"},
		"MinQueryCount":       {Source: "LoadGen default", Key: "min_query_count", Text: "100"},
	}
	for name, o := range want {
		if s.Origins[name] != o {
			t.Errorf("origin of %s: %+v, want %+v", name, s.Origins[name], o)
		}
	}
	for _, f := range loadgen.Fields() {
		if s.Origins[f.Name].Source == "" {
			t.Errorf("no origin of %s", f.Name)
		}
	}
}

func TestLoadPrecedence(t *testing.T) {
	path := conf(t, "# a comment\n*.Server.target_qps = 50\nresnet50.Server.min_duration = 0x3E8\n"+
		"*.SingleStream.target_latency = 0.0000005\n*.*.mode = 1\n")
	s, err := mlconf.Load(mlconf.Options{
		Rules: "v6.0", Model: "resnet50", Scenario: loadgen.Server, Mode: loadgen.PerformanceOnly,
		Layers: []mlconf.Layer{
			mlconf.Values("smoke", mlconf.Override{All: true, Key: "min_duration", Value: "5"}),
			mlconf.UserConf(path),
			mlconf.Values("flag --set",
				mlconf.Override{All: true, Key: "target_qps", Value: "75.5"},
				mlconf.Override{Scenario: loadgen.Server, Key: "target_qps", Value: "80"},
				mlconf.Override{Scenario: loadgen.Offline, Key: "target_qps", Value: "90"},
				mlconf.Override{All: true, Key: "samples_per_query", Value: "9"},
				mlconf.Override{All: true, Key: "qsl_rng_seed", Value: "7"},
				mlconf.Override{All: true, Key: "server_find_peak_qps_decimals_of_precision", Value: "2"},
				mlconf.Override{All: true, Key: "coalesce_queries", Value: "true"}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.ServerTargetQPS != 80 || s.MinDuration != time.Second || s.QSLRNGSeed != 7 ||
		s.SampleIndexRNGSeed != 14276810075590677512 ||
		s.ServerFindPeakQPSDecimalsOfPrecision != 2 || !s.ServerCoalesceQueries {
		t.Errorf("%+v", s.TestSettings)
	}
	if s.Mode != loadgen.PerformanceOnly || s.Origins["Mode"].Text != "2" {
		t.Errorf("mode %v, %+v: want the caller's", s.Mode, s.Origins["Mode"])
	}
	if s.SingleStreamExpectedLatency != 0 || s.SingleStreamExpectedLatencyFraction != 0.5 {
		t.Errorf("expected latency %v + %v ns", s.SingleStreamExpectedLatency, s.SingleStreamExpectedLatencyFraction)
	}
	if o := s.Origins["MinDuration"]; o != (mlconf.Origin{Source: path, Line: 3,
		Key: "resnet50.Server.min_duration", Text: "0x3E8"}) {
		t.Errorf("%+v", o)
	}
	if o := s.Origins["ServerTargetQPS"]; o != (mlconf.Origin{Source: "flag --set", Key: "target_qps", Text: "80"}) {
		t.Errorf("%+v", o)
	}
	applied(t, s, "rules v6.0", "smoke", path, "flag --set")
}

// applied requires the layers in order, and the minimum duration after each.
func applied(t *testing.T, s mlconf.Settings, sources ...string) {
	t.Helper()
	durations := []time.Duration{10 * time.Minute, 5 * time.Millisecond, time.Second, time.Second}
	if len(s.Applied) != len(sources) {
		t.Fatalf("%d layers, want %d", len(s.Applied), len(sources))
	}
	for i, a := range s.Applied {
		sets := slices.Contains(a.Fields, "MinDuration")
		if a.Source != sources[i] || a.After.MinDuration != durations[i] || sets != (i < 3) {
			t.Errorf("layer %d: %s, min_duration %v, sets it: %v", i, a.Source, a.After.MinDuration, sets)
		}
	}
	if s.Rules().MinDuration != durations[0] {
		t.Errorf("the rules' min_duration is %v", s.Rules().MinDuration)
	}
}

func TestSetChangesOneSetting(t *testing.T) {
	s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Offline})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Set("a profile", mlconf.Override{All: true, Key: "target_qps", Value: "12.5"})
	if err != nil || s.OfflineExpectedQPS != 12.5 || s.Origins["OfflineExpectedQPS"].Source != "a profile" {
		t.Errorf("%v, origin %+v, %v", s.OfflineExpectedQPS, s.Origins["OfflineExpectedQPS"], err)
	}
	err = s.Set("a profile", mlconf.Override{All: true, Key: "target_qps", Value: "fast"})
	if !errors.Is(err, mlconf.ErrConfig) || s.OfflineExpectedQPS != 12.5 {
		t.Errorf("%v, %v", s.OfflineExpectedQPS, err)
	}
}

// values returns a layer of one setting.
func values(key, value string) []mlconf.Layer {
	return []mlconf.Layer{mlconf.Values("flag", mlconf.Override{All: true, Key: key, Value: value})}
}

func TestOverrideReachesTheScenariosField(t *testing.T) {
	for scenario, get := range map[loadgen.Scenario]func(loadgen.TestSettings) time.Duration{
		loadgen.SingleStream: func(s loadgen.TestSettings) time.Duration { return s.SingleStreamExpectedLatency },
		loadgen.MultiStream:  func(s loadgen.TestSettings) time.Duration { return s.MultiStreamExpectedLatency },
		loadgen.Server:       func(s loadgen.TestSettings) time.Duration { return s.ServerTargetLatency },
	} {
		s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: scenario, Layers: values("target_latency", "33")})
		if err != nil || get(s.TestSettings) != 33*time.Millisecond {
			t.Errorf("%v: %v, %v", scenario, get(s.TestSettings), err)
		}
	}
	s, err := mlconf.Load(mlconf.Options{Model: "x", Scenario: loadgen.Server, Layers: values("ttft_latency", "44")})
	if err != nil || s.ServerTTFTLatency != 44*time.Millisecond || s.UseTokenLatencies {
		t.Errorf("ttft %v, %v", s.ServerTTFTLatency, err)
	}
}

// TestLoadFaults requires one error with all faults of all inputs, each with its position.
func TestLoadFaults(t *testing.T) {
	path := conf(t, strings.Join([]string{
		"*.*.min_qery_count = 4",              // 1
		"resnet5.Server.target_qps = 4",       // 2
		"*.Sever.target_qps = 4",              // 3
		"*.*.qsl_rng_seed = 4",                // 4
		"*.*.min_query_count = 4 # four",      // 5
		"*.*.max_query_count = many",          // 6
		"*.*.min_duration=5",                  // 7
		"*.*.min_duration 5",                  // 8
		"*.*.min_duration = 1 2",              // 9
		"*.*.min_duration = 1.5",              // 10
		"*.*.max_duration = -1",               // 11
		"*.Server.target_qps = -4",            // 12
		"*.Offline.ttft_latency = 4",          // 13
		"*.*.performance_issue_same = 2",      // 14
		"*.*.mode = 9",                        // 15
		"target_qps = 4",                      // 16
		"*.*.print_timestamps = 1",            // 17: good
		"*.*.print_timestamps = 0",            // 18
		"#note = x",                           // 19
		"#note",                               // 20: good
		"*.Server.max_async_queries =",        // 21
		"*.Server.target_latency = 1e30",      // 22
		"*.*.target_latency_percentile = 101", // 23
		"*.Server.coalesce_queries = nan",     // 24
	}, "\n"))
	_, err := mlconf.Load(mlconf.Options{
		Model: "resnet50", Scenario: loadgen.SingleStream,
		Layers: []mlconf.Layer{
			mlconf.UserConf(path),
			mlconf.Values("flag --set",
				mlconf.Override{All: true, Key: "target_qps", Value: "1"}, // other scenarios have it
				mlconf.Override{Scenario: loadgen.SingleStream, Key: "target_qps", Value: "1"},
				mlconf.Override{All: true, Key: "no_such_setting", Value: "1"},
				mlconf.Override{All: true, Key: "min_duration", Value: "soon"},
				mlconf.Override{All: true, Key: "min_duration", Value: "1.5"}),
			mlconf.Audit(filepath.Join(t.TempDir(), "none")),
		},
	})
	if !errors.Is(err, mlconf.ErrConfig) {
		t.Fatalf("error %v, want ErrConfig", err)
	}
	want := []string{
		`:1: *.*.min_qery_count: unknown key "min_qery_count", did you mean "min_query_count"?`,
		`:3: *.Sever.target_qps: unknown scenario "Sever", did you mean "Server"?`,
		`:4: *.*.qsl_rng_seed: is ignored in a user.conf: the rules set it`,
		`:5: *.*.min_query_count: want a number, found "#"; a comment needs a line of its own`,
		`:6: *.*.max_query_count: want a number, found "many"`,
		`:7: *.*.min_duration=5: has no value`,
		`:8: *.*.min_duration: want KEY = VALUE`,
		`:9: *.*.min_duration: has 2 values, want one`,
		`:10: *.*.min_duration: want a whole number of at least 0 in ms, found 1.5`,
		`:11: *.*.max_duration: want a whole number of at least 0 in ms, found -1`,
		`:12: *.Server.target_qps: want a number of at least 0 in queries/s, found -4`,
		`:13: *.Offline.ttft_latency: is ignored under Offline: it is read under Server`,
		`:14: *.*.performance_issue_same: want 0 or 1, found 2`,
		`:15: *.*.mode: want at most 3`,
		`:16: target_qps: want MODEL.SCENARIO.KEY`,
		`:19: a comment needs a space after #`,
		`:21: *.Server.max_async_queries: has no value`,
		`:22: *.Server.target_latency: want a whole number of at least 0 in ms, found 1e30`,
		`:23: *.*.target_latency_percentile: want at most 100 in %, found 101`,
		`:24: *.Server.coalesce_queries: want 0 or 1, found nan`,
		`flag --set: target_qps: no such setting of a SingleStream run`,
		`flag --set: no_such_setting: no such setting of a SingleStream run`,
		`flag --set: min_duration: want a number in ms, found "soon"`,
		`flag --set: min_duration: want a whole number of at least 0 in ms, found 1.5`,
		`none: audit settings cannot be read: no such file`,
	}
	lines := strings.Split(err.Error(), "\n")
	for i, w := range want {
		if i+1 >= len(lines) || !strings.Contains(lines[i+1], w) {
			t.Fatalf("fault %d: got %q\nwant %q\nin %v", i, append(lines, "nothing")[min(i+1, len(lines))], w, err)
		}
	}
	if len(lines) != len(want)+1 {
		t.Errorf("%d faults, want %d: %v", len(lines)-1, len(want), err)
	}
}

// TestLoadReportsUnreadKeys requires a note for a key that LoadGen ignores because another setting is missing, and for
// no other key.
func TestLoadReportsUnreadKeys(t *testing.T) {
	text := "*.Server.ttft_latency = 100\n*.*.token_latency_scaling_factor = 3\n"
	_, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Layers: userConf(conf(t, text))})
	for _, want := range []string{
		":1: *.Server.ttft_latency: is ignored without use_token_latencies = 1",
		":2: *.*.token_latency_scaling_factor: is ignored without infer_token_latencies = 1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	text += "*.*.use_token_latencies = 1\n*.*.infer_token_latencies = 1\n"
	s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Layers: userConf(conf(t, text))})
	if err != nil || s.ServerTTFTLatency != 100*time.Millisecond || s.TokenLatencyScalingFactor != 3 {
		t.Errorf("%v %d, %v", s.ServerTTFTLatency, s.TokenLatencyScalingFactor, err)
	}
}

// TestLoadNotesOtherModels requires one note for all lines of other models, and nothing else about them.
func TestLoadNotesOtherModels(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"*.*.min_query_count = 9\nfoo.Offline.min_query_count = 5\nbar.Sometimes.no_such_key = 5\n",
			"lines 2, 3: of other models (bar, foo): ignored in a run of resnet50"},
		{"resnet5.Server.min_query_count = 4\n", "line 1: of resnet5, which is not resnet50: ignored"},
		{strings.Repeat("x.Server.target_qps = 4\n", 7), "lines 1, 2, 3, 4, 5 and 2 more: of other models (x)"},
	} {
		s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Layers: userConf(conf(t, c.text))})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		wantNotes(t, s.Notes, c.want)
	}
}

// TestLoadNearestKey requires an error that suggests the nearest key for an unknown one, or a note on request.
func TestLoadNearestKey(t *testing.T) {
	path := filepath.Join("testdata", "found", "user_unknown_key.conf")
	o := mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Layers: userConf(path)}
	_, err := mlconf.Load(o)
	want := `unknown key "performance_sample_count", did you mean "performance_sample_count_override"?`
	if !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	o.IgnoreUnknownKeys = true
	s, err := mlconf.Load(o)
	if err != nil || s.ServerTargetQPS != 5 {
		t.Errorf("%v queries/s, error %v", s.ServerTargetQPS, err)
	}
	wantNotes(t, s.Notes, "line 2: LoadGen does not know performance_sample_count: ignored")
}

// TestFaultsAreBounded requires errors of up to 50 lines with up to 200 characters and without control characters for
// any file.
func TestFaultsAreBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("*.*.no_such_key = 4\n", 20000),
		strings.Repeat("x", 900000),
		"*.*." + strings.Repeat("key", 100000) + " = 4\n\x1b[31m\u0085.a.b = 5\n",
		strings.Repeat("*.*.min_query_count = "+strings.Repeat("é", 500)+"\n", 500),
	} {
		_, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Layers: userConf(conf(t, text))})
		if err == nil {
			t.Fatalf("%.40q: no error", text)
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) > 50 {
			t.Errorf("%.40q: %d lines", text, len(lines))
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 200 || strings.ContainsAny(line, "\x1b\u0085") {
				t.Errorf("%.40q: line %q", text, line)
			}
		}
	}
}

// TestLoadWantsASmallRegularFile requires an error for files that cannot be read to an end, or only once.
func TestLoadWantsASmallRegularFile(t *testing.T) {
	for path, want := range map[string]string{
		"/dev/zero": "/dev/zero: cannot be read: is not a regular file",
		conf(t, strings.Repeat("# padding\n", 120000)): "has more than 1048576 bytes",
	} {
		o := mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Layers: userConf(path)}
		if _, err := mlconf.Load(o); !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("user.conf %s: %v, want %q", path, err, want)
		}
		o.Layers = []mlconf.Layer{mlconf.Audit(path)}
		if _, err := mlconf.Load(o); !errors.Is(err, mlconf.ErrConfig) ||
			!strings.Contains(err.Error(), want[strings.LastIndex(want, ":")+1:]) {
			t.Errorf("audit settings %s: %v, want %q", path, err, want)
		}
	}
}

func TestLoadUnknownInputs(t *testing.T) {
	for _, c := range []struct {
		o    mlconf.Options
		want string
	}{
		{mlconf.Options{Rules: "v9"}, `unknown rules "v9", want one of v6.1`},
		{mlconf.Options{Layers: userConf(filepath.Join(t.TempDir(), "none.conf"))}, "none.conf: cannot be read"},
		{mlconf.Options{Layers: userConf(t.TempDir())}, "cannot be read"},
	} {
		if _, err := mlconf.Load(c.o); !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// TestLoadGivesTestableSettings loads the settings of every model in the rules in every scenario.
func TestLoadGivesTestableSettings(t *testing.T) {
	for _, round := range mlconf.Rounds() {
		for _, model := range []string{"resnet50", "bert", "3d-unet", "dlrm-v2", "stable-diffusion-xl", "somebody-elses"} {
			for _, scenario := range loadgen.Scenarios() {
				s, err := mlconf.Load(mlconf.Options{Rules: round, Model: model, Scenario: scenario})
				least := 10 * time.Minute
				if strings.HasPrefix(round, "v0.") {
					least = time.Minute
				}
				if err != nil || s.MinDuration != least || s.QSLRNGSeed == 0 {
					t.Errorf("%s %s %v: %v, %v", round, model, scenario, s.MinDuration, err)
				}
			}
		}
	}
}

func FuzzUserConf(f *testing.F) {
	f.Add("*.*.min_query_count = 4\n# c\nm.Server.target_qps = 1e3\n")
	f.Add("a.b.c = 0x10 # d")
	f.Add("*.*.max_duration = -18446744073709551617\n*.Server.target_latency = 09\n")
	f.Fuzz(func(t *testing.T, text string) {
		problems, _ := mlconf.Check("f", text, "", nil, false)
		var o mlconf.Official
		s := loadgen.DefaultTestSettings()
		code, err := o.FromConfig(&s, &text, "m", "Server", mlconf.ConfAudit)
		if err != nil {
			t.Fatal(err)
		}
		if code != mlconf.CodeOK && len(problems) == 0 {
			t.Errorf("FromConfig rejects what Check accepts: %q", text)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Line > strings.Count(text, "\n")+1 || p.Text == "" {
				t.Errorf("problem %+v of %q", p, text)
			}
		}
	})
}
