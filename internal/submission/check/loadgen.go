package check

import (
	"strconv"
	"strings"
)

// rehearsalPrefix is the prefix of versions of Plumbline's own LoadGen.
const rehearsalPrefix = "plumbline"

// checkLoadGen requires the official, unchanged LoadGen of this round. It notes a later version.
func (r *resultFolder) checkLoadGen(l *runLog) {
	version := l.textOf("loadgen_version")
	name := l.logPath()
	do := "run again with the round's LoadGen: plumbline's driver for it, or a program of your own"
	switch major, ok := leadingNumber(version); {
	case version == "":
		r.addReject(ruleLoadGen, name, "the log does not name its LoadGen", "no loadgen_version", "LoadGen's version", do)
	case strings.HasPrefix(strings.ToLower(version), rehearsalPrefix):
		r.addReject(ruleLoadGen, name, "the run is a rehearsal, driven by Plumbline's own LoadGen", version,
			"the official LoadGen", do)
	case r.checker.rules.LoadGenMajor() == 0: // notJudged lists it
	case !ok || major < r.checker.rules.LoadGenMajor():
		r.addFinding(r.logSeverity(l), ruleLoadGen, name, whatEarlierLoadGen, version,
			"version "+strconv.Itoa(r.checker.rules.LoadGenMajor())+" or later", do)
	case major > r.checker.rules.LoadGenMajor():
		r.addFinding(Note, ruleLoadGen, name, whatLaterLoadGen, version,
			"version "+strconv.Itoa(r.checker.rules.LoadGenMajor()),
			"ask whether the round takes it, or check with its own round: --rules")
	}
	// a LoadGen built from an archive, as in a package index, has no version history and logs NA
	if status := l.textOf("loadgen_git_status_message"); status != "" && status != "NA" {
		severity := Reject
		if r.checker.options.Skip.Uncommitted || r.checker.features.Forgives(uncommittedText) {
			severity = Warn
		}
		r.addFinding(severity, ruleLoadGen, name, "LoadGen was changed", status, "LoadGen as it was published", do)
	}
}

// uncommittedText is the text that LoadGen logs if it was built from changed sources.
const uncommittedText = "built with uncommitted changes"

// logSeverity returns Warn for logs of accuracy runs, whose settings do not matter, and Reject otherwise.
func (r *resultFolder) logSeverity(l *runLog) Severity {
	if l.role == accuracyRun {
		return Warn
	}
	return Reject
}

// leadingNumber returns the whole number at the beginning of a version.
func leadingNumber(version string) (int, bool) {
	digits, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// checkSameLoadGen warns if the accuracy run used another LoadGen, system or data set than the performance run. For
// some models, the rules prescribe data sets of different sizes for the two runs.
func (r *resultFolder) checkSameLoadGen() {
	rules := r.checker.rules
	apart := rules.AccuracySampleCount(r.model, r.scenario) != rules.DatasetSize(r.model)
	for _, c := range []struct{ rule, key, what string }{
		{ruleLoadGen, "loadgen_version", "the accuracy run had another LoadGen"},
		{ruleSettings, "sut_name", "the accuracy run had another system under test"},
		{ruleSettings, "qsl_name", "the accuracy run had another data set"},
	} {
		if was, is := r.performance.textOf(c.key), r.accuracy.textOf(c.key); was != is && !(apart && c.key == "qsl_name") {
			r.addWarning(c.rule, r.accuracy.logPath(), c.what, c.key+" "+is, was+" of the performance run",
				"run both with the same programs, or say why not").Other = r.performance.logPath()
		}
	}
}
