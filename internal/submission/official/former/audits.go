package former

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

const (
	cachingTest       = "TEST04"
	tokenTest         = "TEST06"
	answersTest       = "TEST01"
	secondCachingTest = "TEST04-B" // second run of TEST04 in rounds that split it; the first run's folder has its verdict
)

// audits judges the audits of a closed result. An error means that the checker ends here.
func (c *formerChecker) judgeAudits(f *scenarioFolder) (ok bool, err error) {
	// The checker of v0.5 looks in the folders of later rounds.
	dir := path.Join(f.place.Folder(), "compliance", f.place.System, f.place.Benchmark, f.place.Scenario)
	tests := c.auditTests(f)
	if !c.files.Exists(dir) {
		if c.book.AuditsWithoutTests && len(tests) == 0 || c.isSpared(f) {
			return true, nil
		}
		f.addFault(groupAudits, "%s is missing", dir)
		return false, nil
	}
	if !c.book.AuditsOfRun {
		return c.judgeAuditFiles(f, dir, tests)
	}
	ok, err = c.judgeAuditRuns(f, dir, tests)
	if err != nil {
		return false, err
	}
	for _, test := range []string{answersTest, tokenTest} {
		if !slices.Contains(tests, test) {
			continue
		}
		passed, err := c.judgeAuditAccuracy(f, test, path.Join(dir, test))
		if err != nil {
			return false, err
		}
		ok = ok && passed
	}
	return ok, nil
}

// tests returns the audits of a model, with both runs of TEST04 in rounds that split it.
func (c *formerChecker) auditTests(f *scenarioFolder) []string {
	tests := c.rules.Audits(f.model)
	if c.book.Tests != nil {
		tests = slices.Clone(c.book.Tests)
	}
	if slices.Contains(c.features.CachingNotIn, f.place.Scenario) {
		tests = slices.DeleteFunc(tests, func(test string) bool { return test == cachingTest })
	}
	if i := slices.Index(tests, cachingTest); i >= 0 && c.rules.AuditFeatures().CachingInTwo {
		tests = slices.Replace(tests, i, i+1, "TEST04-A", secondCachingTest)
	}
	return tests
}

// spared reports whether the checker requires no audits because of the folder's name. Early checkers had no list of
// models without audits.
func (c *formerChecker) isSpared(f *scenarioFolder) bool {
	return slices.ContainsFunc(c.book.SparesAudits, func(part string) bool {
		return strings.Contains(f.place.Benchmark, part)
	})
}

// judgeAuditRuns judges the performance runs of audits. A run whose log stops the checker gets the verdict of the
// previous run. If there is none, the checker ends.
func (c *formerChecker) judgeAuditRuns(f *scenarioFolder, dir string, tests []string) (ok bool, err error) {
	complete, passed := true, true
	judged, valid := false, false
	for _, test := range tests {
		folder := path.Join(dir, test)
		if !c.files.Exists(folder) {
			f.addFault(groupAudits, "%s is missing", folder)
			complete = false
			continue
		}
		if slices.Contains(tests, tokenTest) {
			continue // it has no performance run
		}
		r := c.openRun(f, path.Join(folder, tree.PerformanceDir, tree.RunDir), groupAudits)
		if good, err := c.judgeAuditRun(r); err == nil {
			judged, valid = true, good
		} else {
			r.addFault(groupAudits, "%s: %v", r.dir, err)
		}
		passed = passed && c.checkVerified(f, folder, true)
		if passed && !judged {
			return false, fmt.Errorf("the log in %s cannot be judged", r.dir)
		}
		passed = passed && valid
	}
	return complete && passed, nil
}

func (c *formerChecker) judgeAuditRun(r *performanceLog) (valid bool, err error) {
	if r.err != nil {
		return false, r.err
	}
	return c.judgeRun(r)
}

// verified checks the verdict on an audit's run. If alone is set, the run's folder may contain only its logs.
func (c *formerChecker) checkVerified(f *scenarioFolder, dir string, alone bool) (ok bool) {
	file := path.Join(dir, tree.VerifyPerformance)
	text, err := c.files.Text(file)
	if ok = err == nil && strings.Contains(text, evidence.Pass); !ok {
		f.addFault(groupAudits, "%s is missing, or has no %s", file, evidence.Pass)
	}
	run := path.Join(dir, tree.PerformanceDir, tree.RunDir)
	if !c.files.Exists(run) {
		f.addFault(groupAudits, "%s is missing", run)
		return false
	}
	faults := c.files.Differences(run, tree.RunFiles(), []string{tree.AccuracyLog})
	if len(faults) > 0 && alone {
		f.addFault(groupAudits, "%s", strings.Join(faults, ", "))
		return false
	}
	return ok
}

// judgeAuditFiles judges audits by their files only, like checkers that read no logs of audits. The last folder's
// verdict counts.
func (c *formerChecker) judgeAuditFiles(f *scenarioFolder, dir string, tests []string) (ok bool, err error) {
	ok = true
	for _, test := range tests {
		folder := path.Join(dir, test)
		switch {
		case !c.files.Exists(folder):
			f.addFault(groupAudits, "%s is missing", folder)
			ok = false
		case test == secondCachingTest: // the checker requires a verdict that cannot exist
			ok = false
		default:
			ok = c.checkVerified(f, folder, false)
		}
	}
	folder := path.Join(dir, answersTest)
	accuracy := c.files.Exists(path.Join(folder, tree.VerifyAccuracy)) &&
		c.files.Exists(path.Join(folder, tree.AccuracyDir))
	if !accuracy {
		f.addFault(groupAudits, "%s has no %s, or no folder %s", folder, tree.VerifyAccuracy, tree.AccuracyDir)
	}
	return ok && accuracy, nil
}

// judgeAuditAccuracy judges the accuracy part of an audit.
func (c *formerChecker) judgeAuditAccuracy(f *scenarioFolder, test, dir string) (ok bool, err error) {
	file := path.Join(dir, tree.VerifyAccuracy)
	if !c.files.Exists(file) {
		f.addFault(groupAudits, "%s is missing", file)
		return false, nil
	}
	lines, err := c.files.Lines(file)
	if err != nil {
		return false, err
	}
	if test == tokenTest {
		first := containsLine(lines, "First token check pass: True") || containsLine(lines, "First token check pass: Skipped")
		ok = first && containsLine(lines, "EOS check pass: True") && containsLine(lines, "Sample length check pass: True")
		if !ok {
			f.addFault(groupAudits, "%s does not pass all three checks", file)
		}
		return ok, nil
	}
	passed := slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, evidence.Pass) })
	return c.judgeOutputs(f, path.Join(dir, tree.AccuracyDir), passed)
}

// containsLine reports whether a line equals want without its surrounding white space.
func containsLine(lines []string, want string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.TrimFunc(line, pyfloat.IsSpace) == want })
}

// judgeOutputs judges TEST01: the outputs are equal, or the accuracies are close enough.
func (c *formerChecker) judgeOutputs(f *scenarioFolder, dir string, passed bool) (ok bool, err error) {
	want := []string{tree.AccuracyLog, tree.AccuracyText}
	if !passed {
		want = append(want, tree.BaselineAccuracy, tree.ComplianceAccuracy)
	}
	if faults := c.files.Differences(dir, want, nil); len(faults) > 0 {
		f.addFault(groupAudits, "%s", strings.Join(faults, ", "))
		return false, nil
	}
	if passed {
		return true, nil
	}
	for _, t := range c.rules.Targets(f.model, "") {
		if t.Upper {
			continue
		}
		baseline, err := c.readLastAccuracy(path.Join(dir, tree.BaselineAccuracy), t.Metric)
		if err != nil {
			return false, err
		}
		compliance, err := c.readLastAccuracy(path.Join(dir, tree.ComplianceAccuracy), t.Metric)
		if err != nil {
			return false, err
		}
		most := c.rules.DeltaPercent(f.checkerName, t.Metric)
		if baseline == 0 || compliance == 0 || result.PercentDifference(baseline, compliance) > most {
			f.addFault(groupAudits, "%s: %s is %v and %v, want at most %v %% between them", dir, t.Metric, baseline, compliance,
				most)
			return false, nil
		}
	}
	return true, nil
}

// readLastAccuracy returns the accuracy on the last line that contains one; 0: none.
func (c *formerChecker) readLastAccuracy(name, metric string) (v float64, err error) {
	lines, err := c.files.Lines(name)
	if err != nil {
		return 0, err
	}
	for _, line := range lines {
		text, ok := c.parseAccuracy(metric, line)
		if !ok {
			continue
		}
		if v, ok = pyfloat.Parse(text); !ok {
			return 0, fmt.Errorf("%s: "+errNumber, name, metric, text)
		}
	}
	return v, nil
}
