package check

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// requiredAudits returns the compliance tests that the round requires for the model and the scenario.
func (r *resultFolder) requiredAudits() []string {
	if !r.isClosed() {
		return r.checker.auditTests() // no test is required, all are permitted
	}
	if !r.checker.features.AuditsWherePresent {
		return r.checker.rules.AuditsIn(r.model, r.scenario)
	}
	return slices.DeleteFunc(r.checker.auditTests(), func(test string) bool {
		_, err := audit.ConfigOf(r.checker.rules, test, r.model)
		return err != nil || !r.checker.tree.HasDir(r.checker.tree.Layout.Audit(r.Place, test))
	})
}

// auditTests returns the tests that the round knows. Before v2.1, TEST04 consists of two tests.
func (c *treeChecker) auditTests() []string {
	all := tree.AuditTests()
	if i := slices.Index(all, "TEST04"); c.rules.AuditFeatures().CachingInTwo {
		all = slices.Replace(all, i, i+1, tree.CachingUnique, tree.CachingSame)
	}
	return all
}

// checkAudits checks the required compliance tests of a result, and the readability of others.
func (r *resultFolder) checkAudits() {
	var asked []string
	l := r.checker.tree.Layout
	if r.isClosed() && r.isKnown {
		asked = r.requiredAudits()
		if l.Apart {
			r.checkExtra(l.Audits(r.Place), asked)
		}
	}
	for _, test := range r.checker.auditTests() {
		a := &auditFolder{resultFolder: r, test: test, folder: l.Audit(r.Place, test),
			rule: ruleAudit + strings.TrimPrefix(test, "TEST")}
		read := []string{}
		if slices.Contains(asked, test) {
			a.checkAudit()
			read = append(tree.FilesOf(test).Verdicts, path.Join(tree.PerformanceDir, tree.RunDir, tree.DetailLog))
		}
		a.checkOpened(read)
	}
	r.uniqueRun = nil // logs are large
}

// checkOpened checks that all files that the official checker opens are readable, whether required or not. It skips the
// files in read.
func (a *auditFolder) checkOpened(read []string) {
	for _, file := range tree.FilesOf(a.test).Opened {
		name := path.Join(a.folder, file)
		_, there := a.checker.tree.Entry(name)
		if !there || slices.Contains(read, file) {
			continue
		}
		if path.Base(file) == tree.DetailLog {
			a.readDetail(&runLog{folder: path.Dir(name), role: logRole(a.test)})
		} else if _, err := a.checker.readText(name); err != nil {
			a.addReject(a.rule, name, "a file of an audit that nobody asked for cannot be read", err.Error(), "a text",
				"remove it: the official checker dies of it, for all submitters")
		}
	}
}

// auditFolder is the folder of one compliance test.
type auditFolder struct {
	*resultFolder
	test      string // such as "TEST01"
	folder    string
	rule      string
	run       *runLog  // nil: no run
	readNames []string // names in the folder itself that were read
}

func (a *auditFolder) checkAudit() {
	if !a.checker.tree.HasDir(a.folder) {
		a.addReject(a.rule, a.folder, "the compliance test is missing", "", a.folder,
			"run it: harness audit "+a.test+", and add its folder")
		return
	}
	files := tree.FilesOf(a.test)
	if files.Performance {
		a.checkRunFiles(files.Required)
		a.findRun(files)
	}
	if files.Accuracy {
		a.checkLog(files)
	}
	a.checkExtra(a.folder, append(append([]string{tree.PerformanceDir, tree.AccuracyDir}, files.Verdicts...),
		a.readNames...))
	a.checkRun()
	a.checkVerdicts()
}

// checkRunFiles checks the files in the run's folder. The official checker compares them exactly for two tests.
func (a *auditFolder) checkRunFiles(exactly bool) {
	folder := path.Join(a.folder, tree.PerformanceDir, tree.RunDir)
	severity := Warn
	if exactly {
		severity = Reject
	}
	for _, name := range a.checker.tree.Files(folder) {
		if !slices.Contains(append(tree.RunFiles(), tree.AccuracyLog), name) && !tree.IsExtra(name) {
			a.addFinding(severity, a.rule, path.Join(folder, name), "no rule knows the file", name,
				strings.Join(tree.RunFiles(), ", "),
				"remove it")
		}
	}
}

// checkLog checks the audit's accuracy log.
func (a *auditFolder) checkLog(files tree.AuditFiles) {
	name := a.findLog(files)
	e, _ := a.checker.tree.Entry(name)
	switch {
	case !a.checker.tree.HasFile(name):
		a.addFinding(a.missingSeverity(files), a.rule, name, "the outputs of the audit are missing", "", name,
			adviceOnMissing(files))
		return
	case e.Size > maxLog && !a.mayBeWhole():
		a.addWarning(ruleTruncation, name, "the accuracy log is not cut short", fmt.Sprintf("%d bytes", e.Size),
			fmt.Sprintf("at most %d bytes", maxLog), "cut it with harness submission truncate")
		return
	}
	text, err := a.checker.readBytes(name)
	if err == nil {
		var whole bool
		if whole, err = accuracyLogForm(text); err != nil && (whole || len(bytes.TrimSpace(text)) == 0) {
			a.addReject(a.rule, name, whatNoOutput, err.Error(), "at least one",
				"run the audit again, with its settings")
			return
		}
	}
	if err != nil {
		a.addWarning(a.rule, name, "it is no accuracy log", err.Error(), "LoadGen's list of outputs, whole or cut short",
			"file the audit run's log")
	}
}

// mayBeWhole reports whether the official truncation leaves the test's log unchanged.
func (a *auditFolder) mayBeWhole() bool { return a.test == "TEST06" || a.test == "TEST08" }

// isFullLength reports whether the test's run must be valid and as long as the result's own run.
func (a *auditFolder) isFullLength() bool {
	return a.test == "TEST01" || a.test == "TEST04" || a.test == "TEST05"
}

// checkRun checks the audit's run against the rules, its settings and the result's run.
func (a *auditFolder) checkRun() {
	if a.run == nil {
		return
	}
	a.recordRun(a.run)
	if a.test == tree.CachingUnique {
		a.uniqueRun = a.run
	}
	if a.isFullLength() {
		a.checkPerformance(a.run)
	} else {
		a.checkErrors(a.run)
		a.checkLoadGen(a.run)
		a.checkMode(a.run, "PerformanceOnly")
		a.checkSeeds(a.run)
		a.checkNetworkSUT(a.run)
		a.checkTwice(a.run)
	}
	do := "run the audit, with its audit.config, and file its logs: harness audit " + a.test
	if evidence.AuditNote(a.run.detail) == "" && !a.checker.features.AuditsUnmarked {
		a.addReject(a.rule, a.run.logPath(), whatNoSettings, "no entry that begins with "+evidence.AuditMark,
			"a run with the audit.config of "+a.test, do)
	}
	a.checkSummaryMetric(a.run)
	a.checkAuditSettings(do)
	a.checkAgainstMain(do)
	a.checkBand(do)
}

// checkBand compares the score of the audit's run with the result's, or TEST04-B's with TEST04-A's, like the test.
func (a *auditFolder) checkBand(do string) {
	reference, test, whose, what := a.performance, a.test, "the result's", whatScoreApart
	if a.test == tree.CachingSame {
		reference, test, whose, what = a.uniqueRun, tree.Caching, "that of "+tree.CachingUnique, whatRunsApart
	}
	if reference == nil || !a.isFullLength() && a.test != tree.CachingSame || !a.run.hasResult() ||
		!reference.hasResult() || reference.logScenario() != a.run.logScenario() {
		return
	}
	a.compareScores(reference, test, what, do)
	const limit = "effective_target_latency_ns"
	if was, is := reference.quotedValue(limit), a.run.quotedValue(limit); was != is && a.run.logScenario() == "Server" {
		a.addReject(a.rule, a.run.logPath(), "the run has another latency limit than "+whose, is, was,
			do).Other = reference.logPath()
	}
}

// compareScores compares the score of the audit's run with the score of another run.
func (a *auditFolder) compareScores(of *runLog, test, what, do string) {
	reference, referenceKey, ok := audit.ScoreOf(a.checker.rules, of.detail)
	score, key, ok2 := audit.ScoreOf(a.checker.rules, a.run.detail)
	if !ok2 || !(score > 0) {
		a.addReject(a.rule, a.run.logPath(), "the audit's run has no score", a.run.quotedValue(key), "a number above 0", do)
	} else if ok && !audit.InBand(a.checker.rules, test, a.run.logScenario(), reference, score) {
		severity := Reject
		if audit.InPrintedBand(a.checker.rules, test, a.run.logScenario(), reference, score) {
			severity = Warn // the official script accepts it
		}
		a.addFinding(severity, a.rule, a.run.logPath(), what, key+" "+quoteValue(score),
			referenceKey+" "+quoteValue(reference),
			"run both again on a machine with nothing else to do; see harness audit verify").Other = of.logPath()
	}
}

// checkAuditSettings checks that the run used the audit's settings.
func (a *auditFolder) checkAuditSettings(do string) {
	reject := func(key, want string) {
		a.addReject(a.rule, a.run.logPath(), whatOtherSettings, a.run.quotedValue(key), want, do)
	}
	same, _ := a.run.flagOf("effective_performance_issue_same")
	target, _ := a.run.numberOf("effective_accuracy_log_sampling_target")
	if share, ok := a.run.numberOf("effective_accuracy_log_probability"); ok && share > 0 { // as in v0.5
		target = share
	}
	repeats := a.test == "TEST04" || a.test == tree.CachingSame
	switch {
	case repeats && !same:
		reject("effective_performance_issue_same", "true")
	case !repeats && same:
		reject("effective_performance_issue_same", "false")
	case !mlconf.IsCaching(a.test) && a.test != "TEST05" && target <= 0:
		reject("effective_accuracy_log_sampling_target", "more than 0")
	}
}

// checkAgainstMain compares the audit's run with the result's run.
func (a *auditFolder) checkAgainstMain(do string) {
	if a.performance == nil {
		return
	}
	if was, is := a.performance.logScenario(), a.run.logScenario(); was != is {
		a.addReject(a.rule, a.run.logPath(), "the run is of another scenario than the result that it audits", is, was,
			do).Other = a.performance.logPath()
	}
	if a.run.runIdentity() == a.performance.runIdentity() {
		a.addReject(a.rule, a.run.logPath(), whatResultAsAudit, a.run.runIdentity(), "another run than the result's",
			do).Other = a.performance.logPath()
	}
	a.checkDataSet(do)
	if was, is := a.performance.textOf("sut_name"), a.run.textOf("sut_name"); was != is {
		a.addWarning(a.rule, a.run.logPath(), "the audit had another system under test", is, was,
			do).Other = a.performance.logPath()
	}
}

// checkDataSet checks that the run used the benchmark's data set. A sample library may hold only a part of it for one
// of the runs. Tests with shorter runs use data sets of their own.
func (a *auditFolder) checkDataSet(do string) {
	const key = "qsl_reported_total_count"
	was, ok := a.performance.numberOf(key)
	is, ok2 := a.run.numberOf(key)
	rules := a.checker.rules
	own := []uint64{rules.DatasetSize(a.model), rules.AccuracySampleCount(a.model, a.scenario),
		rules.PerformanceSampleCount(a.model)}
	if !ok || !ok2 || was == is || !a.isFullLength() || !a.isKnown || slices.Contains(own, uint64(is)) {
		return
	}
	others := slices.DeleteFunc(rules.Models(), func(m string) bool { return float64(rules.DatasetSize(m)) != is })
	found := a.run.quotedValue(key)
	if len(others) > 0 {
		found += ", the size of the data set of " + strings.Join(others, ", ")
	}
	a.addReject(a.rule, a.run.logPath(), whatOfAnother, found, a.performance.quotedValue(key),
		do).Other = a.performance.logPath()
}

// runIdentity returns a text that identifies a run.
func (l *runLog) runIdentity() string {
	var parts []string
	for _, key := range []string{"test_datetime", "power_begin", "power_end", "result_query_count",
		"result_mean_latency_ns"} {
		if e, ok := l.detail.First(key); ok {
			parts = append(parts, quoteValue(e.Value))
		}
	}
	return strings.Join(parts, " ")
}
