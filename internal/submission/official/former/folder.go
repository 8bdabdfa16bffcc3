package former

import (
	"fmt"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// folder is a scenario folder.
type folder struct {
	*benchmark
	place    tree.Place
	scenario string // name in the rules

	entry      *entry
	hasPower   bool
	accuracy   any     // the first accuracy, a text, or nil
	accurate   bool    // the accuracy passes
	result     any     // a float64, or a value from the log
	inferred   bool    // the result is inferred from another scenario's log
	logged     string  // scenario in the log
	watts      float64 // the power result; 0: none
	equalIssue bool    // a configuration file requires equally frequent samples
	compliance int
}

func (f *folder) fault(group, format string, args ...any) { f.entry.fault(group, format, args...) }

// folder judges a scenario folder. Errors are crashes.
func (c *judge) folder(f *folder, listed bool) error {
	f.entry = &entry{}
	c.entries[f.place.Results()] = f.entry
	if closed(f.place.Division) && !listed {
		f.fault(groupPerformance, "the folder is none of the benchmark's scenarios")
		f.errors += one(c.book.RefusesMeasures)
		return nil
	}
	f.hasPower = c.files.Exists(f.place.Power())
	goOn, err := c.measured(f)
	if err != nil || !goOn {
		return err
	}
	if goOn, err = c.accuracyRun(f); err != nil || !goOn {
		return err
	}
	c.performanceRun(f)
	if err := c.compliant(f); err != nil {
		return err
	}
	if !pyvalue.True(f.entry.value) {
		return nil
	}
	if !f.accurate {
		f.entry.value = nil
		return nil
	}
	return c.addRow(f)
}

// measured judges the measurements folder. ok is false if the checker then skips the rest of the scenario.
func (c *judge) measured(f *folder) (ok bool, err error) {
	dir := c.layout.Measurements(f.place)
	if !c.files.Exists(dir) {
		c.refuse(dir, groupMeasurements, "the folder is missing")
		f.fault(groupMeasurements, "%s is missing", dir)
		f.errors++
		return !c.book.RefusesMeasures, nil
	}
	faults, err := c.measurements(f, dir)
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
		c.refuse(dir, groupMeasurements, "%s", fault)
		f.fault(groupMeasurements, "%s", fault)
	}
	return false, nil
}

// accuracyRun judges the accuracy run. ok is false if the checker then skips the rest of the scenario.
func (c *judge) accuracyRun(f *folder) (ok bool, err error) {
	dir := f.place.Accuracy()
	if !c.files.Exists(path.Join(dir, tree.AccuracyText)) {
		f.fault(groupAccuracy, "%s is missing", path.Join(dir, tree.AccuracyText))
		f.errors += one(c.book.RefusesAccuracy)
		return !c.book.RefusesAccuracy, nil
	}
	if faults := c.files.Differ(dir, tree.AccuracyFiles(), nil); len(faults) > 0 && c.book.RefusesAccuracy {
		f.fault(groupAccuracy, "%s", strings.Join(faults, ", "))
		f.errors++
		return false, nil
	}
	faults, err := c.accuracyDir(f, dir)
	if err != nil {
		return false, err
	}
	faults = append(faults, c.shownFiles(f, dir)...)
	f.accurate = len(faults) == 0 || !closed(f.place.Division)
	if !f.accurate {
		f.errors++
		for _, fault := range faults {
			f.fault(groupAccuracy, "%s", fault)
		}
	}
	return true, nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// performanceRun judges the performance run and its power. In rounds with several runs of a scenario, the last run's
// result counts if any of them is valid.
func (c *judge) performanceRun(f *folder) {
	runs := []string{f.place.Run()}
	if f.place.Scenario == f.scenario { // the checkers compare the folder's name
		for i := 2; i <= c.rules.Runs(f.scenario); i++ {
			runs = append(runs, path.Join(f.place.Results(), tree.PerformanceDir, fmt.Sprintf("run_%d", i)))
		}
	}
	for _, dir := range runs {
		c.oneRun(f, dir)
	}
}

func (c *judge) oneRun(f *folder, dir string) {
	if !c.files.Exists(dir) {
		f.fault(groupPerformance, "%s is missing", dir)
		return
	}
	want := tree.RunFiles()
	if f.hasPower {
		want = append(want, tree.PowerSamples)
	}
	if faults := c.files.Differ(dir, want, []string{tree.AccuracyLog}); len(faults) > 0 && c.book.RefusesRunFiles {
		f.fault(groupPerformance, "%s", strings.Join(faults, ", "))
		return
	}
	r := c.openRun(f, dir, groupPerformance)
	valid := c.performance(r)
	f.result, f.inferred, f.logged = r.result, f.inferred || r.inferred, r.scenario
	if valid && !f.equalIssue && !r.equalIssue {
		f.fault(groupPerformance, "samples must be issued equally often: no configuration file sets "+
			"sample_concatenate_permutation")
		valid, f.result = false, nil
	}
	var efficiency float64
	if f.hasPower {
		ok, e := c.power(f)
		valid, efficiency = valid && ok, e
	}
	if !valid {
		f.errors++
		return
	}
	c.enter(f, efficiency)
}

// enter records the value of a valid run.
func (c *judge) enter(f *folder, efficiency float64) {
	f.entry.value = f.result
	if f.result != nil && (f.watts > 0 || f.hasPower && c.book.RangingRun) {
		f.entry.value = fmt.Sprintf("%v with power_metric = %f and power_efficiency = %f", f.result, f.watts, efficiency)
	}
	delete(f.required, f.scenario)
}

// compliant judges the audits of a closed result.
func (c *judge) compliant(f *folder) error {
	if !closed(f.place.Division) {
		f.compliance = 1
		return nil
	}
	ok, err := c.audits(f)
	if err != nil {
		return err
	}
	f.compliance = one(ok)
	if !ok && c.book.RefusesAudits {
		f.entry.value = nil
	}
	return nil
}
