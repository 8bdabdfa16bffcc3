package campaign

import (
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scored is a VALID run with a score.
func scored(value float64) record.Run {
	return record.Run{Performance: &record.Performance{Valid: true, Metric: record.Figure{Value: figure.Number(value)}}}
}

func TestPerformanceUnderOtherConditions(t *testing.T) {
	for _, c := range []struct {
		scenario     string
		first, other float64
		pass         bool
	}{
		{"Offline", 100, 95.1, true},
		{"Offline", 100, 94.9, false},
		{"Offline", 100, 200, true},
		{"Server", 100, 90, false},
		{"SingleStream", 1e6, 1.04e6, true},
		{"SingleStream", 1e6, 1.06e6, false},
		{"SingleStream", 1e5, 1.2e5, true},
		{"SingleStream", 1e5, 1.3e5, false},
		{"MultiStream", 1.6e6, 1.9e6, true},
		{"MultiStream", 1.7e6, 1.9e6, false},
		{"Offline", 0, 0, false},
	} {
		o := Comparison{Scenario: c.scenario, Run: scored(c.first), Other: scored(c.other)}
		o.comparePerformance()
		if o.Pass != c.pass || o.Pass == (len(o.Reasons) > 0) {
			t.Errorf("%+v: pass %v, %q", c, o.Pass, o.Reasons)
		}
	}
}

func TestAnInvalidRunIsNotCompared(t *testing.T) {
	o := Comparison{Scenario: "Offline", Run: scored(1), Other: record.Run{Dir: "x", Verdict: "INVALID"}}
	o.comparePerformance()
	if o.Pass || !strings.Contains(strings.Join(o.Reasons, ""), "INVALID") {
		t.Errorf("%+v", o)
	}
}

func accurate(value float64) record.Run {
	return record.Run{Accuracy: &record.Accuracy{Verdict: judge.Verdict{Metrics: []judge.Metric{
		{Name: "accuracy", Value: figure.Number(value)},
	}}}}
}

func TestAccuracyOnOtherData(t *testing.T) {
	for other, pass := range map[float64]bool{100: true, 99.1: true, 98.9: false, 101: true} {
		o := Comparison{Scenario: "Offline", Run: accurate(100), Other: accurate(other)}
		o.compareAccuracy()
		if o.Pass != pass {
			t.Errorf("%v: pass %v, %q", other, o.Pass, o.Reasons)
		}
	}
}

func TestParseSeeds(t *testing.T) {
	if s, err := ParseSeeds("1, 2,18446744073709551615"); err != nil || s.SampleIndex != 2 || s.Schedule != 1<<64-1 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"", "1,2", "1,2,x", "1,2,-3", "1,2,3,4", "1,2,18446744073709551616"} {
		if _, err := ParseSeeds(text); err == nil || !strings.Contains(err.Error(), "--seeds") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseSeeds(f *testing.F) {
	f.Add("1,2,3")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSeeds(text); err != nil && s.QSL != 0 && s.Schedule != 0 {
			t.Errorf("%q: %+v with %v", text, s, err)
		}
	})
}

func TestMetricsOfATextLikeTheOfficial(t *testing.T) {
	got := targetMetrics([]mlconf.Target{{Metric: "acc"}}, "accuracy=76.460%, good=3823, total=5000\nhash=1\n")
	if got["acc"] != 76.46 || len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestTestsOfAModel(t *testing.T) {
	rules, err := mlconf.Round("v6.1")
	if err != nil {
		t.Fatal(err)
	}
	if tests, err := SelectTests(rules, "resnet", "test01"); err != nil || !slices.Equal(tests, []string{"TEST01"}) {
		t.Errorf("test01: %v, %v", tests, err)
	}
	if tests, err := SelectTests(rules, "resnet", AllTests); err != nil || len(tests) != 2 {
		t.Errorf("%v, %q", err, tests)
	}
	for model, word := range map[string]string{"resnet": "TEST06", "dlrm-v2-99": AllTests} {
		if _, err := SelectTests(rules, model, word); err == nil {
			t.Errorf("%s %s: no error", model, word)
		}
	}
	steps, err := AuditSteps(rules, Model{RulesKey: "gpt-oss-120b"}, "Offline", "TEST07")
	if err != nil || len(steps) != 1 || !slices.Equal(steps[0].Settings, []string{"performance_sample_count_override=0"}) {
		t.Errorf("TEST07 is %+v, %v", steps, err)
	}
	if steps, err := AuditSteps(rules, Model{RulesKey: "gpt-oss-120b"}, "Server", "TEST09"); err != nil ||
		len(steps) != 1 ||
		!strings.Contains(steps[0].Test.Config, "min_query_count = 6396") {
		t.Errorf("TEST09 is %+v, %v", steps, err)
	}
	steps, err = AuditSteps(rules, Model{RulesKey: "dlrm-v3"}, "Offline", "TEST08")
	if err != nil || len(steps) != 3 || steps[1].Mode != bench.ModeAccuracy ||
		!strings.Contains(steps[2].Test.Config, "accuracy_log_sampling_target = 4096") {
		t.Errorf("TEST08 is %+v, %v", steps, err)
	}
	if _, err := AuditSteps(rules, Model{RulesKey: "dlrm-v3"}, "Offline", "TEST04-A"); err == nil {
		t.Error("TEST04-A is run")
	}
}

// TestCachingInTwoRuns: before v2.1 each of TEST04's three names selects one test of two runs.
func TestCachingInTwoRuns(t *testing.T) {
	for _, round := range []string{"v0.7", "v1.0", "v1.1", "v2.0"} {
		rules, err := mlconf.Round(round)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"TEST04", "TEST04-A", "test04-b"} {
			if tests, err := SelectTests(rules, "resnet50", word); err != nil || !slices.Equal(tests, []string{"TEST04"}) {
				t.Errorf("%s: %s is %v, %v", round, word, tests, err)
			}
		}
		all, err := SelectTests(rules, "resnet50", AllTests)
		if err != nil || !slices.Equal(all, []string{"TEST01", "TEST04", "TEST05"}) {
			t.Errorf("%s: all tests are %v, %v", round, all, err)
		}
		if runnable, left := Runnable(rules, "resnet50", all); len(runnable) != 3 || len(left) != 0 {
			t.Errorf("%s: %v, left %v", round, runnable, left)
		}
		steps, err := AuditSteps(rules, Model{RulesKey: "resnet50"}, "Server", "TEST04")
		if err != nil || len(steps) != 2 || steps[0].Test.Name != "TEST04-A" || steps[0].Test.Judged ||
			steps[1].Test.Name != "TEST04-B" || !steps[1].Test.Judged ||
			!strings.Contains(steps[0].Test.Config, "performance_issue_unique = 1") ||
			!strings.Contains(steps[1].Test.Config, "performance_issue_same = 1") {
			t.Errorf("%s: %+v, %v", round, steps, err)
		}
	}
}

// TestElementType: what a benchmark writes goes before what it reads, and what the user says before what is usual.
func TestElementType(t *testing.T) {
	as := func(value string) sdk.ParamInfo {
		return sdk.ParamInfo{Name: "as", Roles: sdk.RoleElement, Default: value}
	}
	in := func(value string) sdk.ParamInfo {
		return sdk.ParamInfo{Name: "in", Roles: sdk.RoleWritten, Default: value}
	}
	for _, tt := range []struct {
		params []sdk.ParamInfo
		given  map[string]string
		want   string
	}{
		{nil, nil, ""},
		{[]sdk.ParamInfo{as("float")}, nil, "float32"},
		{[]sdk.ParamInfo{as("int32")}, map[string]string{"as": "int64", "size": "3"}, "int64"},
		{[]sdk.ParamInfo{as("float16")}, nil, ""},
		{[]sdk.ParamInfo{as("auto"), in("int32")}, nil, "int32"},
		{[]sdk.ParamInfo{in("int32")}, map[string]string{"in": "uint8"}, "byte"},
		{[]sdk.ParamInfo{as("float32"), in("class")}, nil, "float32"},
	} {
		m := sdk.ModelInfo{Params: tt.params}
		if got := elementType(m, m.ParamValues(false, tt.given)); got != tt.want {
			t.Errorf("%v, %v: %q, want %q", tt.params, tt.given, got, tt.want)
		}
	}
}

// TestEmbeddedValues: where the embedded model runs its own defaults count, as far as it has any.
func TestEmbeddedValues(t *testing.T) {
	params := []sdk.ParamInfo{{Name: "eos", Default: "200002", EmbeddedDefault: "2"}, {Name: "top_k", Default: "-1"}}
	for _, embedded := range []bool{false, true} {
		want := map[bool]string{false: "200002 -1", true: "2 -1"}[embedded]
		if v := (sdk.ModelInfo{Params: params}).ParamValues(embedded, nil); v["eos"]+" "+v["top_k"] != want {
			t.Errorf("embedded %t: %v, want %s", embedded, v, want)
		}
	}
}
