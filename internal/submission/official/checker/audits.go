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

// auditFolders judges the folders of the benchmark's audits. The open division requires none.
func (c *checker) auditFolders(f *folder) {
	if f.place.Division == tree.DivisionOpen {
		return
	}
	for _, test := range c.rules.Audits(f.model) {
		dir := c.layout.Audit(f.place, test)
		if !c.files.Exists(dir) {
			f.fault(groupAudits, "%s is missing", dir)
		}
		c.auditPresence(f, test, dir)
		if tree.FilesOf(test).Required {
			c.performance(f, f.audits[test].log, groupAudits, true)
			c.auditPerformance(f, dir)
		}
		c.auditAccuracy(f, test, dir)
	}
}

// auditPresence checks that the files with verdicts exist.
func (c *checker) auditPresence(f *folder, test, dir string) {
	names := slices.Clone(tree.FilesOf(test).Verdicts)
	if tree.FilesOf(test).Required {
		names = append(names, path.Join(tree.PerformanceDir, tree.RunDir, tree.DetailLog))
	}
	for _, name := range names {
		if file := path.Join(dir, name); !c.files.Exists(file) {
			f.fault(groupAudits, "%s is missing", file)
		}
	}
}

// auditPerformance requires TEST PASS anywhere in verify_performance.txt, and no other files than the run's logs in
// their folder.
func (c *checker) auditPerformance(f *folder, dir string) {
	file := path.Join(dir, tree.VerifyPerformance)
	if !c.files.Exists(file) {
		return // already reported
	}
	c.wantPass(f, file)
	run := path.Join(dir, tree.PerformanceDir, tree.RunDir)
	for _, fault := range c.files.Differ(run, tree.RunFiles(), []string{tree.AccuracyLog}) {
		f.fault(groupAudits, "%s", fault)
	}
}

// wantPass requires TEST PASS anywhere in a file.
func (c *checker) wantPass(f *folder, file string) {
	text, err := c.files.Text(file)
	switch {
	case err != nil:
		f.fault(groupAudits, "%v", err)
	case !strings.Contains(text, evidence.Pass):
		f.fault(groupAudits, "%s has no %s", file, evidence.Pass)
	}
}

func (c *checker) auditAccuracy(f *folder, test, dir string) {
	lines := f.audits[test].lines
	switch test {
	case "TEST01":
		if lines != nil && !has(lines, evidence.Pass) {
			c.fallback(f, dir)
		}
	case "TEST06":
		first := has(lines, "First token check pass: True") || has(lines, "First token check pass: Skipped")
		if lines != nil && (!first || !has(lines, "EOS check pass: True") || !has(lines, "Sample length check pass: True")) {
			f.fault(groupAudits, "%s does not pass all three checks", path.Join(dir, tree.VerifyAccuracy))
		}
	case "TEST08":
		if lines != nil && !has(lines, evidence.Pass) {
			f.fault(groupAudits, "%s has no line %s", path.Join(dir, tree.VerifyAccuracy), evidence.Pass)
		}
	case "TEST07", "TEST09":
		if lines != nil {
			c.wantPass(f, path.Join(dir, tree.FilesOf(test).Verdicts[0]))
		}
	}
}

// has reports whether a line equals want without its surrounding white space.
func has(lines []string, want string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.TrimFunc(line, pyfloat.IsSpace) == want })
}

// fallback compares the accuracies of the two logs of a TEST01 whose outputs differ.
func (c *checker) fallback(f *folder, dir string) {
	accuracy := path.Join(dir, tree.AccuracyDir)
	want := []string{tree.AccuracyLog, tree.AccuracyText, tree.BaselineAccuracy, tree.ComplianceAccuracy}
	if faults := c.files.Differ(accuracy, want, nil); len(faults) > 0 {
		f.fault(groupAudits, "%s has no line %s, and %s", path.Join(dir, tree.VerifyAccuracy), evidence.Pass,
			strings.Join(faults, ", "))
		return
	}
	baseline, err := c.files.Text(path.Join(accuracy, tree.BaselineAccuracy))
	if err != nil {
		f.fault(groupAudits, "%v", err)
		return
	}
	compliance, err := c.files.Text(path.Join(accuracy, tree.ComplianceAccuracy))
	if err != nil {
		f.fault(groupAudits, "%v", err)
		return
	}
	scenario := foldScenario(f.place.Scenario)
	changes, err := result.Changes(c.rules, f.model, scenario, baseline, compliance)
	if err != nil {
		f.fault(groupAudits, "%s: %v", accuracy, err)
	}
	for _, change := range changes {
		if !change.Within() {
			f.fault(groupAudits, "%s: %s differs by %v %%, want at most %v %%", accuracy, change.Metric, change.Percent,
				change.Most)
		}
	}
}
