package former

import (
	"fmt"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// scenarioFolder is a scenario folder.
type scenarioFolder struct {
	*benchmarkFolder
	place    tree.Place
	scenario string // name in the rules

	entry          *pathEntry
	hasPower       bool
	accuracy       any     // the first accuracy, a text, or nil
	isAccurate     bool    // the accuracy passes
	result         any     // a float64, or a value from the log
	inferred       bool    // the result is inferred from another scenario's log
	loggedScenario string  // scenario in the log
	watts          float64 // the power result; 0: none
	equalIssue     bool    // a configuration file requires equally frequent samples
	compliance     int
}

func (f *scenarioFolder) addFault(group, format string, args ...any) {
	f.entry.addFault(group, format, args...)
}

// scenarioFolder judges a scenario folder. Errors are crashes.
func (c *formerChecker) judgeFolder(f *scenarioFolder, listed bool) error {
	f.entry = &pathEntry{}
	c.entries[f.place.Results()] = f.entry
	if hasClosedRules(f.place.Division) && !listed {
		f.addFault(groupPerformance, "the folder is none of the benchmark's scenarios")
		f.errors += countOf(c.book.RefusesMeasures)
		return nil
	}
	f.hasPower = c.files.Exists(f.place.Power())
	goOn, err := c.judgeMeasurementsFolder(f)
	if err != nil || !goOn {
		return err
	}
	if goOn, err = c.judgeAccuracyRun(f); err != nil || !goOn {
		return err
	}
	c.judgePerformanceRuns(f)
	if err := c.judgeCompliance(f); err != nil {
		return err
	}
	if !pyvalue.IsTrue(f.entry.value) {
		return nil
	}
	if !f.isAccurate {
		f.entry.value = nil
		return nil
	}
	return c.addRow(f)
}

// measured judges the measurements folder. ok is false if the checker then skips the rest of the scenario.
func (c *formerChecker) judgeMeasurementsFolder(f *scenarioFolder) (ok bool, err error) {
	dir := c.layout.Measurements(f.place)
	if !c.files.Exists(dir) {
		c.refusePath(dir, groupMeasurements, "the folder is missing")
		f.addFault(groupMeasurements, "%s is missing", dir)
		f.errors++
		return !c.book.RefusesMeasures, nil
	}
	faults, err := c.judgeMeasurements(f, dir)
	if err != nil {
		return false, fmt.Errorf("%s: %w", dir, err)
	}
	if len(faults) == 0 {
		return true, nil
	}
	f.errors++
	if !c.book.RefusesMeasures {
		return true, nil
	}
	for _, fault := range faults {
		c.refusePath(dir, groupMeasurements, "%s", fault)
		f.addFault(groupMeasurements, "%s", fault)
	}
	return false, nil
}

// judgeAccuracyRun judges the accuracy run. ok is false if the checker then skips the rest of the scenario.
func (c *formerChecker) judgeAccuracyRun(f *scenarioFolder) (ok bool, err error) {
	dir := f.place.Accuracy()
	if !c.files.Exists(path.Join(dir, tree.AccuracyText)) {
		f.addFault(groupAccuracy, "%s is missing", path.Join(dir, tree.AccuracyText))
		f.errors += countOf(c.book.RefusesAccuracy)
		return !c.book.RefusesAccuracy, nil
	}
	if faults := c.files.Differences(dir, tree.AccuracyFiles(), nil); len(faults) > 0 && c.book.RefusesAccuracy {
		f.addFault(groupAccuracy, "%s", strings.Join(faults, ", "))
		f.errors++
		return false, nil
	}
	faults, err := c.judgeAccuracyFolder(f, dir)
	if err != nil {
		return false, err
	}
	faults = append(faults, c.checkShownFiles(f, dir)...)
	f.isAccurate = len(faults) == 0 || !hasClosedRules(f.place.Division)
	if !f.isAccurate {
		f.errors++
		for _, fault := range faults {
			f.addFault(groupAccuracy, "%s", fault)
		}
	}
	return true, nil
}

func countOf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// judgePerformanceRuns judges the performance run and its power. In rounds with several runs of a scenario, the last
// run's result counts if any of them is valid.
func (c *formerChecker) judgePerformanceRuns(f *scenarioFolder) {
	runs := []string{f.place.Run()}
	if f.place.Scenario == f.scenario { // the checkers compare the folder's name
		for i := 2; i <= c.rules.Runs(f.scenario); i++ {
			runs = append(runs, path.Join(f.place.Results(), tree.PerformanceDir, fmt.Sprintf("run_%d", i)))
		}
	}
	for _, dir := range runs {
		c.judgePerformanceRun(f, dir)
	}
}

func (c *formerChecker) judgePerformanceRun(f *scenarioFolder, dir string) {
	if !c.files.Exists(dir) {
		f.addFault(groupPerformance, "%s is missing", dir)
		return
	}
	want := tree.RunFiles()
	if f.hasPower {
		want = append(want, tree.PowerSamples)
	}
	if faults := c.files.Differences(dir, want, []string{tree.AccuracyLog}); len(faults) > 0 && c.book.RefusesRunFiles {
		f.addFault(groupPerformance, "%s", strings.Join(faults, ", "))
		return
	}
	r := c.openRun(f, dir, groupPerformance)
	valid := c.judgePerformance(r)
	f.result, f.inferred, f.loggedScenario = r.result, f.inferred || r.inferred, r.scenario
	if valid && !f.equalIssue && !r.equalIssue {
		f.addFault(groupPerformance, "samples must be issued equally often: no configuration file sets "+
			"sample_concatenate_permutation")
		valid, f.result = false, nil
	}
	var efficiency float64
	if f.hasPower {
		ok, e := c.judgePower(f)
		valid, efficiency = valid && ok, e
	}
	if !valid {
		f.errors++
		return
	}
	c.recordValue(f, efficiency)
}

// enter records the value of a valid run.
func (c *formerChecker) recordValue(f *scenarioFolder, efficiency float64) {
	f.entry.value = f.result
	if f.result != nil && (f.watts > 0 || f.hasPower && c.book.RangingRun) {
		f.entry.value = fmt.Sprintf("%v with power_metric = %f and power_efficiency = %f", f.result, f.watts, efficiency)
	}
	delete(f.required, f.scenario)
}

// compliant judges the audits of a closed result.
func (c *formerChecker) judgeCompliance(f *scenarioFolder) error {
	if !hasClosedRules(f.place.Division) {
		f.compliance = 1
		return nil
	}
	ok, err := c.judgeAudits(f)
	if err != nil {
		return err
	}
	f.compliance = countOf(ok)
	if !ok && c.book.RefusesAudits {
		f.entry.value = nil
	}
	return nil
}
