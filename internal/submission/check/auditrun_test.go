package check_test

import (
	"cmp"
	"maps"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// auditEntries are those that an audit's run has besides.
func auditEntries() []mllog.DetailEntry {
	return []mllog.DetailEntry{{Key: "effective_accuracy_log_sampling_target", Value: 64},
		{Key: "warning_generic_message", Value: "Found Audit Config file (audit.config).", Warning: true}}
}

// findingsBelow are those of a folder, one a line: severity, path below the folder, what.
func findingsBelow(r *check.Report, folder string) []string {
	var list []string
	for _, f := range r.Findings {
		if name, ok := strings.CutPrefix(f.Path, folder+"/"); ok {
			list = append(list, string(f.Severity)+" "+name+": "+f.What)
		}
	}
	return list
}

// TestAuditsWithoutLogsWhereTheyBelong: logs that the official checker does not ask for are judged where they lie, and
// those that the official script does not file need not be there.
func TestAuditsWithoutLogsWhereTheyBelong(t *testing.T) {
	const outputs = "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 7, \"data\" : \"00\" }\n]\n"
	const elsewhere, flat = "the logs of the audit lie in another folder", "warn mlperf_log_detail.txt: "
	const missing = "mlperf_log_summary.txt: a log is missing"
	const home, detail = "/performance/run_1", "performance/run_1/mlperf_log_detail.txt: "
	const mode = "a run of another mode"
	for name, c := range map[string]struct {
		test, run, log string   // the folders of the run and of the accuracy log below the test's; "-": none
		drop           string   // a file to leave out
		mode           string   // of the run
		want           []string // all findings of the folder, without regard to order
	}{
		"TEST08, the verdict alone": {"TEST08", "-", "-", "", "", []string{
			"note performance/run_1/mlperf_log_detail.txt: the run of the audit is not shown",
			"note accuracy/mlperf_log_accuracy.json: the outputs of the audit are missing"}},
		"TEST07, the verdict alone": {"TEST07", "-", "-", "", "", []string{
			"reject performance/run_1/mlperf_log_detail.txt: a log is missing",
			"warn accuracy/mlperf_log_accuracy.json: the outputs of the audit are missing"}},
		"TEST09, the verdict alone": {"TEST09", "-", "-", "", "", []string{
			"reject performance/run_1/mlperf_log_detail.txt: a log is missing",
			"warn accuracy/mlperf_log_accuracy.json: the outputs of the audit are missing"}},
		"TEST07, where they belong": {"TEST07", home, "/accuracy", "", "", nil},
		"TEST09, where they belong": {"TEST09", home, "/accuracy", "", "", nil},
		"TEST08, where they belong": {"TEST08", home, "/accuracy", "", "", nil},
		"TEST07, flat": {"TEST07", "", "", "", "", []string{
			flat + elsewhere, "warn mlperf_log_accuracy.json: " + elsewhere}},
		"TEST09, flat": {"TEST09", "", "/accuracy", "", "", []string{flat + elsewhere}},
		"TEST08, flat": {"TEST08", "", "/accuracy", "", "", []string{flat + elsewhere}},
		"TEST07, in performance": {"TEST07", "/performance", "/accuracy", "", "", []string{
			"warn performance/mlperf_log_detail.txt: " + elsewhere}},
		"TEST07, in accuracy": {"TEST07", "/accuracy", "/accuracy", "", "", []string{
			"warn accuracy/mlperf_log_detail.txt: " + elsewhere}},
		"TEST07, in another run's": {"TEST07", "/performance/run_2", "/accuracy", "", "", []string{
			"warn performance/run_2/mlperf_log_detail.txt: " + elsewhere}},
		"TEST09, in run_1": {"TEST09", "/run_1", "/accuracy", "", "", []string{
			"warn run_1/mlperf_log_detail.txt: " + elsewhere}},
		"TEST07, without a summary": {"TEST07", home, "/accuracy", tree.SummaryLog, "", []string{
			"reject performance/run_1/" + missing}},
		"TEST08, without a summary": {"TEST08", home, "/accuracy", tree.SummaryLog, "", []string{
			"warn performance/run_1/" + missing}},
		"TEST09, flat, without a summary": {"TEST09", "", "/accuracy", tree.SummaryLog, "", []string{
			flat + elsewhere, "reject " + missing}},
		"TEST07, flat, an accuracy run": {"TEST07", "", "/accuracy", "", "AccuracyOnly", []string{
			flat + elsewhere, "reject mlperf_log_detail.txt: " + mode}},
		"TEST08, an accuracy run": {"TEST08", home, "/accuracy", "", "AccuracyOnly", []string{
			"reject " + detail + mode}},
		"TEST08, the verdict missing, too": {"TEST08", home, "/accuracy", tree.VerifyAccuracy, "", []string{
			"reject verify_accuracy.txt: a verdict is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			model := map[string]string{"TEST07": "gpt-oss-120b", "TEST08": "dlrm-v3", "TEST09": "gpt-oss-120b"}[c.test]
			scenario := "closed/Lab/results/box/" + model + "/Offline"
			folder := scenario + "/" + c.test
			files := soundFiles()
			verdict := folder + "/" + tree.FilesOf(c.test).Verdicts[0]
			files[verdict] = "TEST PASS\n"
			if c.run != "-" {
				addRun(files, folder+c.run, cmp.Or(c.mode, "PerformanceOnly"), "6", auditEntries()...)
			}
			if c.log != "-" {
				files[folder+c.log+"/"+tree.AccuracyLog] = outputs
			}
			if c.drop != "" {
				maps.DeleteFunc(files, func(name, _ string) bool {
					return strings.HasPrefix(name, folder+"/") && strings.HasSuffix(name, c.drop)
				})
			}
			root := t.TempDir()
			for name, text := range files {
				put(t, root, name, text)
			}
			wantSame(t, findingsBelow(run(t, root), folder), c.want)
		})
	}
}

// TestRequiredAuditLogsBelongInTheirFolder: the official checker asks for the logs of TEST01.
func TestRequiredAuditLogsBelongInTheirFolder(t *testing.T) {
	files := soundFiles()
	for _, name := range []string{tree.DetailLog, tree.SummaryLog} {
		files[sound+"/TEST01/"+name] = files[sound+"/TEST01/performance/run_1/"+name]
		delete(files, sound+"/TEST01/performance/run_1/"+name)
	}
	root := t.TempDir()
	for name, text := range files {
		put(t, root, name, text)
	}
	wantFinding(t, run(t, root), check.Reject, "files", sound+"/TEST01/performance/run_1/"+tree.DetailLog, "missing")
}
