package checker

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

const groupAudits = "compliance"

// checkAuditFolders judges the folders of the benchmark's audits. The open division requires none.
func (c *checker) checkAuditFolders(f *folder) {
	if f.place.Division == tree.DivisionOpen {
		return
	}
	for _, test := range c.rules.Audits(f.model) {
		dir := c.layout.Audit(f.place, test)
		if !c.files.Exists(dir) {
			f.addFault(groupAudits, "%s is missing", dir)
		}
		c.checkAuditPresence(f, test, dir)
		if tree.FilesOf(test).Required {
			c.checkPerformance(f, f.audits[test].log, groupAudits, true)
			c.checkAuditPerformance(f, dir)
		}
		c.checkAuditAccuracy(f, test, dir)
	}
}

// checkAuditPresence checks that the files with verdicts exist.
func (c *checker) checkAuditPresence(f *folder, test, dir string) {
	names := slices.Clone(tree.FilesOf(test).Verdicts)
	if tree.FilesOf(test).Required {
		names = append(names, path.Join(tree.PerformanceDir, tree.RunDir, tree.DetailLog))
	}
	for _, name := range names {
		if file := path.Join(dir, name); !c.files.Exists(file) {
			f.addFault(groupAudits, "%s is missing", file)
		}
	}
}

// checkAuditPerformance requires TEST PASS anywhere in verify_performance.txt, and no other files than the run's logs
// in their folder.
func (c *checker) checkAuditPerformance(f *folder, dir string) {
	file := path.Join(dir, tree.VerifyPerformance)
	if !c.files.Exists(file) {
		return // already reported
	}
	c.requirePass(f, file)
	run := path.Join(dir, tree.PerformanceDir, tree.RunDir)
	for _, fault := range c.files.Differences(run, tree.RunFiles(), []string{tree.AccuracyLog}) {
		f.addFault(groupAudits, "%s", fault)
	}
}

// requirePass requires TEST PASS anywhere in a file.
func (c *checker) requirePass(f *folder, file string) {
	text, err := c.files.Text(file)
	switch {
	case err != nil:
		f.addFault(groupAudits, "%v", err)
	case !strings.Contains(text, evidence.Pass):
		f.addFault(groupAudits, "%s has no %s", file, evidence.Pass)
	}
}

func (c *checker) checkAuditAccuracy(f *folder, test, dir string) {
	lines := f.audits[test].lines
	switch test {
	case "TEST01":
		if lines != nil && !hasLine(lines, evidence.Pass) {
			c.checkFallback(f, dir)
		}
	case "TEST06":
		first := hasLine(lines, "First token check pass: True") || hasLine(lines, "First token check pass: Skipped")
		if lines != nil && (!first || !hasLine(lines, "EOS check pass: True") ||
			!hasLine(lines, "Sample length check pass: True")) {
			f.addFault(groupAudits, "%s does not pass all three checks", path.Join(dir, tree.VerifyAccuracy))
		}
	case "TEST08":
		if lines != nil && !hasLine(lines, evidence.Pass) {
			f.addFault(groupAudits, "%s has no line %s", path.Join(dir, tree.VerifyAccuracy), evidence.Pass)
		}
	case "TEST07", "TEST09":
		if lines != nil {
			c.requirePass(f, path.Join(dir, tree.FilesOf(test).Verdicts[0]))
		}
	}
}

// hasLine reports whether a line equals want without its surrounding white space.
func hasLine(lines []string, want string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.TrimFunc(line, pyfloat.IsSpace) == want })
}

// checkFallback compares the accuracies of the two logs of a TEST01 whose outputs differ.
func (c *checker) checkFallback(f *folder, dir string) {
	accuracy := path.Join(dir, tree.AccuracyDir)
	want := []string{tree.AccuracyLog, tree.AccuracyText, tree.BaselineAccuracy, tree.ComplianceAccuracy}
	if faults := c.files.Differences(accuracy, want, nil); len(faults) > 0 {
		f.addFault(groupAudits, "%s has no line %s, and %s", path.Join(dir, tree.VerifyAccuracy), evidence.Pass,
			strings.Join(faults, ", "))
		return
	}
	baseline, err := c.files.Text(path.Join(accuracy, tree.BaselineAccuracy))
	if err != nil {
		f.addFault(groupAudits, "%v", err)
		return
	}
	compliance, err := c.files.Text(path.Join(accuracy, tree.ComplianceAccuracy))
	if err != nil {
		f.addFault(groupAudits, "%v", err)
		return
	}
	scenario := canonicalScenario(f.place.Scenario)
	changes, err := result.CompareMetrics(c.rules, f.model, scenario, baseline, compliance)
	if err != nil {
		f.addFault(groupAudits, "%s: %v", accuracy, err)
	}
	for _, change := range changes {
		if !change.IsPermitted() {
			f.addFault(groupAudits, "%s: %s differs by %v %%, want at most %v %%", accuracy, change.Metric, change.Percent,
				change.MaxPercent)
		}
	}
}
