package check

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkFallback compares accuracies if TEST01's outputs differ: the accuracy of the audit's outputs, and that of the
// accuracy run's outputs for the same samples.
func (a *auditFolder) checkFallback() {
	folder := path.Join(a.folder, tree.AccuracyDir)
	files := []string{tree.AccuracyLog, tree.AccuracyText, tree.BaselineAccuracy, tree.ComplianceAccuracy}
	found := a.checker.tree.Files(folder)
	missing := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return slices.Contains(found, f) })
	extra := slices.DeleteFunc(slices.Clone(found), func(f string) bool {
		return slices.Contains(files, f) ||
			tree.IsExtra(f)
	})
	do := "compare the accuracies: harness audit verify TEST01 writes both files"
	if len(missing)+len(extra) > 0 {
		a.addReject(a.rule, folder, "the outputs differ, and the accuracies are not compared",
			strings.Join(found, ", "), "exactly "+strings.Join(files, ", "), do)
	}
	if slices.Contains(missing, tree.BaselineAccuracy) || slices.Contains(missing, tree.ComplianceAccuracy) {
		return
	}
	targets := a.checker.rules.Targets(a.model, a.scenario)
	for _, metric := range metricsOf(targets) {
		if hasTarget(targets, metric) {
			a.compareMetric(path.Join(folder, tree.BaselineAccuracy), path.Join(folder, tree.ComplianceAccuracy), metric, do)
		}
	}
}

// compareMetric checks that a metric differs only slightly between two files.
func (a *auditFolder) compareMetric(baselineFile, complianceFile, metric, do string) {
	baseline, ok := a.lastValue(baselineFile, metric, do)
	compliance, ok2 := a.lastValue(complianceFile, metric, do)
	if !ok || !ok2 {
		return
	}
	limit := a.checker.rules.DeltaPercent(a.model, metric)
	if delta := result.PercentDifference(baseline, compliance); !(delta <= limit) {
		a.addReject(a.rule, complianceFile, metric+" differs too much",
			quoteValue(compliance)+" against "+quoteValue(baseline)+": "+quoteValue(delta)+" %",
			"at most "+quoteValue(limit)+" %", "find out why outputs of a performance run are worse")
	}
}

// lastValue returns the last value of a metric in a file, which is the one that counts.
func (a *auditFolder) lastValue(name, metric, do string) (float64, bool) {
	text, err := a.checker.readText(name)
	if err != nil {
		a.addReject(a.rule, name, "the accuracy cannot be read", err.Error(), "", do)
		return 0, false
	}
	list, bad := accuracyValues(metric, strings.Split(text, "\n"))
	if len(list) == 0 || len(bad) > 0 || list[len(list)-1].value == 0 {
		a.addReject(a.rule, name, "there is no "+metric, strings.Join(bad, " "), "what the accuracy script prints", do)
		return 0, false
	}
	last := list[len(list)-1]
	if slices.ContainsFunc(list, func(v accuracyValue) bool { return v.value != last.value }) {
		a.addWarning(a.rule, name, metric+" is there with different values", list[0].text+" and "+last.text, "one value",
			"leave the one that is meant")
	}
	return last.value, true
}
