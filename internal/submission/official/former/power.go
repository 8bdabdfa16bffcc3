package former

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// power judges the files of a power measurement and computes its result.
func (c *formerChecker) judgePower(f *scenarioFolder) (ok bool, efficiency float64) {
	ok = true
	fault := func(format string, args ...any) {
		ok = false
		f.addFault(groupPower, format, args...)
	}
	if c.book.RangingRun {
		r := c.openRun(f, f.place.Ranging(), groupPower)
		err := r.err
		if err == nil {
			err = c.readMetric(r)
		}
		if err == nil {
			_, err = c.inferResult(r)
		}
		if err != nil {
			fault("%s: %v", r.dir, err)
		}
	}
	logs := append(tree.RunFiles(), tree.PowerSamples)
	for _, folder := range []struct {
		path           string
		want, optional []string
	}{
		{f.place.Run(), logs, []string{tree.AccuracyLog}},
		{f.place.Ranging(), logs, []string{tree.AccuracyLog}},
		{f.place.Power(), tree.PowerFiles(), nil},
	} {
		for _, difference := range c.fileDifferences(folder.path, folder.want, folder.optional) {
			fault("%s", difference)
		}
	}
	if !c.SkipPower && c.book.RangingRun { // earlier checkers required a flag for it
		fault("the files in %s are for the power working group's checker, which is not asked here: skip it, and run it "+
			"apart", f.place.Power())
	}
	watts, efficiency, err := c.computePower(f)
	if err != nil {
		fault("%v", err)
	}
	if f.watts = watts; !ok {
		f.watts = 0
	}
	return ok, efficiency
}

// computePower averages the samples of the run.
func (c *formerChecker) computePower(f *scenarioFolder) (value, efficiency float64, err error) {
	r := &performanceLog{scenarioFolder: f, dir: f.place.Run(), group: groupPower}
	if r.log, err = c.files.OldLog(path.Join(r.dir, tree.DetailLog)); err != nil || r.log == nil {
		return 0, 0, errors.Join(err, errors.New(tree.DetailLog+" cannot be read"))
	}
	begin, _ := r.log.Get("power_begin").(string)
	end, _ := r.log.Get("power_end").(string)
	w, err := spl.ParseWindow(begin, end)
	if err != nil {
		return 0, 0, err
	}
	text, err := c.files.Text(path.Join(r.dir, tree.PowerSamples))
	if err != nil {
		return 0, 0, err
	}
	if w, text, err = c.shiftByZones(f, w, text); err != nil {
		return 0, 0, err
	}
	watts, err := c.averagePower(w, text)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", tree.PowerSamples, err)
	}
	r.scenario, _ = r.log.Get("effective_scenario").(string)
	return c.powerMetric(r, watts, w.Seconds())
}

// averagePower returns the mean of the samples within a run.
func (c *formerChecker) averagePower(w spl.Window, text string) (watts float64, err error) {
	if !c.book.SkipsLines {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "Time") {
				return 0, fmt.Errorf("a line is no sample: %.80q", line)
			}
		}
	}
	samples, sum, n := spl.NewSampleReader(strings.NewReader(text)), 0.0, 0
	for {
		s, err := samples.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && (s.Time.IsZero() || w.Contains(s.Time)) {
			return 0, err
		}
		if err == nil && w.Contains(s.Time) && (s.Watts > 0 || !c.book.PositivePower) {
			sum += s.Watts
			n++
		}
	}
	if n == 0 {
		return 0, errors.New("no sample is within the run")
	}
	return sum / float64(n), nil
}

// powerMetric returns the power result of a run's average, and its efficiency.
func (c *formerChecker) powerMetric(r *performanceLog, watts, seconds float64) (value, efficiency float64, err error) {
	scenario := r.scenarioFolder.scenario
	if scenario == "Offline" || scenario == "Server" {
		performance, err := pyvalue.Float(r.scenarioFolder.result)
		if _, isText := r.scenarioFolder.result.(string); err != nil || isText {
			if c.book.RangingRun {
				return 0, 0, errors.New("there is no result to compare the power with")
			}
			return watts, 0, nil
		}
		return watts, performance / watts, nil
	}
	if scenario != "SingleStream" && scenario != "MultiStream" {
		return 0, 0, fmt.Errorf("found the scenario %q, which has no power result", scenario)
	}
	queries, err := c.queryCount(r, seconds)
	if err != nil {
		return 0, 0, err
	}
	energy, samples := watts*seconds, 1.0
	if scenario == "MultiStream" {
		samples = 8
		if r.scenario == "SingleStream" && !c.rules.HasStreams() {
			energy *= 8
		}
	}
	if c.book.Millijoules {
		energy *= 1000
	}
	value = energy / queries
	if value == 0 {
		return 0, 0, errors.New("there is no energy of a query")
	}
	return value, samples * 1000 / value, nil
}

// shiftByZones shifts the times of a run by the time zones of both machines, which the power tools recorded before
// v1.1.
func (c *formerChecker) shiftByZones(f *scenarioFolder, w spl.Window, text string) (spl.Window, string, error) {
	if !c.features.Zones {
		return w, text, nil
	}
	zone := func(name string) (time.Duration, error) {
		v, err := c.files.JSON(path.Join(f.place.Power(), name))
		if err != nil {
			return 0, err
		}
		o, _ := v.(*pyvalue.Dict)
		seconds, _ := o.Get("timezone")
		n, err := pyvalue.Float(seconds)
		return time.Duration(n * float64(time.Second)), err
	}
	server, err := zone("server.json")
	client, err2 := zone("client.json")
	shift := client - server
	return spl.Window{Begin: w.Begin.Add(shift), End: w.End.Add(shift)}, text, errors.Join(err, err2)
}

// fileDifferences returns the differences between a folder's files and the required ones. Before v2.1, only the side
// with more files counted.
func (c *formerChecker) fileDifferences(dir string, want, optional []string) (faults []string) {
	if !c.book.LooseFiles {
		return c.files.Differences(dir, want, optional)
	}
	found, err := c.files.Files(dir)
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", dir, err)}
	}
	if len(found) == 0 {
		return nil
	}
	passed := append([]string{tree.TraceLog, "results.json"}, optional...)
	found = slices.DeleteFunc(found, func(name string) bool { return slices.Contains(passed, name) })
	more, fewer, what := want, found, " has no "
	if len(found) > len(want) {
		more, fewer, what = found, want, " has too much: "
	}
	for _, name := range more {
		if !slices.Contains(fewer, name) {
			faults = append(faults, dir+what+name)
		}
	}
	return faults
}

// queryCount returns the number of queries of a run, or of samples if MultiStream has streams. Logs before v2.0 lack
// it, so it then uses the rate.
func (c *formerChecker) queryCount(r *performanceLog, seconds float64) (float64, error) {
	if c.book.CountsByRate && r.scenarioFolder.scenario == "MultiStream" {
		queries, err := pyvalue.Float(r.log.Get("generated_query_count"))
		each, err2 := pyvalue.Float(r.log.Get("generated_samples_per_query"))
		return queries * each, errors.Join(err, err2)
	}
	if c.book.CountsByRate {
		rate, err := pyvalue.Float(r.log.Get("result_qps_with_loadgen_overhead"))
		return rate * seconds, err
	}
	n, err := pyvalue.Int(r.log.Get("result_query_count"))
	if err != nil || n.Sign() == 0 {
		return 0, errors.New("result_query_count is 0 or missing, so that there is no energy of a query")
	}
	return pyvalue.Float(n)
}
