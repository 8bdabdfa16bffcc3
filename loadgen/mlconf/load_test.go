package mlconf_test

import (
	"errors"
	"os"
	"path/filepath"
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

func TestLoadRules(t *testing.T) {
	s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Mode: loadgen.SubmissionRun})
	if err != nil {
		t.Fatal(err)
	}
	if s.Scenario != loadgen.Server || s.Mode != loadgen.SubmissionRun {
		t.Errorf("%v %v", s.Scenario, s.Mode)
	}
	if s.ServerTargetLatency != 15*time.Millisecond || s.ServerTargetLatencyPercentile != 0.99 || s.MinDuration != 10*time.Minute ||
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
	for _, f := range mlconf.Fields() {
		if s.Origins[f.Name].Source == "" {
			t.Errorf("no origin of %s", f.Name)
		}
	}
}

func TestLoadPrecedence(t *testing.T) {
	path := conf(t, "# a comment\n*.Server.target_qps = 50\nresnet50.Server.min_duration = 0x3E8\n*.SingleStream.target_latency = 0.0000005\n*.*.mode = 1\n")
	s, err := mlconf.Load(mlconf.Options{
		Rules: "v6.0", Model: "resnet50", Scenario: loadgen.Server, Mode: loadgen.PerformanceOnly, UserConf: path,
		Overrides: []mlconf.Override{
			{Key: "target_qps", Value: "75.5", Source: "flag --target-qps"},
			{Key: "target_qps", Value: "80", Source: "flag --target-qps"},
			{Key: "qsl_rng_seed", Value: "7", Source: "flag --seed"},
			{Key: "server_find_peak_qps_decimals_of_precision", Value: "2", Source: "flag"},
			{Key: "coalesce_queries", Value: "true", Source: "flag"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.ServerTargetQPS != 80 || s.MinDuration != time.Second || s.QSLRNGSeed != 7 || s.SampleIndexRNGSeed != 14276810075590677512 ||
		s.ServerFindPeakQPSDecimalsOfPrecision != 2 || !s.ServerCoalesceQueries {
		t.Errorf("%+v", s.TestSettings)
	}
	if s.Mode != loadgen.PerformanceOnly || s.Origins["Mode"].Text != "2" {
		t.Errorf("mode %v, %+v: want the caller's", s.Mode, s.Origins["Mode"])
	}
	if s.SingleStreamExpectedLatency != 0 || s.SingleStreamExpectedLatencyFraction != 0.5 {
		t.Errorf("expected latency %v + %v ns", s.SingleStreamExpectedLatency, s.SingleStreamExpectedLatencyFraction)
	}
	if o := s.Origins["MinDuration"]; o != (mlconf.Origin{Source: path, Line: 3, Key: "resnet50.Server.min_duration", Text: "0x3E8"}) {
		t.Errorf("%+v", o)
	}
	if o := s.Origins["ServerTargetQPS"]; o != (mlconf.Origin{Source: "flag --target-qps", Key: "target_qps", Text: "80"}) {
		t.Errorf("%+v", o)
	}
}

func TestOverrideReachesTheScenariosField(t *testing.T) {
	for scenario, get := range map[loadgen.Scenario]func(loadgen.TestSettings) time.Duration{
		loadgen.SingleStream: func(s loadgen.TestSettings) time.Duration { return s.SingleStreamExpectedLatency },
		loadgen.MultiStream:  func(s loadgen.TestSettings) time.Duration { return s.MultiStreamExpectedLatency },
		loadgen.Server:       func(s loadgen.TestSettings) time.Duration { return s.ServerTargetLatency },
	} {
		s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: scenario, Overrides: []mlconf.Override{{Key: "target_latency", Value: "33"}}})
		if err != nil || get(s.TestSettings) != 33*time.Millisecond {
			t.Errorf("%v: %v, %v", scenario, get(s.TestSettings), err)
		}
	}
	s, err := mlconf.Load(mlconf.Options{Model: "x", Scenario: loadgen.Server, Overrides: []mlconf.Override{{Key: "ttft_latency", Value: "44"}}})
	if err != nil || s.ServerTTFTLatency != 44*time.Millisecond || s.UseTokenLatencies {
		t.Errorf("ttft %v, %v", s.ServerTTFTLatency, err)
	}
}

// TestLoadFaults expects all faults of all inputs in one error, each with its place.
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
		Model: "resnet50", Scenario: loadgen.SingleStream, UserConf: path,
		Overrides: []mlconf.Override{
			{Key: "target_qps", Value: "1", Source: "flag --target-qps"},
			{Key: "min_duration", Value: "soon", Source: "flag --min-duration"},
			{Key: "min_duration", Value: "1.5", Source: "flag --min-duration"},
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
		`:18: *.*.print_timestamps: is set on line 17 already`,
		`:19: a comment needs a space after #`,
		`:21: *.Server.max_async_queries: has no value`,
		`:22: *.Server.target_latency: want a whole number of at least 0 in ms, found 1e30`,
		`:23: *.*.target_latency_percentile: want at most 100 in %, found 101`,
		`:24: *.Server.coalesce_queries: want 0 or 1, found nan`,
		`flag --target-qps: target_qps: no such setting of a SingleStream run`,
		`flag --min-duration: min_duration: want a number in ms, found "soon"`,
		`flag --min-duration: min_duration: want a whole number of at least 0 in ms, found 1.5`,
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

// TestLoadReportsUnreadKeys expects a key that another setting keeps from being read to be reported, and no other.
func TestLoadReportsUnreadKeys(t *testing.T) {
	text := "*.Server.ttft_latency = 100\n*.*.token_latency_scaling_factor = 3\n"
	_, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, UserConf: conf(t, text)})
	for _, want := range []string{
		":1: *.Server.ttft_latency: is ignored without use_token_latencies = 1",
		":2: *.*.token_latency_scaling_factor: is ignored without infer_token_latencies = 1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	text += "*.*.use_token_latencies = 1\n*.*.infer_token_latencies = 1\n"
	s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, UserConf: conf(t, text)})
	if err != nil || s.ServerTTFTLatency != 100*time.Millisecond || s.TokenLatencyScalingFactor != 3 {
		t.Errorf("%v %d, %v", s.ServerTTFTLatency, s.TokenLatencyScalingFactor, err)
	}
}

// TestLoadNotesOtherModels wants lines of other models to be noted, in one note for all, and nothing else of them.
func TestLoadNotesOtherModels(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"*.*.min_query_count = 9\nfoo.Offline.min_query_count = 5\nbar.Sometimes.no_such_key = 5\n",
			"lines 2, 3: of other models (bar, foo): ignored in a run of resnet50"},
		{"resnet5.Server.min_query_count = 4\n", "line 1: of resnet5, which is not resnet50: ignored"},
		{strings.Repeat("x.Server.target_qps = 4\n", 7), "lines 1, 2, 3, 4, 5 and 2 more: of other models (x)"},
	} {
		s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, UserConf: conf(t, c.text)})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		wantNotes(t, s.Notes, c.want)
	}
}

// TestLoadNearestKey wants an unknown key to be an error that names the nearest, or when asked a note.
func TestLoadNearestKey(t *testing.T) {
	o := mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, UserConf: filepath.Join("testdata", "found", "user_unknown_key.conf")}
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

// TestFaultsAreBounded wants at most 50 lines of at most 200 characters of any file, without control characters.
func TestFaultsAreBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("*.*.no_such_key = 4\n", 20000),
		strings.Repeat("x", 900000),
		"*.*." + strings.Repeat("key", 100000) + " = 4\n\x1b[31m\u0085.a.b = 5\n",
		strings.Repeat("*.*.min_query_count = "+strings.Repeat("é", 500)+"\n", 500),
	} {
		_, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, UserConf: conf(t, text)})
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

// TestLoadWantsASmallRegularFile refuses what would be read for ever, or only once.
func TestLoadWantsASmallRegularFile(t *testing.T) {
	for path, want := range map[string]string{
		"/dev/zero": "/dev/zero: cannot be read: is not a regular file",
		conf(t, strings.Repeat("# padding\n", 120000)): "has more than 1048576 bytes",
	} {
		o := mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, UserConf: path}
		if _, err := mlconf.Load(o); !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("user.conf %s: %v, want %q", path, err, want)
		}
		s := loadForAudit(t)
		if err := s.AuditFrom(path, false); !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), want[strings.LastIndex(want, ":")+1:]) {
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
		{mlconf.Options{UserConf: filepath.Join(t.TempDir(), "none.conf")}, "none.conf: cannot be read"},
		{mlconf.Options{UserConf: t.TempDir()}, "cannot be read"},
	} {
		if _, err := mlconf.Load(c.o); !errors.Is(err, mlconf.ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// TestLoadGivesTestableSettings loads every model that the rules know in every scenario.
func TestLoadGivesTestableSettings(t *testing.T) {
	for _, round := range mlconf.Rounds() {
		for _, model := range []string{"resnet50", "bert", "3d-unet", "dlrm-v2", "stable-diffusion-xl", "somebody-elses"} {
			for _, scenario := range loadgen.Scenarios() {
				s, err := mlconf.Load(mlconf.Options{Rules: round, Model: model, Scenario: scenario})
				least, seeded := 10*time.Minute, true
				if strings.HasPrefix(round, "v0.") {
					least, seeded = time.Minute, false
				}
				if err != nil || s.MinDuration != least || (s.QSLRNGSeed != 0) != seeded {
					t.Errorf("%s %s %v: %v, %v", round, model, scenario, s.MinDuration, err)
				}
			}
		}
	}
}

func TestFieldTexts(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	s.SingleStreamExpectedLatencyFraction = 0.5
	s.PrintTimestamps = true
	s.ServerTargetLatencyPercentile = 99.9 * 0.01
	got := map[string]string{}
	for _, f := range mlconf.Fields() {
		got[f.Name] = f.Text(s)
		if f.Doc == "" || f.Official == "" {
			t.Errorf("%s has no doc or official name", f.Name)
		}
	}
	for name, want := range map[string]string{
		"Mode": "2", "SingleStreamExpectedLatency": "1.0000005", "ServerTargetLatency": "100", "ServerTargetLatencyPercentile": "99.9",
		"MultiStreamTargetLatencyPercentile": "99", "PrintTimestamps": "1", "Test05": "0", "ServerTargetQPS": "1", "MinDuration": "10000",
		"ServerFindPeakQPSDecimalsOfPrecision": "1",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

func TestFieldsCoverTestSettings(t *testing.T) {
	names := map[string]bool{"Scenario": true, "SingleStreamExpectedLatencyFraction": true, "MultiStreamExpectedLatencyFraction": true}
	for _, f := range mlconf.Fields() {
		if names[f.Name] {
			t.Errorf("%s twice", f.Name)
		}
		names[f.Name] = true
	}
	for _, name := range fieldNames(loadgen.TestSettings{}) {
		if !names[name] {
			t.Errorf("no field %s", name)
		}
		delete(names, name)
	}
	for name := range names {
		t.Errorf("field %s is none of TestSettings", name)
	}
}

func FuzzUserConf(f *testing.F) {
	f.Add("*.*.min_query_count = 4\n# c\nm.Server.target_qps = 1e3\n")
	f.Add("a.b.c = 0x10 # d")
	f.Add("*.*.max_duration = -18446744073709551617\n*.Server.target_latency = 09\n")
	f.Fuzz(func(t *testing.T, text string) {
		problems, _ := mlconf.Check("f", text, "", false)
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
