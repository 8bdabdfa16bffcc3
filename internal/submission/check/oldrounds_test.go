package check_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

const (
	oldLab     = "closed/Lab/"
	oldResults = oldLab + "results/box/resnet50/"
	oldPapers  = oldLab + "measurements/box/resnet50/"
)

// oldTree is a sound submission of a round whose LoadGen was that of v0.5 to v1.0: files by their paths.
type oldTree struct {
	rules  *mlconf.Rules
	text   bool
	audits string // their folder
	files  map[string]string
}

func newOldTree(t *testing.T, round string) *oldTree {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := tree.LayoutOf(round)
	if err != nil {
		t.Fatal(err)
	}
	o := &oldTree{rules: rules, text: rules.Checks().TextLogs, files: map[string]string{},
		audits: oldLab + layout.AuditsDir() + "/box/resnet50/"}
	var fields []string
	for _, f := range system.Fields() {
		value := map[string]string{"division": "closed", "submitter": "Lab", "status": "available", "system_type": "edge",
			"number_of_nodes": "1", "host_processors_per_node": "1", "accelerators_per_node": "0"}[f.Name]
		if value == "" {
			value = "some"
		}
		fields = append(fields, fmt.Sprintf("%q: %q", f.Name, value))
	}
	o.files[oldLab+"systems/box.json"] = "{" + strings.Join(fields, ", ") + "}"
	o.files[oldLab+"code/run.py"] = "run()\n"
	o.files[oldLab+"calibration.md"] = "none\n"
	scenarios := []loadgen.Scenario{loadgen.SingleStream, loadgen.Offline}
	if slices.Contains(rules.RequiredScenarios("resnet", mlconf.Edge), loadgen.MultiStream.String()) {
		scenarios = append(scenarios, loadgen.MultiStream)
	}
	for i, scenario := range scenarios {
		o.result(t, scenario, i)
	}
	return o
}

func (o *oldTree) result(t *testing.T, scenario loadgen.Scenario, i int) {
	at := oldResults + scenario.String() + "/"
	o.run(t, at+"performance/run_1/", scenario, 8*i, o.rules.Seeds)
	o.run(t, at+"accuracy/", scenario, 8*i+1, o.rules.Seeds)
	for _, name := range []string{"mlperf_log_detail.txt", "mlperf_log_summary.txt"} {
		o.replace(at+"accuracy/"+name, "PerformanceOnly", "AccuracyOnly")
		o.replace(at+"accuracy/"+name, "Test mode : Performance", "Test mode : Accuracy")
		o.replace(at+"accuracy/"+name, "Mode     : Performance", "Mode     : Accuracy")
	}
	o.files[at+"accuracy/accuracy.txt"] = "accuracy=76.123%, good=38061, total=50000\nhash=0123abcd\n"
	o.files[at+"accuracy/mlperf_log_accuracy.json"] = "[\n" +
		"{ \"seq_id\" : 0, \"qsl_idx\" : 1, \"data\" : \"00000000\" },\n" +
		"\n...\n\n{ \"seq_id\" : 2, \"qsl_idx\" : 2, \"data\" : \"00000000\" }\n]\n"
	papers := oldPapers + scenario.String() + "/"
	o.files[papers+"box_"+scenario.String()+".json"] = `{"input_data_types": "fp32", "retraining": "N",
		"starting_weights_filename": "a.onnx", "weight_data_types": "int8", "weight_transformations": "none"}`
	o.files[papers+"user.conf"] = "resnet50.Offline.target_qps = 9\n"
	o.files[papers+"README.md"] = "read\n"
	others, _ := o.rules.OtherSeeds()
	tests := []string{"TEST01", "TEST04-A", "TEST04-B", "TEST05"} // of v0.5 the rules know none
	if list := o.rules.Audits("resnet"); len(list) > 0 {
		tests = list
	}
	for j, test := range tests {
		seeds := o.rules.Seeds
		if test == "TEST05" {
			seeds = others
		}
		run := o.audits + scenario.String() + "/" + test + "/"
		o.run(t, run+"performance/run_1/", scenario, 8*i+2+j, seeds)
		o.audit(run+"performance/run_1/mlperf_log_detail.txt", test)
		if test != "TEST04-B" {
			o.files[run+"verify_performance.txt"] = "TEST PASS\n"
		}
	}
	o.files[o.audits+scenario.String()+"/TEST01/verify_accuracy.txt"] = "TEST PASS\n"
	o.files[o.audits+scenario.String()+"/TEST01/accuracy/mlperf_log_accuracy.json"] =
		o.files[at+"accuracy/mlperf_log_accuracy.json"]
}

// run writes the logs of a run, with the round's settings. Each has a time of its own.
func (o *oldTree) run(t *testing.T, at string, scenario loadgen.Scenario, minute int, seeds mlconf.Seeds) {
	t.Helper()
	dir := t.TempDir()
	run := loadgentest.OldRun{Text: o.text, Scenario: scenario, Performance: 1024, Total: 50000}
	if err := run.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range tree.RunFiles() {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		o.files[at+name] = string(text)
	}
	log := at + tree.DetailLog
	if scenario == loadgen.MultiStream { // from v2.0 on a query is as long as its samples: half of what the streams have
		for double, single := range map[string]string{"10000000": "5000000", "18000000": "9000000", "19000000": "9500000",
			"19400000": "9700000", "19800000": "9900000", "19980000": "9990000"} {
			o.replace(log, double, single)
			o.replace(at+tree.SummaryLog, double, single)
		}
	}
	for _, clock := range []string{" 10:00:", " 10:01:", "T10:00:"} {
		o.replace(log, clock, fmt.Sprintf("%s%02d%s", clock[:1], 10+minute, clock[3:]))
	}
	if o.text {
		o.replace(log, "qsl_rng_seed : 0", o.lines("qsl_rng_seed", seeds.QSL, "sample_index_rng_seed", seeds.SampleIndex,
			"schedule_rng_seed", seeds.Schedule, "performance_issue_same", false))
		if scenario == loadgen.Offline {
			o.replace(log, "samples_per_query : 1", "samples_per_query : 66000")
		}
		return
	}
	if major := o.rules.LoadGenMajor(); major > 0 {
		o.replace(log, ".5a1 @", fmt.Sprintf("%d.1 @", major))
	}
	o.set(log, "effective_qsl_rng_seed", seeds.QSL)
	o.set(log, "effective_min_duration_ms", 600000)
	o.files[log] += o.lines("sample_index_rng_seed", seeds.SampleIndex, "schedule_rng_seed", seeds.Schedule,
		"performance_issue_same", false, "performance_issue_unique", false)
	if scenario == loadgen.Offline {
		o.set(log, "effective_samples_per_query", 66000)
	}
	if scenario == loadgen.MultiStream {
		o.set(log, "effective_samples_per_query", 8)
	}
	if scenario != loadgen.Offline {
		o.files[log] += jsonLine("result_qps_without_loadgen_overhead", 182)
	}
	if m, _ := o.rules.Metric("resnet", scenario.String()); strings.HasPrefix(m.Key, "early_stopping") {
		o.files[log] += jsonLine("early_stopping_met", true) + jsonLine(m.Key, 9000000)
	}
}

// audit gives a run the settings of a test.
func (o *oldTree) audit(log, test string) {
	note := "Found Audit Config file (audit.config). Overriding TestSettings from audit.config file."
	setting := map[string][]any{"TEST01": {"accuracy_log_sampling_target", 4096}}[test]
	if o.text {
		o.replace(log, "Requested Settings:", note+"\n"+`"pid": 12, "tid": 12, "ts": 7777ns : Requested Settings:`)
		if setting != nil {
			o.replace(log, "performance_issue_same : false", o.lines(append(setting, "performance_issue_same", false)...))
		}
	} else {
		o.files[log] += jsonLine("generic_message", note) + o.lines(setting...)
	}
	switch test {
	case "TEST04-A":
		o.set(log, "performance_issue_unique", true)
	case "TEST04", "TEST04-B":
		o.set(log, "performance_issue_same", true)
	}
}

// zero is an entry whose name holds a zero byte: LoadGen writes a name as it is given.
var zero = strings.NewReplacer(" name", "\x00", "1.0,", "1.000000,").Replace(jsonLine("some_name", "a name"))

func jsonLine(key string, value any) string {
	text := fmt.Sprint(value)
	if _, is := value.(string); is {
		text = fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf(":::MLLOG {\"key\": %q, \"value\": %s, \"time_ms\": 1.0, \"namespace\": \"mlperf::logging\", "+
		"\"event_type\": \"POINT_IN_TIME\", \"metadata\": {\"is_error\": false, \"is_warning\": false, \"file\": \"x.cc\", "+
		"\"line_no\": 1, \"pid\": 1, \"tid\": 1}}\n", key, text)
}

// lines are settings as a log has them; in text they begin behind the head of the first line and have no end.
func (o *oldTree) lines(list ...any) string {
	var b strings.Builder
	for i := 0; i < len(list); i += 2 {
		switch {
		case !o.text:
			b.WriteString(jsonLine("effective_"+fmt.Sprint(list[i]), list[i+1]))
		case i > 0:
			fmt.Fprintf(&b, "\n"+`"pid": 12, "tid": 12, "ts": 7778ns : %v : %v`, list[i], list[i+1])
		default:
			fmt.Fprintf(&b, "%v : %v", list[i], list[i+1])
		}
	}
	return b.String()
}

// set gives a setting another value, whatever the form of the log.
func (o *oldTree) set(log, key string, value any) {
	key = strings.TrimPrefix(key, "effective_")
	lines := strings.Split(o.files[log], "\n")
	for i, line := range lines {
		if head, _, ok := strings.Cut(line, "ns : "+key+" : "); ok {
			lines[i] = fmt.Sprintf("%sns : %s : %v", head, key, value)
		}
		if strings.Contains(line, `"key": "effective_`+key+`"`) {
			lines[i] = strings.TrimSuffix(jsonLine("effective_"+key, value), "\n")
		}
	}
	o.files[log] = strings.Join(lines, "\n")
}

// add adds an entry to a detail log in JSON.
func (o *oldTree) add(run, entry string) {
	if !o.text {
		o.files[run+tree.DetailLog] += entry
	}
}

func (o *oldTree) replace(name, old, by string) {
	o.files[name] = strings.ReplaceAll(o.files[name], old, by)
}

func (o *oldTree) check(t *testing.T) *check.Report {
	t.Helper()
	root := t.TempDir()
	for name, text := range o.files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := tree.Open(root, o.rules.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	report, err := check.Run(t.Context(), in, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// found are the findings of a severity, a line each.
func found(report *check.Report, severity check.Severity) (list []string) {
	for _, f := range report.Findings {
		if f.Severity == severity {
			list = append(list, fmt.Sprintf("%s %s: %s (%s)", f.Rule, f.What, f.Found, f.Path))
		}
	}
	return list
}

const (
	oldRun      = oldResults + "Offline/performance/run_1/"
	oldAccuracy = oldResults + "Offline/accuracy/"
)

// TestOldRoundsTakeWhatIsRight: a sound submission of each form of logs has no reject, and what cannot be judged is
// said.
func TestOldRoundsTakeWhatIsRight(t *testing.T) {
	for round, unjudged := range map[string]string{
		"v0.5": "loadgen counts scenarios audit-", "v0.7": "loadgen counts",
		"v1.0": "loadgen counts power", "v1.1": "counts power", "v2.0": "counts power",
		"v2.1": "counts power", "v3.0": "counts power", "v3.1": "counts power", "v4.0": "counts power",
	} {
		report := newOldTree(t, round).check(t)
		if rejects := found(report, check.Reject); len(rejects) > 0 || len(report.Results) < 2 {
			t.Errorf("%s: %d results, rejects:\n%s", round, len(report.Results), strings.Join(rejects, "\n"))
		}
		var rules []string
		for _, u := range report.NotJudged {
			rules = append(rules, u.Rule)
		}
		if got := strings.Join(rules, " "); got != unjudged {
			t.Errorf("%s does not judge %s, want %s", round, got, unjudged)
		}
		for _, r := range report.Results {
			want := map[string]float64{"SingleStream": 9, "MultiStream": 9, "Offline": 1000}[r.Scenario]
			if r.Metric != want {
				t.Errorf("%s: the result of %s is %v, want %v", round, r.Scenario, r.Metric, want)
			}
		}
	}
}

// oldFaults break one thing each. Where a round is not named the fault is none there: it has no such rule.
var oldFaults = []struct {
	name    string
	do      func(o *oldTree)
	rejects map[string]string // by round, a part of the reject
	warns   map[string]string
}{
	{"other seeds", func(o *oldTree) { o.set(oldRun+tree.DetailLog, "schedule_rng_seed", 7) },
		inAll("seeds a seed is not the round's"), nil},
	{"too short", func(o *oldTree) {
		o.set(oldRun+tree.DetailLog, "min_duration_ms", 59999)
		o.replace(oldRun+tree.DetailLog, "min_duration (ms): 60000", "min_duration (ms): 59999")
	}, inAll("duration the run was not set to last"), nil},
	{"a minute", func(o *oldTree) { o.set(oldRun+tree.DetailLog, "min_duration_ms", 60000) },
		map[string]string{"v1.0": "duration the run was not set to last ten minutes"}, nil},
	{"invalid", func(o *oldTree) {
		o.replace(oldRun+tree.SummaryLog, "Result is : VALID", "Result is : INVALID")
		o.replace(oldRun+tree.DetailLog, `"value": "VALID"`, `"value": "INVALID"`)
	}, inAll("validity the run is not valid"), nil},
	{"no summary", func(o *oldTree) { delete(o.files, oldRun+tree.SummaryLog) }, inAll("files a log is missing"), nil},
	{"few samples", func(o *oldTree) { o.set(oldRun+tree.DetailLog, "samples_per_query", 24575) },
		inAll("counts the Offline query has too few samples"), nil},
	{"few loaded", func(o *oldTree) { o.set(oldRun+tree.DetailLog, "performance_sample_count", 1023) },
		inAll("counts too few samples are loaded"), nil},
	{"inaccurate", func(o *oldTree) { o.replace(oldAccuracy+tree.AccuracyText, "76.123", "75.123") },
		inAll("accuracy acc is below its target"), nil},
	{"no hash", func(o *oldTree) { o.replace(oldAccuracy+tree.AccuracyText, "hash=0123abcd\n", "") },
		map[string]string{"v0.7": "hash the hash", "v1.0": "hash the hash"}, nil},
	{"a whole accuracy log", func(o *oldTree) {
		o.files[oldAccuracy+tree.AccuracyLog] = "[\n" + strings.Repeat(" ", 11<<10) + "]\n"
	}, map[string]string{"v0.7": "truncation", "v1.0": "truncation"}, nil},
	{"written anew", func(o *oldTree) {
		o.replace(oldAccuracy+tree.AccuracyLog, "{ \"seq_id\" : 0, \"qsl_idx\" : 1, \"data\" : \"00000000\" },",
			"  {\n    \"data\": \"00000000\",\n    \"qsl_idx\": 1\n  },")
	}, nil, nil},
	{"no TEST01", func(o *oldTree) { o.drop(o.audits + "Offline/TEST01/") },
		map[string]string{"v0.7": "audit-01 the compliance test", "v1.0": "audit-01 the compliance test"}, nil},
	{"no TEST04-B", func(o *oldTree) { o.drop(o.audits + "Offline/TEST04-B/") },
		map[string]string{"v0.7": "audit-04-B the compliance", "v1.0": "audit-04-B the compliance"}, nil},
	{"TEST05 with the round's seeds", func(o *oldTree) {
		o.set(o.audits+"Offline/TEST05/performance/run_1/mlperf_log_detail.txt", "qsl_rng_seed", o.rules.Seeds.QSL)
	}, map[string]string{"v0.7": "seeds a seed", "v1.0": "seeds a seed"}, map[string]string{"v0.5": "seeds a seed"}},
	{"TEST04-B with many samples", func(o *oldTree) {
		o.set(o.audits+"Offline/TEST04-B/performance/run_1/mlperf_log_detail.txt", "performance_issue_same", false)
	}, map[string]string{"v0.7": "audit-04-B the run has other settings", "v1.0": "audit-04-B the run has other settings"},
		map[string]string{"v0.5": "audit-04-B the run has other settings"}},
	{"TEST04-B faster", func(o *oldTree) {
		run := o.audits + "Offline/TEST04-B/performance/run_1/"
		const rate = `"result_samples_per_second", "value": 1`
		o.replace(run+tree.DetailLog, rate+"000", rate+"101")
		o.replace(run+tree.SummaryLog, "Samples per second: 1000", "Samples per second: 1101")
	}, map[string]string{"v0.7": "audit-04-B the scores of TEST04-A", "v1.0": "audit-04-B the scores of TEST04-A"},
		map[string]string{"v0.5": "audit-04-B the scores of TEST04-A"}},
	{"TEST04's verdict on another run", func(o *oldTree) {
		o.files[o.audits+"Offline/TEST04-A/verify_performance.txt"] = "Verifying performance.\n" +
			"TEST04-A score = 1000\nTEST04-B score = 900\nTEST PASS\n"
	}, map[string]string{"v0.7": "audit-04-B the verdict is", "v1.0": "audit-04-B the verdict is"},
		map[string]string{"v0.5": "audit-04-B the verdict is"}},
	{"TEST04's own verdict", func(o *oldTree) {
		o.files[o.audits+"Offline/TEST04-A/verify_performance.txt"] = "Verifying performance.\n" +
			"TEST04-A score = 1000\nTEST04-B score = 1000\nTEST PASS\n"
	}, nil, nil},
	{"TEST04-A failed", func(o *oldTree) { o.replace(o.audits+"Offline/TEST04-A/verify_performance.txt", "PASS", "FAIL") },
		map[string]string{"v0.7": "audit-04-A the audit did not pass", "v1.0": "audit-04-A the audit did not pass"},
		map[string]string{"v0.5": "audit-04-A the audit did not pass"}},
	{"an empty field", func(o *oldTree) {
		o.replace(oldLab+"systems/box.json", `"framework": "some"`, `"framework": ""`)
	}, nil, inAll("system a field is empty")},
	{"no description of the model", func(o *oldTree) { delete(o.files, oldPapers+"Offline/box_Offline.json") },
		nil, inAll("measurements the description of the model is missing")},
	{"no README", func(o *oldTree) { delete(o.files, oldPapers+"Offline/README.md") }, nil,
		inAll("files a file is missing")},
	{"a blank in a name", func(o *oldTree) { o.files[oldLab+"code/a b.py"] = "x\n" }, nil, inAll("repository")},
	{"another status", func(o *oldTree) { o.replace(oldLab+"systems/box.json", "available", "on-premise") },
		inAll("system status is unknown"), nil},
	{"no type of system", func(o *oldTree) {
		o.replace(oldLab+"systems/box.json", `"system_type": "edge"`, `"system_type": ""`)
	}, map[string]string{"v0.7": "system system_type is unknown", "v1.0": "system system_type is unknown"}, nil},
	{"both types", func(o *oldTree) {
		o.replace(oldLab+"systems/box.json", `"system_type": "edge"`, `"system_type": "datacenter,edge"`)
	}, map[string]string{"v0.7": "system system_type is unknown"}, nil},
	{"an audit.config that changes nothing", func(o *oldTree) {
		note := "Found Audit Config file (audit.config). Overriding TestSettings from audit.config file."
		if o.text {
			o.replace(oldRun+tree.DetailLog, "Requested Settings:", note+"\n"+`"pid": 12, "tid": 12, "ts": 7777ns : Test`)
		} else {
			o.files[oldRun+tree.DetailLog] += jsonLine("generic_message", note)
		}
	}, nil, inAll("settings an audit.config was read")},
	{"both modes in one run", func(o *oldTree) {
		for _, name := range tree.RunFiles() {
			o.replace(oldRun+name, "PerformanceOnly", "SubmissionRun")
			o.replace(oldRun+name, "Test mode : Performance", "Test mode : Submission")
			o.replace(oldRun+name, "Mode     : Performance", "Mode     : Submission")
		}
	}, nil, nil},
	{"a name with a zero byte", func(o *oldTree) { o.add(oldRun, zero) },
		map[string]string{"v1.0": "log-format an entry is not JSON"}, nil},
	{"a name of an audit's run with a zero byte", func(o *oldTree) {
		o.add(o.audits+"Offline/TEST01/performance/run_1/", zero)
	}, nil, map[string]string{"v1.0": "log-format an entry is not JSON"}},
	{"the last blank of a line taken", func(o *oldTree) { o.replace(oldRun+tree.DetailLog, " : \n", " :\n") }, nil, nil},
}

// inAll is one text of all rounds.
func inAll(text string) map[string]string {
	return map[string]string{"v0.5": text, "v0.7": text, "v1.0": text}
}

func (o *oldTree) drop(folder string) {
	for name := range o.files {
		if strings.HasPrefix(name, folder) {
			delete(o.files, name)
		}
	}
}

// TestOldRoundsRejectWhatTheyForbade breaks one thing after the other in a submission of each form of logs.
func TestOldRoundsRejectWhatTheyForbade(t *testing.T) {
	for _, round := range []string{"v0.5", "v0.7", "v1.0"} {
		for _, fault := range oldFaults {
			t.Run(path.Join(round, fault.name), func(t *testing.T) {
				o := newOldTree(t, round)
				fault.do(o)
				report := o.check(t)
				rejects, warnings := found(report, check.Reject), found(report, check.Warn)
				has := func(list []string, part string) bool {
					return slices.ContainsFunc(list, func(line string) bool { return strings.HasPrefix(line, part) })
				}
				want, rejected := fault.rejects[round]
				if rejected && !has(rejects, want) || !rejected && len(rejects) > 0 {
					t.Errorf("rejects %q, want %q", rejects, want)
				}
				if want, warned := fault.warns[round]; warned && !has(warnings, want) {
					t.Errorf("warnings %q, want %q", warnings, want)
				}
			})
		}
	}
}

// TestTextLogsAreOfTheirRounds: a log in text is one of v0.5 and v0.7 alone.
func TestTextLogsAreOfTheirRounds(t *testing.T) {
	text, now := newOldTree(t, "v0.7"), newOldTree(t, "v1.0")
	now.files[oldRun+tree.DetailLog] = text.files[oldRun+tree.DetailLog]
	if rejects := found(now.check(t), check.Reject); !slices.ContainsFunc(rejects, func(line string) bool {
		return strings.HasPrefix(line, "log-format the log is text")
	}) {
		t.Errorf("rejects %q, want the log's form", rejects)
	}
}
