package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// oldRun is a run's score as the LoadGen of its time wrote it.
type oldRun struct {
	scenario string
	single   uint64 // 90th percentile in ns
	multi    uint64 // 99th percentile of a query in ns
	samples  uint64 // of a query
	rate     float64
}

// written writes a run without early stopping, in a detail log and in a summary.
func (r oldRun) written(m *madeRun) {
	delete(m.detail, scoreKeys[r.scenario])
	head := []string{"================================================", "MLPerf Results Summary",
		"================================================", "SUT name : made", "Scenario : " + r.scenario,
		"Mode     : PerformanceOnly"}
	line := ""
	switch r.scenario {
	case "SingleStream":
		m.detail["result_90.00_percentile_latency_ns"] = r.single
		line = fmt.Sprintf("90th percentile latency (ns) : %d", r.single)
	case "MultiStream":
		m.detail["result_99.00_percentile_latency_ns"], m.detail["effective_samples_per_query"] = r.multi, r.samples
		line = fmt.Sprintf("Samples per query : %d\n99th percentile latency (ns) : %d", r.samples, r.multi)
	case "Server":
		m.detail["result_scheduled_samples_per_sec"], m.detail["result_completed_samples_per_sec"] = r.rate, r.rate/2
		line = fmt.Sprintf("Scheduled samples per second : %.2f", r.rate)
	default:
		m.detail["result_samples_per_second"] = r.rate
		line = fmt.Sprintf("Samples per second: %.2f", r.rate)
	}
	m.summary = append(head, line, "Result is : VALID", "  Min duration satisfied : Yes", "  Min queries satisfied : Yes",
		"", "================================================", "Additional Stats",
		"================================================", "Completed samples per second    : 1.00", "",
		"================================================", "Test Parameters Used",
		"================================================", "samples_per_query : 1", "",
		"No warnings encountered during test.", "", "No errors encountered during test.")
}

// ofRound makes logs of an audit as the LoadGen of an old round wrote them.
func ofRound(t *testing.T, round, test, scenario string, reference, run oldRun) *made {
	t.Helper()
	m := good(t, "TEST01", scenario)
	rules := rulesOf(t, round)
	m.request.Test, m.request.Rules, m.request.Model, m.request.PerformanceOnly = test, rules, "resnet50", true
	config, err := ConfigOf(rules, test, "resnet50")
	if err != nil {
		t.Fatal(err)
	}
	s, err := loadgen.ParseScenario(scenario)
	if err != nil {
		t.Fatal(err)
	}
	seeds := rules.Seeds
	for _, o := range config.SettingsFor(s) {
		m.audit.detail["requested_"+o.Key] = number0(o.Value)
		if o.Key == "test05" {
			set, err := mlconf.Load(mlconf.Options{Rules: round, Model: "resnet50", Scenario: s})
			if err != nil {
				t.Fatal(err)
			}
			seeds = mlconf.Seeds{QSL: set.Test05QSLRNGSeed, SampleIndex: set.Test05SampleIndexRNGSeed,
				Schedule: set.Test05ScheduleRNGSeed}
		}
	}
	for key, v := range map[string]uint64{"qsl": seeds.QSL, "sample_index": seeds.SampleIndex,
		"schedule": seeds.Schedule} {
		m.audit.detail["effective_"+key+"_rng_seed"] = v
	}
	reference.scenario, run.scenario = scenario, scenario
	reference.written(m.performance)
	run.written(m.audit)
	return m
}

// TestOldRounds: TEST01 and TEST05 of a round are judged by the numbers that its scripts compared, in all scenarios.
func TestOldRounds(t *testing.T) {
	reference := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	slower := oldRun{single: 1_070_000, multi: 5_350_000, samples: 56, rate: 93}  // by 7 %
	quicker := oldRun{single: 930_000, multi: 4_650_000, samples: 64, rate: 107}  // by 7 %
	much := oldRun{single: 1_200_000, multi: 6e6, samples: 48, rate: 80}          // slower by 20 %
	edge := oldRun{single: 1_100_001, multi: 5_500_001, samples: 67, rate: 110.1} // just above 10 %
	streams := oldRun{single: 1e6, multi: 20e6, samples: 60, rate: 100}           // MultiStream's latency differs alone
	for _, round := range []string{"v0.5", "v0.7", "v1.1", "v2.0"} {
		for _, scenario := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
			for _, c := range []struct {
				test string
				run  oldRun
				pass bool
			}{
				{"TEST01", reference, true}, {"TEST01", slower, true}, {"TEST01", quicker, true}, {"TEST01", much, false},
				{"TEST01", edge, false}, {"TEST01", streams, scenario != "MultiStream" || round != "v2.0"},
				{"TEST05", reference, true}, {"TEST05", slower, round == "v0.5"}, {"TEST05", quicker, round == "v0.5"},
				{"TEST05", much, false}, {"TEST05", streams, scenario != "MultiStream" || round != "v2.0"},
			} {
				v := ofRound(t, round, c.test, scenario, reference, c.run).verify(t)
				text := v.Texts[tree.VerifyPerformance]
				if v.Pass != c.pass || strings.Contains(text, evidence.Pass) != c.pass {
					t.Errorf("%s, %s, %s, %+v: %v\n%s", round, scenario, c.test, c.run, v.Reasons, text)
				}
			}
		}
	}
}

// cachingRuns makes the logs of TEST04's two runs. One issues each sample once, the other repeats one sample.
func cachingRuns(t *testing.T, round, scenario string, unique, same oldRun) *made {
	t.Helper()
	m := ofRound(t, round, tree.CachingSame, scenario, unique, same)
	m.request.Test = tree.Caching
	config, err := ConfigOf(m.request.Rules, tree.CachingUnique, "resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range config.Settings {
		m.performance.detail["requested_"+o.Key] = number0(o.Value)
	}
	for _, key := range []string{"warning_generic_message", "effective_qsl_rng_seed", "effective_sample_index_rng_seed",
		"effective_schedule_rng_seed"} {
		m.performance.detail[key] = m.audit.detail[key]
	}
	for _, run := range []*madeRun{m.performance, m.audit} { // such runs have too few queries
		run.detail["result_validity"] = "INVALID"
		run.summary = strings.Split(strings.Replace(strings.Join(run.summary, "\n"), ": VALID", ": INVALID", 1), "\n")
	}
	return m
}

// TestCachingRuns: TEST04 before v2.1 compares its two runs with each other, which need not be VALID.
func TestCachingRuns(t *testing.T) {
	unique := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	for _, c := range []struct {
		name   string
		same   oldRun
		passes func(round, scenario string) bool
	}{
		{"alike", unique, always},
		{"quicker by 9 %", oldRun{single: 910_000, multi: 4_550_000, samples: 60, rate: 109}, always},
		{"quicker by 11 %", oldRun{single: 890_000, multi: 4_450_000, samples: 60, rate: 111}, streamsAlike},
		{"cached", oldRun{single: 90_000, multi: 450_000, samples: 60, rate: 1100}, streamsAlike},
		{"slower", oldRun{single: 2e6, multi: 5e6, samples: 60, rate: 50}, always},
		{"a slower query", oldRun{single: 1e6, multi: 1e7, samples: 60, rate: 100}, func(round, scenario string) bool {
			return scenario != "MultiStream" || round != "v2.0" // the script takes the latency for a rate
		}},
	} {
		for _, round := range []string{"v0.5", "v0.7", "v1.0", "v1.1", "v2.0"} {
			for _, scenario := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
				v := cachingRuns(t, round, scenario, unique, c.same).verify(t)
				text, want := v.Texts[tree.VerifyPerformance], c.passes(round, scenario)
				if v.Pass != want || strings.Contains(text, evidence.Pass+"\n") != want ||
					!strings.Contains(text, "TEST04-A score = ") {
					t.Errorf("%s, %s, %s: %v\n%s", c.name, round, scenario, v.Reasons, text)
				}
				if v.Folder != tree.CachingUnique || len(v.Copies) != 4 {
					t.Errorf("%s, %s: the files go to %s: %v", round, scenario, v.Folder, v.Copies)
				}
			}
		}
	}
}

// always: both runs pass in every round and scenario.
func always(string, string) bool { return true }

// streamsAlike: before v2.0, MultiStream's score is a setting, so it is equal in both runs.
func streamsAlike(round, scenario string) bool { return scenario == "MultiStream" && round != "v2.0" }

// TestWrongCachingRuns: the judge finds faults in either of the two runs.
func TestWrongCachingRuns(t *testing.T) {
	unique := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	set := func(run func(*made) *madeRun, key string, value any) func(*made) {
		return func(m *made) { run(m).detail[key] = value }
	}
	first := func(m *made) *madeRun { return m.performance }
	second := func(m *made) *madeRun { return m.audit }
	for name, c := range map[string]struct {
		do   func(m *made)
		want string
	}{
		"the wrong way round":   {func(m *made) { m.performance, m.audit = m.audit, m.performance }, "audit-setting"},
		"the result's run":      {func(m *made) { delete(m.performance.detail, "warning_generic_message") }, "audit-marker"},
		"many samples in B":     {set(second, "requested_performance_issue_same", false), "audit-setting"},
		"one sample in A":       {set(first, "requested_performance_issue_unique", false), "audit-setting"},
		"another index":         {set(second, "requested_performance_issue_same_index", 4), "audit-setting"},
		"another round's seeds": {set(first, "effective_qsl_rng_seed", uint64(7)), "seed"},
		"an accuracy run":       {set(second, "effective_test_mode", "AccuracyOnly"), "mode"},
		"another limit":         {set(second, "effective_target_latency_ns", uint64(7)), "target-latency"},
		"no score":              {set(second, "result_scheduled_samples_per_sec", 0.0), "score"},
		"another scenario":      {set(second, "effective_scenario", "Offline"), "scenario"},
		"another summary": {func(m *made) { m.performance.summary[6] = "Scheduled samples per second : 7" },
			"summary"},
	} {
		m := cachingRuns(t, "v1.0", "Server", unique, unique)
		c.do(m)
		v := m.verify(t)
		if v.Pass || !slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Check == c.want }) {
			t.Errorf("%s: want %s, found %v", name, c.want, v.Reasons)
		}
	}
	m := cachingRuns(t, "v1.0", "Server", unique, unique)
	r := m.written(t)
	r.Reference.Detail += "-missing"
	if v, err := Verify(t.Context(), r); err != nil || !v.LacksLog() || v.Pass {
		t.Errorf("without a log: %v, %v", v, err)
	}
}

// TestTextLogsOfOldRounds: logs in the text form are judged by the results of their summaries, and one without says so
// once.
func TestTextLogsOfOldRounds(t *testing.T) {
	reference := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	for _, round := range []string{"v0.5", "v0.7"} {
		for _, scenario := range []string{"Server", "Offline"} {
			for rate, pass := range map[float64]bool{100: true, 93: true, 80: false} {
				run := reference
				run.rate = rate
				m := ofRound(t, round, "TEST01", scenario, reference, run)
				m.performance.text, m.audit.text = true, true
				if v := m.verify(t); v.Pass != pass {
					t.Errorf("%s, %s, %v/s: %v", round, scenario, rate, v.Reasons)
				}
			}
		}
	}
	m := ofRound(t, "v0.7", "TEST01", "Offline", reference, reference)
	m.performance.text, m.audit.text, m.audit.summary = true, true, []string{"cut off"}
	v := m.verify(t)
	said := 0
	for _, r := range v.Reasons {
		if strings.Contains(r.Found, "its results are in "+tree.SummaryLog) {
			said++
		}
	}
	if v.Pass || said != 1 {
		t.Errorf("a summary that was cut off: said %d times: %v", said, v.Reasons)
	}
}

// textLog writes the settings and the end of a log as LoadGens before v1.0 did.
func textLog(detail map[string]any) string {
	var b strings.Builder
	say := func(format string, args ...any) {
		fmt.Fprintf(&b, `"pid": 1, "tid": 1, "ts": 5ns : `+format+"\n", args...)
	}
	for section, title := range map[string]string{
		"effective_": "Effective Settings:", "requested_": "Requested Settings:",
	} {
		say("%s", title)
		for key, v := range detail {
			if name, ok := strings.CutPrefix(key, section); ok {
				name = strings.NewReplacer("test_mode", "Test mode", "scenario", "Scenario").Replace(name)
				say("%s : %s", name, strings.TrimSuffix(fmt.Sprint(v), "Only"))
			}
		}
		say("")
	}
	for key, label := range map[string]string{
		"loadgen_version": "version : ", "sut_name": "System Under Test (SUT) name: ",
		"qsl_reported_total_count": "QSL total size: ", "warning_generic_message": "",
		"power_begin": `POWER_BEGIN: "mode" : Performance, "time" : `,
		"power_end":   `POWER_END: "mode" : Performance, "time" : `} {
		if v, ok := detail[key]; ok {
			say("%s%v", label, v)
		}
	}
	return b.String()
}

// TestShortLatenciesOfOldRounds: before v2.0 the wide band was SingleStream's alone, and TEST05's up to v2.0.
func TestShortLatenciesOfOldRounds(t *testing.T) {
	reference := oldRun{single: 190_000, multi: 1_500_000, samples: 60, rate: 100}
	run := oldRun{single: 225_000, multi: 1_750_000, samples: 70, rate: 100} // by a sixth
	for _, c := range []struct {
		round, test, scenario string
		pass                  bool
	}{
		{"v1.0", "TEST01", "SingleStream", true}, {"v1.0", "TEST05", "SingleStream", true},
		{"v1.0", "TEST01", "MultiStream", false}, {"v2.0", "TEST01", "MultiStream", true},
		{"v2.0", "TEST05", "MultiStream", false}, {"v2.0", "TEST05", "SingleStream", true},
	} {
		if v := ofRound(t, c.round, c.test, c.scenario, reference, run).verify(t); v.Pass != c.pass {
			t.Errorf("%+v: %v", c, v.Reasons)
		}
	}
}

// TestLogsOfLaterLoadGen: a log with early stopping is judged by what the round's script took of it.
func TestLogsOfLaterLoadGen(t *testing.T) {
	for _, round := range []string{"v2.1", "v3.0", "v3.1", "v4.0", "v4.1", "v5.0", "v5.1"} {
		for scenario, key := range scoreKeys {
			m := ofRound(t, round, "TEST01", scenario, oldRun{single: 1, multi: 1, rate: 1},
				oldRun{single: 9, multi: 9, rate: 9})
			m.performance.summary, m.audit.summary = nil, nil
			m.performance.detail[key], m.audit.detail[key] = 2e6, 2.1e6
			if v := m.verify(t); !v.Pass {
				t.Errorf("%s, %s: %v", round, scenario, v.Reasons)
			}
			m.audit.detail[key] = 2.3e6
			if v := m.verify(t); v.Pass {
				t.Errorf("%s, %s: 15 %% off passes", round, scenario)
			}
		}
	}
}

// TestInvalidRunsOfOldRounds: an INVALID run fails as ever.
func TestInvalidRunsOfOldRounds(t *testing.T) {
	same := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	for _, test := range []string{"TEST01", "TEST05"} {
		for _, scenario := range []string{"SingleStream", "MultiStream"} {
			m := ofRound(t, "v1.0", test, scenario, same, same)
			m.audit.detail["result_validity"] = "INVALID"
			for i, line := range m.audit.summary {
				m.audit.summary[i] = strings.Replace(line, "Result is : VALID", "Result is : INVALID", 1)
			}
			if v, err := Verify(context.Background(), m.written(t)); err != nil || v.Pass {
				t.Errorf("%s, %s: %+v, %v", test, scenario, v, err)
			}
		}
	}
}

// TestUnmarkedRunsOfTheFirstRound: in v0.5 the settings of a run show an audit, whether its log names an audit.config
// or not. Later rounds want the name.
func TestUnmarkedRunsOfTheFirstRound(t *testing.T) {
	same := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	unmark := func(m *made) { delete(m.audit.detail, "warning_generic_message") }
	for _, c := range []struct {
		name, round string
		edit        func(*made)
		pass        bool
		noted       string
	}{
		{"no mark", "v0.5", unmark, true, "is not judged: its log names none"},
		{"no mark", "v0.7", unmark, false, ""},
		{"no mark, and another share", "v0.5", func(m *made) {
			unmark(m)
			delete(m.audit.detail, "requested_"+logShareKey)
		}, false, "is not judged"},
	} {
		for _, scenario := range []string{"SingleStream", "Offline"} {
			v := ofRound(t, c.round, "TEST01", scenario, same, same).edited(c.edit).verify(t)
			if notes := strings.Join(v.Notes, "\n"); v.Pass != c.pass || !strings.Contains(notes, c.noted) {
				t.Errorf("%s, %s, %s: pass %v: %v, notes %q", c.round, c.name, scenario, v.Pass, v.Reasons, v.Notes)
			}
		}
	}
}

// edited changes the logs before they are written.
func (m *made) edited(edit func(*made)) *made {
	edit(m)
	return m
}

// TestErrorsOfOldRounds: scripts that read summaries told of a run's errors, whosever run it was, and judged its speed;
// those that read detail logs die of them.
func TestErrorsOfOldRounds(t *testing.T) {
	same := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	much := oldRun{single: 1.3e6, multi: 6.5e6, samples: 40, rate: 70}
	for _, c := range []struct {
		round string
		tests []string
		told  bool
	}{
		{"v0.5", []string{"TEST01", "TEST05"}, true}, {"v0.7", []string{"TEST01", "TEST05"}, true},
		{"v1.0", []string{"TEST01", "TEST05"}, true}, {"v1.1", []string{"TEST01", "TEST05"}, true},
		{"v2.0", []string{"TEST01", "TEST05"}, true}, {"v2.1", []string{"TEST01", "TEST04", "TEST05"}, true},
		{"v3.0", []string{"TEST01", "TEST04", "TEST05"}, true}, {"v3.1", []string{"TEST01", "TEST04", "TEST05"}, true},
		{"v4.0", []string{"TEST01", "TEST04", "TEST05"}, true}, {"v4.1", []string{"TEST01", "TEST04", "TEST05"}, true},
		{"v5.0", []string{"TEST01", "TEST04"}, true}, {"v5.1", []string{"TEST01", "TEST04"}, false},
		{"v6.0", []string{"TEST01", "TEST04"}, false}, {"v6.1", []string{"TEST01", "TEST04"}, false},
	} {
		for _, test := range c.tests {
			for name, mend := range map[string]func(*made){
				"the audit's run":  func(m *made) { m.audit.failed() },
				"the result's run": func(m *made) { m.performance.failed() },
			} {
				m := ofRound(t, c.round, test, "Offline", same, same)
				m.audit.text = c.round == "v0.5" || c.round == "v0.7"
				m.performance.text = m.audit.text
				v := m.edited(mend).verify(t)
				noted := strings.Contains(strings.Join(v.Notes, "\n"), "1 error, the first: error_runtime: it failed")
				if v.Pass != c.told || noted != c.told {
					t.Errorf("%s, %s, %s: pass %v: %v, notes %q", c.round, test, name, v.Pass, v.Reasons, v.Notes)
				}
			}
			if test != "TEST04" {
				m := ofRound(t, c.round, test, "Offline", same, much)
				m.audit.failed()
				if v := m.verify(t); v.Pass {
					t.Errorf("%s, %s: a slow run with errors passes", c.round, test)
				}
			}
		}
	}
}

// failed logs an error, in both forms of a log, and in the summary.
func (r *madeRun) failed() {
	r.detail["num_errors"] = 1
	r.tail = string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: "error_runtime", Error: true, Value: "it failed"}))
	if r.text {
		r.tail = `"pid": 1, "tid": 1, "ts": 5ns : ERROR : it failed` + "\n"
	}
	for i, line := range r.summary {
		r.summary[i] = strings.Replace(line, "No errors encountered during test.",
			"1 ERROR encountered. See detailed log.", 1)
	}
}

// TestScenariosInWords: a summary's "Single Stream" is the detail log's SingleStream, and no other scenario is.
func TestScenariosInWords(t *testing.T) {
	same := oldRun{single: 1e6, multi: 5e6, samples: 60, rate: 100}
	for _, round := range []string{"v0.5", "v0.7", "v1.0"} {
		for written, pass := range map[string]bool{"Single Stream": true, "SingleStream": true, "Multi Stream": false} {
			v := ofRound(t, round, "TEST05", "SingleStream", same, same).edited(func(m *made) {
				for _, run := range []*madeRun{m.performance, m.audit} {
					for i, line := range run.summary {
						run.summary[i] = strings.Replace(line, "Scenario : SingleStream", "Scenario : "+written, 1)
					}
				}
			}).verify(t)
			if v.Pass != pass {
				t.Errorf("%s, %s: pass %v: %v", round, written, v.Pass, v.Reasons)
			}
		}
	}
}
