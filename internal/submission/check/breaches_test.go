package check_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/review"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// The folders of the sound tree's runs, and the logs of one.
const (
	runFolder      = sound + "/performance/run_1"
	accuracyFolder = sound + "/accuracy"
	auditRun       = sound + "/TEST01/performance/run_1"
	verdictOf      = sound + "/TEST01/" + tree.VerifyPerformance
)

// edits is a change of a tree's files.
type edits func(files map[string]string)

// setEntries gives entries of a run's detail log another value; key and value by turns.
func setEntries(folder string, pairs ...any) edits {
	return func(files map[string]string) {
		name := folder + "/" + tree.DetailLog
		for pair := range slices.Chunk(pairs, 2) {
			value, err := json.Marshal(pair[1])
			form := regexp.MustCompile(`("key": "` + regexp.QuoteMeta(pair[0].(string)) + `", "value": ).*?(, "time_ms")`)
			if err != nil || !form.MatchString(files[name]) {
				panic(fmt.Sprintf("%s has no %s: %s, %v", name, pair[0], files[name], err))
			}
			files[name] = form.ReplaceAllString(files[name], "${1}"+strings.ReplaceAll(string(value), "$", "$$")+"${2}")
		}
	}
}

// addEntries adds entries to a run's detail log; key and value by turns.
func addEntries(folder string, pairs ...any) edits {
	return func(files map[string]string) {
		log := []byte(files[folder+"/"+tree.DetailLog])
		for pair := range slices.Chunk(pairs, 2) {
			log = mllog.AppendDetail(log, mllog.DetailEntry{Key: pair[0].(string), Value: pair[1], File: "f"})
		}
		files[folder+"/"+tree.DetailLog] = string(log)
	}
}

// dropEntries removes the entries of a key from a run's detail log.
func dropEntries(folder, key string) edits {
	return func(files map[string]string) {
		name := folder + "/" + tree.DetailLog
		files[name] = regexp.MustCompile(`(?m)^.*"key": "`+key+`".*\n`).ReplaceAllString(files[name], "")
	}
}

// writeFile gives a file another text.
func writeFile(name, text string) edits {
	return func(files map[string]string) { files[name] = text }
}

// copyFolder puts a copy of the files below a folder below another.
func copyFolder(from, to string) edits {
	return func(files map[string]string) {
		for name, text := range maps.Clone(files) {
			if rest, ok := strings.CutPrefix(name, from+"/"); ok {
				files[to+"/"+rest] = text
			}
		}
	}
}

// inOrder makes several changes, one after the other.
func inOrder(list ...edits) edits {
	return func(files map[string]string) {
		for _, e := range list {
			e(files)
		}
	}
}

// setScore gives a run another score, in both logs.
func setScore(folder string, score float64) edits {
	return inOrder(setEntries(folder, "result_samples_per_second", score), func(files map[string]string) {
		name := folder + "/" + tree.SummaryLog
		files[name] = strings.Replace(files[name], "0.5", fmt.Sprint(score), 1)
	})
}

// setSeeds gives all three seeds one value.
func setSeeds(folder string, value uint64) edits {
	return setEntries(folder, "effective_qsl_rng_seed", value, "effective_sample_index_rng_seed", value,
		"effective_schedule_rng_seed", value)
}

// otherSystem adds a system beside the sound tree's, another host, with the same runs.
func otherSystem(submitter string) edits {
	home := strings.Replace(sound, "Lab/results/box", submitter+"/results/other", 1)
	return inOrder(copyFolder(sound, home), func(files map[string]string) {
		system := strings.ReplaceAll(soundSystem(), `"Lab"`, `"`+submitter+`"`)
		files["closed/"+submitter+"/systems/other.json"] = strings.Replace(system, `"host_processor_model_name": "N/A"`,
			`"host_processor_model_name": "another"`, 1)
		files["closed/"+submitter+"/src/README.md"] = "programs"
	})
}

// sameMachine adds a second description of the sound tree's machine, of which one field differs, with the same runs.
func sameMachine(was, is string) edits {
	return inOrder(otherSystem("Lab"), writeFile("closed/Lab/systems/other.json",
		strings.Replace(soundSystem(), was, is, 1)))
}

// makeOwnRun makes the copy of a run that another system has a run of its own.
func makeOwnRun(folder string) edits {
	return setEntries(strings.Replace(folder, "box", "other", 1), "test_datetime", "another")
}

// partOf is the folder of a result of another benchmark of the tree, of which only one folder is there.
func partOf(benchmark, folder string) string {
	return "closed/Lab/results/box/" + benchmark + "/Offline/" + folder
}

// addAudit adds the logs of an audit's run.
func addAudit(folder string) edits {
	return func(files map[string]string) { addRun(files, folder, "PerformanceOnly", "4", auditEntries()...) }
}

// dataSets gives the runs of the result and of the audit the sizes of their data sets.
func dataSets(result, audit int) edits {
	const size = "qsl_reported_total_count"
	return inOrder(addEntries(runFolder, size, result), addEntries(auditRun, size, audit))
}

// breaches are trees with one breach each, as published rounds had them.
var breaches = []struct {
	name string
	edit edits
	kind check.Kind
	at   string // the file of the first case's first finding
	with string // its other file
}{
	{"another benchmark: 50,000 samples", dataSets(43, 50000), check.AuditOfAnother, auditRun, runFolder},
	{"another benchmark: 1,633 samples", dataSets(43, 1633), check.AuditOfAnother, auditRun, runFolder},
	{"another benchmark: one sample", dataSets(43, 1), check.AuditOfAnother, auditRun, runFolder},
	{"another benchmark: of no benchmark's size", dataSets(43, 77), check.AuditOfAnother, auditRun, runFolder},
	{"another benchmark: with another score", inOrder(dataSets(43, 50000), setScore(auditRun, 25212.3)),
		check.AuditOfAnother, auditRun, runFolder},
	{"another benchmark: of one sample again and again", inOrder(dataSets(43, 50000),
		addEntries(auditRun, "effective_performance_issue_same", true)), check.AuditOfAnother, auditRun, runFolder},
	{"an audit as the result",
		addEntries(runFolder, "warning_generic_message", "Found Audit Config file (audit.config). Overriding",
			"effective_accuracy_log_probability", 0.1),
		check.AuditAsResult, runFolder, ""},
	{"an audit as the result: outputs logged",
		addEntries(runFolder, "warning_generic_message", "Found Audit Config file (audit.config).",
			"effective_accuracy_log_sampling_target", 4096), check.AuditAsResult, runFolder, ""},
	{"a far score: slower", inOrder(setScore(auditRun, 0.3), writeFile(verdictOf, "Test score = 0.3\nTEST PASS\n")),
		check.ScoreApart, auditRun, runFolder},
	{"a far score: quicker", inOrder(setScore(auditRun, 0.9), writeFile(verdictOf, "Test score = 0.9\nTEST PASS\n")),
		check.ScoreApart, auditRun, runFolder},
	{"a far score: verified against another run", inOrder(setScore(auditRun, 0.3),
		writeFile(verdictOf, "Reference score = 0.31\nTest score = 0.3\nTEST PASS\n")), check.ScoreApart, auditRun,
		runFolder},
	{"the result as its audit", copyFolder(runFolder, auditRun), check.ResultAsAudit, auditRun, runFolder},
	{"the result as its audit: another verdict", inOrder(copyFolder(runFolder, auditRun),
		writeFile(verdictOf, "Test score = 0.4\nTEST PASS\n")),
		check.ResultAsAudit, auditRun, runFolder},
	{"no output: an empty list", inOrder(addAudit(partOf("llama3.1-8b", "TEST06/performance/run_1")),
		writeFile(partOf("llama3.1-8b", "TEST06/accuracy/"+tree.AccuracyLog), "[ ]")), check.AuditWithoutOutput,
		partOf("llama3.1-8b", "TEST06/accuracy"), ""},
	{"no output: an empty file", writeFile(partOf("llama3.1-8b", "TEST06/accuracy/"+tree.AccuracyLog), ""),
		check.AuditWithoutOutput, partOf("llama3.1-8b", "TEST06/accuracy"), ""},
	{"no output: of lines", writeFile(partOf("deepseek-r1", "TEST06/accuracy/"+tree.AccuracyLog), "[\n]\n"),
		check.AuditWithoutOutput, partOf("deepseek-r1", "TEST06/accuracy"), ""},
	{"no output: of TEST01", writeFile(sound+"/TEST01/accuracy/"+tree.AccuracyLog, "[\n\n]"), check.AuditWithoutOutput,
		sound + "/TEST01/accuracy", ""},
	{"another mode", setEntries(accuracyFolder, "effective_test_mode", "PerformanceOnly"),
		check.RunOfAnotherMode, accuracyFolder, ""},
	{"another mode: the other way", setEntries(runFolder, "effective_test_mode", "AccuracyOnly"),
		check.RunOfAnotherMode, runFolder, ""},
	{"LoadGen", setEntries(runFolder, "loadgen_version", "4.1 @ 379ee5345a"), check.LoadGenOfAnother, runFolder, ""},
	{"LoadGen: an audit", setEntries(auditRun, "loadgen_version", "5.1.0 @ 379ee5345a"),
		check.LoadGenOfAnother, auditRun, ""},
	{"LoadGen: a later one", setEntries(runFolder, "loadgen_version", "7.0.1 @ 379ee5345a"),
		check.LoadGenOfAnother, runFolder, ""},
	{"a verdict: the reference", writeFile(verdictOf, "Reference score = 0.48\nTest score = 0.5\nTEST PASS\n"),
		check.VerdictOfOtherLogs, verdictOf, runFolder},
	{"a verdict: the audit", writeFile(verdictOf, "Reference score = 0.5\nTest score = 0.52\nTEST PASS\n"),
		check.VerdictOfOtherLogs, verdictOf, auditRun},
	{"seeds", setSeeds(accuracyFolder, 0), check.SeedsOfAnother, accuracyFolder, ""},
	{"seeds: an audit", setSeeds(auditRun, 0), check.SeedsOfAnother, auditRun, ""},
	{"seeds: of another round", setSeeds(runFolder, 1780908523862526354), check.SeedsOfAnother, runFolder, ""},
	{"issue mode",
		setEntries(runFolder, "effective_sample_concatenate_permutation", false), check.IssueMode, runFolder, ""},
	{"filed twice", otherSystem("Lab"), check.RunFiledTwice, runFolder, strings.Replace(runFolder, "box", "other", 1)},
	{"filed twice: of another submitter", otherSystem("Lob"), check.RunFiledTwice, runFolder,
		strings.Replace(runFolder, "Lab/results/box", "Lob/results/other", 1)},
	{"filed twice: the audit alone", inOrder(otherSystem("Lab"), makeOwnRun(runFolder), makeOwnRun(accuracyFolder)),
		check.RunFiledTwice, auditRun, strings.Replace(auditRun, "box", "other", 1)},
	{"filed twice: the accuracy run alone", inOrder(otherSystem("Lab"), makeOwnRun(runFolder), makeOwnRun(auditRun)),
		check.RunFiledTwice, accuracyFolder, strings.Replace(accuracyFolder, "box", "other", 1)},
	{"filed twice: another cooling", sameMachine(`"cooling": "N/A"`, `"cooling": "liquid"`),
		check.RunFiledTwice, runFolder, strings.Replace(runFolder, "box", "other", 1)},
	{"no settings", inOrder(dropEntries(auditRun, "warning_generic_message"),
		setEntries(auditRun, "effective_accuracy_log_sampling_target", 0)),
		check.AuditWithoutSettings, auditRun, ""},
	{"no settings: sampling alone", setEntries(auditRun, "effective_accuracy_log_sampling_target", 0),
		check.AuditWithoutSettings, auditRun,
		""},
	{"no settings: TEST04", inOrder(addAudit(partOf("resnet", "TEST04/performance/run_1")),
		setEntries(partOf("resnet", "TEST04/performance/run_1"), "effective_sample_concatenate_permutation", false)),
		check.AuditWithoutSettings, partOf("resnet", "TEST04/performance/run_1"), ""},
}

// checkMade writes the sound tree with a change, and checks it.
func checkMade(t *testing.T, edit edits) *check.Report {
	t.Helper()
	files, root := soundFiles(), t.TempDir()
	edit(files)
	for name, text := range files {
		put(t, root, name, text)
	}
	return run(t, root)
}

// TestBreachesOfPublishedRounds: a review tells each under its kind, and no other, with the files that show it.
func TestBreachesOfPublishedRounds(t *testing.T) {
	for _, c := range breaches {
		t.Run(c.name, func(t *testing.T) {
			report := checkMade(t, c.edit)
			var named []string
			for _, k := range review.Make(report, review.Scope{}).Kinds {
				first := k.Submitters[0].Cases[0].Findings[0]
				if first.Kind == "" {
					continue // what the half of a result lacks
				}
				named = append(named, k.ID)
				if !strings.HasPrefix(first.Path, c.at) || !strings.HasPrefix(first.Other, c.with) ||
					(first.Other == "") != (c.with == "") || first.Found == "" || k.Title == "a rule is broken" {
					t.Errorf("the evidence is %+v, want it in %s and %q", first, c.at, c.with)
				}
			}
			if !slices.Equal(named, []string{string(c.kind)}) {
				t.Errorf("the kinds are %q, want %s alone\n%s", named, c.kind, texts(report))
			}
		})
	}
}

// falseAlarms are trees that an earlier check refused wrongly. Below is the part of the tree that they are about.
var falseAlarms = []struct {
	name  string
	edit  edits
	below string
}{
	{"no change", inOrder(), ""},
	{"TEST08 is its verdict alone", writeFile(partOf("dlrm-v3", "TEST08/"+tree.VerifyAccuracy), "TEST PASS\n"),
		partOf("dlrm-v3", "TEST08")},
	{"logs that lie flat", inOrder(addAudit(partOf("gpt-oss-120b", "TEST09")),
		writeFile(partOf("gpt-oss-120b", "TEST09/"+tree.VerifyOutputLength), "TEST PASS\n")),
		partOf("gpt-oss-120b", "TEST09")},
	{"user.conf is not what ran",
		writeFile(sound+"/user.conf", "*.Offline.target_qps = 1\n*.Offline.min_duration = 0\n"),
		""},
	{"a score as the script rounds it", inOrder(setScore(runFolder, 0.81492), setScore(auditRun, 0.81492),
		writeFile(verdictOf, "Reference score = 0.81\nTest score = 0.81\nTEST PASS\n")), ""},
	{"git's line ends", writeFile(accuracyFolder+"/"+tree.AccuracyLog, windows(cutLog(400))), ""},
	{"TEST07 ends with its last query", inOrder(addAudit(partOf("gpt-oss-120b", "TEST07/performance/run_1")),
		addEntries(partOf("gpt-oss-120b", "TEST07/performance/run_1"), "result_query_count", 990,
			"generated_query_count", 990),
		func(files map[string]string) {
			name := partOf("gpt-oss-120b", "TEST07/performance/run_1/"+tree.DetailLog)
			files[name] = string(mllog.AppendDetail([]byte(files[name]), mllog.DetailEntry{Key: "error_runtime", Error: true,
				Value: "IssueQueryThread 0 Ending early: Max query count reached. query_count 990"}))
		}, writeFile(partOf("gpt-oss-120b", "TEST07/"+tree.VerifyAccuracy), "TEST PASS\n")),
		partOf("gpt-oss-120b", "TEST07")},
	{"not another benchmark: both libraries hold a part", dataSets(43, 43), ""},
	{"not another benchmark: the audit's holds all", dataSets(20, 43), ""},
	{"not another benchmark: the log does not say", addEntries(auditRun, "qsl_reported_total_count", 50000), ""},
	{"not LoadGen: LoadGen without a history", setEntries(runFolder, "loadgen_version", "6.0.9 @ NA"), ""},
	{"not a verdict: the inverse of a rate",
		writeFile(verdictOf, "Reference score = 2e9\nTest score = 2e9\nTEST PASS\n"), ""},
	{"not filed twice: one machine of two types", sameMachine(`"system_type": "datacenter"`, `"system_type": "edge"`),
		sound},
	{"not filed twice: one machine of two types, and another name", inOrder(
		sameMachine(`"system_type": "datacenter"`, `"system_type": "datacenter,edge"`),
		func(files map[string]string) {
			const name = "closed/Lab/systems/other.json"
			files[name] = strings.Replace(files[name], `"system_name": "N/A"`, `"system_name": "the same at the edge"`, 1)
		}), sound},
	{"not filed twice: one machine of two names", inOrder(otherSystem("Lab"),
		writeFile("closed/Lab/systems/other.json", soundSystem())), sound},
	{"not filed twice: the lower accuracy of a benchmark",
		copyFolder(sound, strings.Replace(sound, "3d-unet-99", "3d-unet-99.9", 1)), ""},
}

// TestTheRightPlaceOfAnAuditIsNotAccused: of two results with one audit's run only the one is accused that it is not an
// audit of.
func TestTheRightPlaceOfAnAuditIsNotAccused(t *testing.T) {
	right := strings.Replace(sound, "3d-unet-99", "resnet", 1)
	report := checkMade(t, inOrder(dataSets(43, 50000), copyFolder(sound, right), func(files map[string]string) {
		name := right + "/performance/run_1/" + tree.DetailLog
		files[name] = strings.Replace(files[name], `"value": 43,`, `"value": 50000,`, -1)
		files[name] = strings.Replace(files[name], `"test_datetime", "value": "1"`, `"test_datetime", "value": "7"`, 1)
	}))
	log := "/TEST01/performance/run_1/" + tree.DetailLog
	wantFinding(t, report, check.Reject, "audit-01", sound+log, "of another benchmark")
	wantFinding(t, report, check.Reject, "duplicates", sound+log, "filed for another result")
	for _, f := range report.Findings {
		if f.Path == right+log && (f.Kind == check.RunFiledTwice || f.Kind == check.AuditOfAnother) {
			t.Errorf("the right place is accused: %+v", f)
		}
	}
}

// TestInferredResultsAreNoBreachGolden: the copies that the official preprocessing makes of a scenario, audit and
// all, are neither another scenario's runs nor filed twice.
func TestInferredResultsAreNoBreachGolden(t *testing.T) {
	const benchmark = "closed/Toylab/results/toy_edge/resnet50/"
	for from, to := range map[string]string{"SingleStream": "MultiStream", "MultiStream": "Offline"} {
		root := treeops.NewBaseTrees(t).Tree(t, "edge", []treeops.Op{treeops.ShortLists(),
			{Op: "delete", Path: benchmark + to}, {Op: "copy", From: benchmark + from, To: benchmark + to}})
		report := run(t, root)
		for _, k := range review.Make(report, review.Scope{Folder: benchmark + to}).Kinds {
			t.Errorf("%s from %s is accused of %s: %s", to, from, k.ID, k.Submitters[0].Lines()[0])
		}
	}
}

// TestFalseAlarmsOfPublishedRounds: what is right has nothing to act on.
func TestFalseAlarmsOfPublishedRounds(t *testing.T) {
	for _, c := range falseAlarms {
		t.Run(c.name, func(t *testing.T) {
			report := checkMade(t, c.edit)
			for _, k := range review.Make(report, review.Scope{Folder: c.below}).Kinds {
				t.Errorf("it is accused of %s: %s", k.ID, k.Submitters[0].Lines()[0])
			}
		})
	}
}

// TestMetersOfARoundAreNoFault: in a tree of a round before v5.1 the meter's settings are one object, and a list later.
// What else the made session lacks is told in all of them.
func TestMetersOfARoundAreNoFault(t *testing.T) {
	const one = `{"device_type": 49, "device_port": "C1", "channel": [1, 2]}`
	for _, c := range []struct {
		round, config string
		fault         bool
	}{
		{"v5.0", one, false}, {"v5.1", "[" + one + "]", false}, {"v6.0", "[" + one + ", " + one + "]", false},
		{"v6.1", "[" + one + "]", false}, {"v5.0", "[" + one + "]", true}, {"v5.1", one, true},
	} {
		root := newTree(t)
		const session = `{"version": 1, "timezone": 0, "modules": {}, "sources": {}, "messages": [], "uuid": {}, ` +
			`"session_name": "box", "results": {}, "phases": {}, "ptd_messages": [], "ptd_config": `
		for _, name := range tree.PowerFiles() {
			put(t, root, sound+"/performance/power/"+name, session+c.config+"}")
		}
		put(t, root, sound+"/performance/run_1/"+tree.PowerSamples, "Time,11-22-2026 08:05:00.000,Watts,100.0\n")
		found, err := tree.Open(root, c.round)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		report, err := check.Run(context.Background(), found, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		client := sound + "/performance/power/client.json"
		wantFinding(t, report, check.Reject, "power", client, "the session of the power meter")
		told := slices.ContainsFunc(report.Findings, func(f check.Finding) bool {
			return strings.Contains(f.Found, "ptd_config")
		})
		if told != c.fault {
			t.Errorf("%s, %s: ptd_config is a fault: %v", c.round, c.config, told)
		}
	}
}
