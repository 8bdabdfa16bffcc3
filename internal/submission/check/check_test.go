package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestSummaryOfMultiStream: its summary shows latencies of queries, the detail log those of samples, too.
func TestSummaryOfMultiStream(t *testing.T) {
	for said, agrees := range map[string]bool{"2000": true, "1000": false} {
		root, folder := newTree(t), sound+"/performance/run_1"
		var log []byte
		for _, e := range []mllog.DetailEntry{
			{Key: "effective_scenario", Value: "MultiStream"}, {Key: "result_mean_latency_ns", Value: 1000},
			{Key: "result_mean_query_latency_ns", Value: 2000}, {Key: "result_99.00_percentile_latency_ns", Value: 1000},
			{Key: "result_99.00_percentile_per_query_latency_ns", Value: 2000},
		} {
			log = mllog.AppendDetail(log, e)
		}
		put(t, root, folder+"/"+tree.DetailLog, string(log))
		var summary bytes.Buffer
		if err := mllog.WriteSummary(&summary, &mllog.Summary{
			SUTName: "sut", Scenario: "MultiStream", Mode: "PerformanceOnly", Result: "VALID",
			Headline: []mllog.Field{{Label: "99.0th percentile latency (ns)", Value: said}},
			Stats:    [][]mllog.Field{{{Label: "Mean latency (ns)", Value: said}}},
		}); err != nil {
			t.Fatal(err)
		}
		put(t, root, folder+"/"+tree.SummaryLog, summary.String())
		found := 0
		for _, f := range run(t, root).Findings {
			if f.What == "summary and detail log disagree" && f.Rule == "metric" {
				found++
			}
		}
		if agrees && found != 0 || !agrees && found != 2 {
			t.Errorf("a summary of %s: %d findings", said, found)
		}
	}
}

// TestSummaryOfTokens: the latencies of tokens decide Server and Interactive, and are those of the detail log.
func TestSummaryOfTokens(t *testing.T) {
	root, folder := newTree(t), sound+"/performance/run_1"
	log := soundFiles()[folder+"/"+tree.DetailLog]
	for key, value := range map[string]int{
		"result_first_token_99.00_percentile_latency_ns": 20, "result_time_per_output_token_99.00_percentile_ns": 30,
		"result_first_token_mean_latency_ns": 2, "result_time_to_output_token_mean": 3,
	} {
		log += string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: key, Value: value, File: "f"}))
	}
	put(t, root, folder+"/"+tree.DetailLog, log)
	for _, added := range []int{0, 1} {
		var summary bytes.Buffer
		field := func(label string, v int) mllog.Field {
			return mllog.Field{Label: label, Value: strconv.Itoa(v + added)}
		}
		if err := mllog.WriteSummary(&summary, &mllog.Summary{
			SUTName: "sut", Scenario: "Offline", Mode: "PerformanceOnly", Result: "VALID",
			Headline: []mllog.Field{{Label: "Samples per second", Value: "0.5"}},
			Stats: [][]mllog.Field{{field("99.00 percentile first token latency (ns)", 20),
				field("Mean First Token latency (ns)", 2),
				field("99.00 percentile time to output token (ns)", 30), field("Mean Time per Output Token (ns)", 3)}},
		}); err != nil {
			t.Fatal(err)
		}
		put(t, root, folder+"/"+tree.SummaryLog, summary.String())
		found := 0
		for _, f := range run(t, root).Findings {
			if f.What == "summary and detail log disagree" {
				found++
			}
		}
		if found != 4*added {
			t.Errorf("numbers that differ by %d: %d findings", added, found)
		}
	}
}

func TestSoundSubmissionIsAccepted(t *testing.T) {
	report := run(t, newTree(t))
	if report.Verdict != check.Accepted || len(report.Results) != 1 || report.Results[0].Metric != 0.5 {
		t.Errorf("got %+v\n%s", report.Results, texts(report))
	}
}

// TestJSONHasLists: a report without findings has an empty list of them.
func TestJSONHasLists(t *testing.T) {
	text, err := json.Marshal(run(t, newTree(t)))
	if err != nil || !strings.Contains(string(text), `"findings":[]`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// TestEveryFaultAtOnce breaks a tree in many places: each is told, with all that a finding has.
func TestEveryFaultAtOnce(t *testing.T) {
	root := newTree(t)
	for name, text := range map[string]string{
		"closed/Lab/systems/box.json":            "\ufeff{}",
		sound + "/measurements.json":             "{",
		sound + "/user.conf":                     "nonsense\n",
		sound + "/accuracy/accuracy.txt":         "Accuracy: mean = 0.5\n",
		sound + "/TEST01/verify_performance.txt": "NOT A TEST PASS\n",
		sound + "/TEST01/verify_accuracy.txt":    "num_perf_log_data_mismatch = 3\nTEST PASS\n",
		sound + "/accuracy/.DS_Store":            "x",
		"closed/Empty/src/x":                     "a submitter without results",
		"notes.txt":                              "x",
	} {
		put(t, root, name, text)
	}
	r := run(t, root)
	wantFinding(t, r, check.Reject, "system", "closed/Lab/systems/box.json", "byte order mark")
	wantFinding(t, r, check.Reject, "measurements", sound+"/measurements.json", "not JSON")
	wantFinding(t, r, check.Reject, "conf", sound+"/user.conf", "nonsense")
	wantFinding(t, r, check.Reject, "accuracy", sound+"/accuracy/accuracy.txt", "DICE is below its target 0.5")
	wantFinding(t, r, check.Reject, "hash", sound+"/accuracy/accuracy.txt", "missing")
	wantFinding(t, r, check.Reject, "audit-01", sound+"/TEST01/verify_performance.txt", "did not pass")
	wantFinding(t, r, check.Reject, "audit-01", sound+"/TEST01/verify_accuracy.txt", "num_perf_log_data_mismatch 3")
	wantFinding(t, r, check.Reject, "repository", sound+"/accuracy/.DS_Store", "hidden")
	wantFinding(t, r, check.Reject, "tree", "closed/Empty", "no results")
	wantFinding(t, r, check.Warn, "files", "notes.txt", "no part")
	for _, f := range r.Findings {
		if f.Source == "" || f.Do == "" || f.Path == "" || f.What == "" {
			t.Errorf("a finding is not whole: %+v", f)
		}
	}
}

// TestLogsThatAreNoLogs replaces the detail log of the performance run.
func TestLogsThatAreNoLogs(t *testing.T) {
	log := sound + "/performance/run_1/mlperf_log_detail.txt"
	whole := soundFiles()[log]
	for _, c := range []struct {
		text     string
		severity check.Severity
		what     string
	}{
		{"", check.Reject, "the log is empty"},
		{"hello\n" + whole, check.Reject, "the first line is no entry"},
		{"\ufeff" + whole, check.Reject, "the first line is no entry"},
		{whole + "hello\n", check.Warn, "lines are not entries"},
		{whole + ":::MLLOG {\"key\": \n", check.Reject, "entries cannot be read"},
		{strings.ReplaceAll(whole, "\n", "\r\n"), check.Warn, "carriage returns"},
		{strings.TrimSuffix(whole, "\n"), check.Warn, "the last line has no end"},
		{whole + "\xff\n", check.Reject, "the log is no text"},
	} {
		root := newTree(t)
		put(t, root, log, c.text)
		wantFinding(t, run(t, root), c.severity, "log-format", log, c.what)
	}
}

// TestRunsThatMayNotBeSubmitted replaces entries of the performance run.
func TestRunsThatMayNotBeSubmitted(t *testing.T) {
	log := sound + "/performance/run_1/mlperf_log_detail.txt"
	for _, c := range []struct{ old, new, rule string }{
		{`"6.0.17 @ d6147c7eb7"`, `"plumbline 1.0 (compatible with 6.0.17)"`, "loadgen"},
		{`"6.0.17 @ d6147c7eb7"`, `"4.1 @ abc"`, "loadgen"},
		{`"VALID"`, `"INVALID"`, "validity"},
		{"PerformanceOnly", "AccuracyOnly", "settings"},
		{"2085463073848966840", "1", "seeds"},
		{": 600000", ": 599999", "duration"},
		{`"effective_performance_sample_count", "value": 43`, `"effective_performance_sample_count", "value": 42`,
			"counts"},
		{`"result_samples_per_second", "value": 0.5`, `"result_samples_per_second", "value": 0.9`, "metric"},
		{`"result_samples_per_second", "value": 0.5`, `"result_samples_per_second", "value": nan`, "metric"},
		{`"effective_sample_concatenate_permutation", "value": true`,
			`"effective_sample_concatenate_permutation", "value": false`, "settings"},
	} {
		root := newTree(t)
		put(t, root, log, strings.Replace(soundFiles()[log], c.old, c.new, 1))
		if r := run(t, root); r.Verdict != check.Rejected {
			t.Errorf("%s: accepted", c.new)
		} else {
			wantFinding(t, r, check.Reject, c.rule, log, "")
		}
	}
}

// TestWhatTheOfficialCheckerRefuses changes one file, by a text that takes the place of another; with no text before,
// the file is new.
func TestWhatTheOfficialCheckerRefuses(t *testing.T) {
	const (
		systems = "closed/Lab/systems/box.json"
		log     = sound + "/performance/run_1/mlperf_log_detail.txt"
	)
	deep := strings.Repeat("[", 1100) + strings.Repeat("]", 1100)
	for _, c := range []struct{ file, old, text, rule, what string }{
		{systems, `"cooling": "N/A"`, "\"cooling\": \"Xeon\xae\"", "system", "line 30 has the byte 0xae"},
		{systems, `"cooling": "N/A"`, `"cooling": "\ud800"`, "system", "half of a letter"},
		{systems, `"cooling": "N/A"`, `"cooling": ` + deep, "system", "too deep"},
		{systems, `"hw_notes": "N/A"`, `"hw_notes": 5`, "system", "hw_notes: 5"},
		{systems, `"sw_notes": "N/A"`, `"sw_notes": ["x"]`, "system", "sw_notes"},
		{systems, `"submitter": "Lab"`, `"submitter": "ſab"`, "system", "not that of the folder"},
		{systems, `"cooling"`, `"is_network": "yes", "cooling"`, "network", "neither true nor false"},
		{systems, `"cooling"`, `"is_network": null, "cooling"`, "network", "neither true nor false"},
		{systems, `"cooling"`, `"is_network": "False", "cooling"`, "network", "a field is missing"},
		{sound + "/measurements.json", `"N/A"`, "\"fp32\x96\"", "measurements", "is not UTF-8"},
		{sound + "/measurements.json", `"retraining": "N"`, `"retraining": false`, "measurements", "retraining is no text"},
		{sound + "/measurements.json", `"retraining": "N"`, `"retraining": 1`, "measurements", "retraining is no text"},
		{sound + "/accuracy/accuracy.txt", "hash=", "\xae\nhash=", "files", "is not UTF-8"},
		{sound + "/TEST01/verify_accuracy.txt", "TEST PASS", "\xae\nTEST PASS", "audit-01", "is not UTF-8"},
		{sound + "/TEST01/verify_performance.txt", "TEST PASS", "TEST PASS\n\xae", "audit-01", "is not UTF-8"},
		{sound + "/TEST06/verify_accuracy.txt", "", "\xae", "audit-06", "nobody asked for"},
		{sound + "/TEST04/performance/run_1/mlperf_log_detail.txt", "", "x\n", "log-format", "the first line is no entry"},
		{"closed/Lab/systems/box_power.yaml", "", "a: [", "power", "no YAML"},
		{log, ":::MLLOG {\"key\": \"qsl_name\"", "word\r:::MLLOG {\"key\": \"qsl_name\"", "log-format", "a line is broken"},
		{log, `"sut"`, `"a "sut""`, "log-format", "an entry is not JSON"},
		{log, `"sut"`, "\"sut\\\"", "log-format", "an entry is not JSON"},
		{log, `"is_error": false`, `"is_err": false`, "log-format", "whether it is an error"},
		{log, `:::MLLOG {"key": "effective_min_d`, `:::MLLOG {"\u006bey": "effective_min_duration_ms", "value": 1, ` +
			`"metadata": {"is_error": false}}` + "\n" + `:::MLLOG {"key": "effective_min_d`, "duration", "ten minutes"},
	} {
		root := newTree(t)
		text := soundFiles()[c.file]
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s has no %s: %s", c.file, c.old, text)
		}
		put(t, root, c.file, strings.Replace(text, c.old, c.text, 1))
		wantFinding(t, run(t, root), check.Reject, c.rule, c.file, c.what)
	}
}

// TestSamplesOfResultsInTokensGolden: the official checker reads the rate of samples also where that of tokens counts.
func TestSamplesOfResultsInTokensGolden(t *testing.T) {
	const log = "closed/Toylab/results/toy_dc/gpt-oss-120b/Offline/performance/run_1/mlperf_log_detail.txt"
	for _, op := range []treeops.Op{
		{Op: "log-del", Path: log, Key: "result_samples_per_second"},
		{Op: "log-set", Path: log, Key: "result_samples_per_second", Value: []byte("null")},
	} {
		root := treeops.NewBaseTrees(t).Tree(t, "datacenter", []treeops.Op{op})
		wantFinding(t, run(t, root), check.Reject, "metric", log, "a result is no number")
	}
}

// TestPercentForAShareGolden: the target of pointpainting is a share of 1, and its script prints percent.
func TestPercentForAShareGolden(t *testing.T) {
	const folder = "closed/Toylab/results/toy_edge/"
	for total, below := range map[string]bool{"54.2": false, "54.1": true, "0.542": true} {
		root := treeops.NewBaseTrees(t).Tree(t, "edge", []treeops.Op{
			{Op: "move", From: folder + "resnet50", To: folder + "pointpainting"},
			{Op: "replace", Path: folder + "pointpainting/*/accuracy/accuracy.txt",
				Old: "accuracy=76.460%, good=38230, total=50000", New: "{'Pedestrian': [1.0], 'Total': " + total + "}"},
		})
		found, err := tree.Open(root, "v6.0")
		if err != nil {
			t.Fatal(err)
		}
		report, err := check.Run(t.Context(), found, check.Options{})
		found.Close()
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(report.Findings, func(f check.Finding) bool {
			return f.Path == folder+"pointpainting/SingleStream/accuracy/accuracy.txt" &&
				f.What == "mAP is below its target" && f.Found == total+" percent"
		})
		if said != below {
			t.Errorf("Total %s: below its target is %v, want %v:\n%s", total, said, below, texts(report))
		}
	}
}

// TestNamesThatBreakTables: names of folders stand in the official summary as they are.
func TestNamesThatBreakTables(t *testing.T) {
	for _, name := range []string{"Lab\nco", `L"ab"`, "L\xe4b"} {
		root := newTree(t)
		if err := os.Rename(filepath.Join(root, "closed/Lab"), filepath.Join(root, "closed", name)); err != nil {
			t.Skip(err) // a file system that has no such names
		}
		wantFinding(t, run(t, root), check.Reject, "repository", "closed/"+name, "rename it")
	}
	root := newTree(t)
	put(t, root, "closed/Lab/systems/box.json", strings.Replace(soundSystem(), `"system_name": "N/A"`,
		`"system_name": "a \"box\""`, 1))
	wantFinding(t, run(t, root), check.Warn, "system", "closed/Lab/systems/box.json", "a field has a quote")
}

func TestMarkedResultsAreRefused(t *testing.T) {
	root := newTree(t)
	put(t, root, sound+"/measurements.json", strings.Replace(soundModel(), "{",
		`{"`+tree.MarksField+`": ["the plugin's embedded model"], `, 1))
	wantFinding(t, run(t, root), check.Reject, "measurements", sound+"/measurements.json",
		"the plugin's embedded model")
}

func TestOneRunForTwoResults(t *testing.T) {
	root := newTree(t)
	if err := os.CopyFS(filepath.Join(root, "closed/Größe 💡"), os.DirFS(filepath.Join(root,
		"closed/Lab"))); err != nil {
		t.Fatal(err)
	}
	for _, submitter := range []string{"Lab", "Größe 💡"} {
		log := strings.Replace(sound, "Lab", submitter, 1) + "/performance/run_1/mlperf_log_detail.txt"
		wantFinding(t, run(t, root), check.Reject, "duplicates", log, "filed for another result")
	}
}

// TestSamplesWithoutTheMetersFiles: --skip-power-check leaves the meter's files alone, and no sample.
func TestSamplesWithoutTheMetersFiles(t *testing.T) {
	const good = "Time,11-22-2026 08:05:00.000,Watts,100.0\n"
	for text, what := range map[string]string{
		good: "", "a remark\n" + good: "", good + "Time,11-22-2026 09:05:00.000,Watts,x\n": "",
		good + "Time,11-22-2026 08:06:00.000,Watts,x\n": "a sample cannot be read",
		good + "Time\n": "a sample cannot be read", good + "\xae\n": "is not UTF-8", "": "no sample of power",
		"Time,11-22-2026 08:05:00.000,Watts,0\n": "no sample of power",
	} {
		root := newTree(t)
		performance := sound + "/performance/"
		for _, folder := range []string{"run_1/", "ranging/"} {
			for _, name := range tree.RunFiles() {
				put(t, root, performance+folder+name, soundFiles()[performance+"run_1/"+name])
			}
			put(t, root, performance+folder+tree.PowerSamples, text)
		}
		for _, name := range tree.PowerFiles() {
			put(t, root, performance+"power/"+name, "x")
		}
		found, err := tree.Open(root, "")
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		r, err := check.Run(context.Background(), found, check.Options{Skip: check.Skip{PowerFiles: true}})
		switch {
		case err != nil:
			t.Fatal(err)
		case what != "":
			wantFinding(t, r, check.Reject, "power", performance+"run_1/spl.txt", what)
		case r.Verdict == check.Rejected:
			t.Errorf("%q: %s", text, texts(r))
		}
	}
}

// TestOneResultTwice: under two names that the rules take for one, with one run or with two.
func TestOneResultTwice(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{sound, strings.Replace(sound, "Offline", "offline", 1)},
		{strings.Replace(sound, "3d-unet-99", "resnet", 1), strings.Replace(sound, "3d-unet-99", "resnet50", 1)},
	} {
		root := newTree(t)
		for _, to := range []string{c.from, c.to} {
			if to == sound {
				continue
			}
			if err := os.CopyFS(filepath.Join(root, to), os.DirFS(filepath.Join(root, sound))); err != nil {
				t.Fatal(err)
			}
		}
		r := run(t, root)
		log := "/performance/run_1/mlperf_log_detail.txt"
		wantFinding(t, r, check.Reject, "duplicates", c.from+log, "filed for another result")
		wantFinding(t, r, check.Reject, "duplicates", c.to+log, "filed for another result")
		put(t, root, c.to+log, strings.Replace(soundFiles()[sound+log], "08:00:01", "09:00:01", 1))
		wantFinding(t, run(t, root), check.Reject, "duplicates", c.to, "the result is there twice")
	}
}

// TestFilesThatAreTooLarge: a document of 100 MB is not read.
func TestFilesThatAreTooLarge(t *testing.T) {
	root := newTree(t)
	for _, name := range []string{sound + "/measurements.json", "closed/Lab/src/weights"} {
		put(t, root, name, "")
		if err := os.Truncate(filepath.Join(root, name), 100<<20); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, root)
	wantFinding(t, r, check.Reject, "measurements", sound+"/measurements.json", "is larger than")
	wantFinding(t, r, check.Reject, "repository", "closed/Lab/src/weights", "50 MiB")
}

// TestTreeThatChanges takes files away, and puts others in their place, when the names have been read.
func TestTreeThatChanges(t *testing.T) {
	root := newTree(t)
	found, err := tree.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	log := sound + "/performance/run_1/mlperf_log_detail.txt"
	if err := os.Remove(filepath.Join(root, log)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, sound, "TEST01")); err != nil {
		t.Fatal(err)
	}
	r, err := check.Run(context.Background(), found, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantFinding(t, r, check.Reject, "files", log, "the log cannot be read")
	wantFinding(t, r, check.Reject, "audit-01", sound+"/TEST01/verify_accuracy.txt", "the verdict cannot be read")
}

func TestNothingToCheck(t *testing.T) {
	found, err := tree.Open(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if _, err := check.Run(context.Background(), found, check.Options{}); !errors.Is(err, tree.ErrNoSubmission) {
		t.Errorf("an empty folder: got %v", err)
	}
	other, err := tree.Open(newTree(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = check.Run(context.Background(), other, check.Options{Submitter: "Nobody"})
	if !errors.Is(err, tree.ErrNoSubmission) || !strings.Contains(err.Error(), "Lab") {
		t.Errorf("an unknown submitter: got %v", err)
	}
}

func TestAnEndedCheck(t *testing.T) {
	found, err := tree.Open(newTree(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := check.Run(ctx, found, check.Options{}); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
