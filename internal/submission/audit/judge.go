package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// auditJudge collects the faults of an audit. In a test with two halves, each half's file contains that half's reasons
// and the reasons about the run as a whole.
type auditJudge struct {
	request Request
	dtype   evidence.DType
	rules   *mlconf.Rules
	scoring evidence.Scoring
	config  *Config // nil: the round has none for the test and the model

	run, reference *mllog.Detail // nil: unreadable or not required
	scenario       string        // LoadGen's name; empty: unknown

	hasBrokenLog                                     bool // an accuracy log is missing or incomplete: nothing is counted
	bothReasons, accuracyReasons, performanceReasons []Reason
	notes                                            []string
}

// ruleSourceFormat is the format of the reference to a test's rules.
const ruleSourceFormat = "MLCommons inference, compliance/%s/README.md"

func (j *auditJudge) ruleSource() string { return fmt.Sprintf(ruleSourceFormat, j.request.Test) }

// reasonList points to the list of a half or of both halves.
type reasonList *[]Reason

// addReason adds a reason. If it names no rule, the test's README is its rule.
func (j *auditJudge) addReason(to reasonList, r Reason) {
	if r.Rule == "" {
		r.Rule = j.ruleSource()
	}
	*to = append(*to, r)
}

func (j *auditJudge) addNotef(format string, args ...any) {
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}

// addUnreadable adds the reason why a file cannot be read.
func (j *auditJudge) addUnreadable(to reasonList, path, what string, err error) {
	found := err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		found = "there is no " + what
	}
	j.hasBrokenLog = true
	j.addReason(to, Reason{Check: "log-missing", File: path, Found: found, Want: what,
		Advice: "name the folder that has it, or run again", Missing: true})
}

// readDetail reads a detail log.
func (j *auditJudge) readDetail(path, what string) *mllog.Detail {
	if err := checkReadable(path); err != nil {
		j.addUnreadable(&j.bothReasons, path, what, err)
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		j.addUnreadable(&j.bothReasons, path, what, err)
		return nil
	}
	defer f.Close()
	d, err := mllog.ScanDetail(f)
	if err == nil && d.Text {
		err = addSummary(d, filepath.Join(filepath.Dir(path), mllog.SummaryFile))
	}
	if err != nil {
		j.addUnreadable(&j.bothReasons, path, what, err)
		return nil
	}
	j.checkWholeLog(d, path, what)
	return d
}

// addSummary adds results from the summary to a log in the text form of v0.5 and v0.7, which lacks them.
func addSummary(d *mllog.Detail, path string) error {
	if err := checkReadable(path); err != nil {
		return fmt.Errorf("its results are in %s: %w", mllog.SummaryFile, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := mllog.ReadSummary(f)
	if err != nil {
		return fmt.Errorf("its results are in %s: %w", mllog.SummaryFile, err)
	}
	d.AddSummary(s)
	return nil
}

// checkWholeLog adds reasons for a damaged or incomplete detail log.
func (j *auditJudge) checkWholeLog(d *mllog.Detail, path, what string) {
	format := func(found string) {
		j.addReason(&j.bothReasons, Reason{Check: "log-format", File: path, Found: found, Want: "a log as LoadGen wrote it",
			Advice: "take the log of the run, unchanged"})
	}
	switch {
	case d.Lines == 0:
		j.addReason(&j.bothReasons, Reason{Check: "log-empty", File: path, Found: "the log is empty", Want: what,
			Advice: "run again, and let the run end by itself", Missing: true})
		return
	case len(d.Foreign) > 0:
		format(fmt.Sprintf("%s without the marker %s, the first is line %d", countLines(d.NumForeign), mllog.DetailPrefix,
			d.Foreign[0]))
	}
	if len(d.Faults) > 0 {
		format(fmt.Sprintf("%s that cannot be read: %v", countLines(d.NumFaults), d.Faults[0]))
	}
	for _, c := range []struct {
		line int
		what string
	}{
		{d.NotUTF8, "is not UTF-8"}, {d.NotJSON, "is not JSON, as where a name has a quote"},
		{d.Unmarked, "does not say whether it is an error"}, {d.Broken, "has a carriage return inside"},
	} {
		if c.line > 0 {
			format(fmt.Sprintf("line %d %s", c.line, c.what))
		}
	}
	if !d.Has("num_errors") && !d.Has("result_validity") {
		j.addReason(&j.bothReasons, Reason{Check: "log-cut", File: path, Found: "the log ends without a result",
			Want:   "result_validity and num_errors, LoadGen's last entries",
			Advice: "run again, and let the run end by itself", Missing: true})
	}
}

func countLines(n int) string {
	if n == 1 {
		return "a line"
	}
	return strconv.Itoa(n) + " lines"
}

// readLogs reads the detail logs and checks them.
func (j *auditJudge) readLogs(compared bool) {
	if j.mayOmitLog() {
		j.addNotef("there is no detail log of the audit's run, which a submission need not have: its settings are not judged")
	} else {
		j.run = j.readDetail(j.request.Run.Detail, "detail log of the audit's run")
	}
	if compared {
		j.reference = j.readDetail(j.request.Reference.Detail, "detail log of the submission's performance run")
	}
	for _, d := range []*mllog.Detail{j.reference, j.run} {
		if d != nil {
			j.scenario = logText(d, "effective_scenario")
		}
	}
	if j.run != nil {
		j.checkRunValid(j.run, j.request.Run.Detail, compared)
		j.checkAuditMark()
		j.checkSettings()
	}
	if j.reference != nil {
		j.checkRunValid(j.reference, j.request.Reference.Detail, true)
		j.checkNoAuditMark()
	}
	j.checkScenarios()
}

// mayOmitLog reports whether the detail log is missing in a submission's folder of a test that does not require it.
func (j *auditJudge) mayOmitLog() bool {
	placed := filepath.Base(filepath.Dir(j.request.Run.Accuracy)) == tree.AccuracyDir
	return placed && !tree.FilesOf(j.request.Test).Performance && !pathExists(j.request.Run.Detail)
}

// checkRunValid requires a run in performance mode without errors, and a VALID one if the test judges speed.
func (j *auditJudge) checkRunValid(d *mllog.Detail, path string, speed bool) {
	j.checkMode(d, path)
	switch valid := logText(d, "result_validity"); {
	case valid == "VALID":
	case speed:
		j.addReason(&j.bothReasons, Reason{Check: "validity", File: path, Found: "result_validity " + valueOrMissing(valid),
			Want:   "VALID",
			Advice: "see the summary log for why, mend that, and run again"})
	default:
		j.addNotef("the audit's run is %s; this test does not judge its speed", valueOrMissing(valid))
	}
	j.checkNoErrors(d, path, speed)
	j.checkOnce(d, path)
}

// checkMode requires a run in performance mode.
func (j *auditJudge) checkMode(d *mllog.Detail, path string) {
	if mode := logText(d, "effective_test_mode"); mode != "PerformanceOnly" && d.Has("effective_test_mode") {
		j.addReason(&j.bothReasons, Reason{Check: "mode", File: path, Found: "the mode " + mode, Want: "PerformanceOnly",
			Advice: "take the log of the performance run"})
	}
}

// checkOnce requires that the log contains each judged entry at most once.
func (j *auditJudge) checkOnce(d *mllog.Detail, path string) {
	keys := append(j.scoring.Keys(j.scenario), "result_validity", "num_errors", "effective_scenario")
	for _, key := range keys {
		if n := d.Count(key); n > 1 {
			j.addReason(&j.bothReasons, Reason{Check: "entry-twice", File: path, Found: fmt.Sprintf("%d entries %s", n, key),
				Want: "one, as LoadGen writes", Advice: "take the log of the run, unchanged"})
		}
	}
}

// checkNoErrors requires a log without errors. If speed does not count, it accepts LoadGen's remark that the run ended
// when all queries were issued. Official scripts that judge speed fail at that remark. Scripts of earlier rounds
// reported errors and judged the speed anyway.
func (j *auditJudge) checkNoErrors(d *mllog.Detail, path string, speed bool) {
	all, remarks := evidence.RunErrors(d)
	ended := "at its max_query_count, when all its queries were issued"
	switch {
	case j.request.comparesTwo():
		all, remarks = evidence.SplitRanOut(d.Errors)
		ended = "with the samples that were loaded, as TEST04 had it before v2.1"
	case speed:
		all, remarks = d.Errors, nil
	}
	for range remarks {
		j.addNotef("the run ended %s", ended)
	}
	n, _ := logNumber(d, "num_errors")
	if count := max(int(n), d.NumErrors) - len(remarks); count > 0 {
		found := figure.Plural(count, "error")
		if len(all) > 0 {
			message, _ := all[0].Text()
			found += ", the first: " + all[0].Key + ": " + message
		}
		if speed && j.scoring.OnlyWarnsOfErrors() {
			j.addNotef("%s: %s; the script of %s told of errors, and judged the speed all the same", path, found, j.rules.Name)
			return
		}
		j.addReason(&j.bothReasons, Reason{Check: "errors", File: path, Found: found, Want: "none",
			Advice: "read the entries marked is_error, mend what they name, and run again"})
	}
}

func valueOrMissing(value string) string { return cmp.Or(value, "missing") }

func (j *auditJudge) checkAuditMark() {
	if evidence.AuditNote(j.run) != "" {
		return
	}
	if j.rules.Checks().AuditsUnmarked {
		j.addNotef("whether the run had an audit.config is not judged: its log names none, and in %s settings came by other "+
			"ways, too", j.rules.Name)
	} else {
		j.addReason(&j.bothReasons, Reason{Check: "audit-marker", File: j.request.Run.Detail,
			Found:  fmt.Sprintf("no entry %q: the run had no audit settings", evidence.AuditMark),
			Want:   "the log of a run with the test's audit.config",
			Advice: "run with it: the file must be named audit.config and lie where the program starts"})
	}
}

func (j *auditJudge) checkNoAuditMark() {
	if evidence.AuditNote(j.reference) != "" {
		j.addReason(&j.bothReasons, Reason{Check: "audit-as-result", File: j.request.Reference.Detail,
			Found:  fmt.Sprintf("the entry %q: this is the log of an audit's run", evidence.AuditMark),
			Want:   "the submission's own performance run",
			Advice: "take that run's log, or run again without audit.config"})
	}
}

// checkScenarios requires the same scenario in all logs. The rules' Interactive is LoadGen's Server. An inferred result
// has audits of the other scenario's runs.
func (j *auditJudge) checkScenarios() {
	want := j.request.Scenario
	if want == "Interactive" {
		want = loadgen.Server.String()
	}
	if want != "" && result.IsInferable(j.scenario, want) {
		j.addNotef("the result of %s is inferred: its audit is of runs of %s", want, j.scenario)
		want = j.scenario
	}
	if j.reference != nil && want == "" {
		want = logText(j.reference, "effective_scenario")
	}
	for _, log := range []struct {
		d    *mllog.Detail
		path string
	}{{j.reference, j.request.Reference.Detail}, {j.run, j.request.Run.Detail}} {
		if log.d == nil || want == "" {
			continue
		}
		if got := logText(log.d, "effective_scenario"); got != want {
			j.addReason(&j.bothReasons, Reason{Check: "scenario", File: log.path, Found: "the scenario " + valueOrMissing(got),
				Want:   want,
				Advice: "take the log of the same scenario"})
		}
	}
}

func logText(d *mllog.Detail, key string) string {
	e, _ := d.First(key)
	value, _ := e.Text()
	return value
}

// logNumber returns a number from a log. ok is false if the log has none.
func logNumber(d *mllog.Detail, key string) (v float64, ok bool) {
	e, _ := d.First(key)
	return e.Float()
}

// logCount returns a whole number from a log, or 0 if the log has none.
func logCount(d *mllog.Detail, key string) float64 {
	v, ok := logNumber(d, key)
	if !ok || math.IsNaN(v) || v < 0 {
		return 0
	}
	return v
}
