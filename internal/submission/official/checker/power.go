package checker

import (
	"errors"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

const groupPower = "power"

func (c *checker) checkPower(f *folder) {
	if !c.hasPower(f) {
		return
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
		for _, fault := range c.files.Differences(folder.path, folder.want, folder.optional) {
			f.addFault(groupPower, "%s", fault)
		}
	}
	if !c.SkipPower {
		f.addFault(groupPower, "the files in %s are for the power working group's checker, which is not asked here: "+
			"skip it, and run it apart", f.place.Power())
	}
	if err := c.computePower(f); err != nil {
		f.addFault(groupPower, "%v", err)
	}
}

// computePower averages the samples of the run.
func (c *checker) computePower(f *folder) error {
	begin, _ := f.performance.Get("power_begin").(string)
	end, _ := f.performance.Get("power_end").(string)
	w, err := spl.ParseWindow(begin, end)
	if err != nil {
		return err
	}
	text, err := c.files.Text(path.Join(f.place.Run(), tree.PowerSamples))
	if err != nil {
		return err
	}
	a, err := w.Average(strings.NewReader(text))
	if err != nil {
		return err
	}
	if len(a.Faults) > 0 {
		return a.Faults[0]
	}
	m := spl.MeasuredRun{Scenario: f.place.Scenario}
	m.LoggedScenario, _ = f.performance.Get(detail.KeyScenario).(string)
	_, isText := f.metric.(string)
	performance, err := pyvalue.Float(f.metric)
	isNumber := err == nil && !isText
	m.Performance = performance
	if queries, err := pyvalue.Int(f.performance.Get("result_query_count")); err == nil && queries.IsUint64() {
		m.Queries = queries.Uint64()
	}
	p, err := a.Metric(m)
	if err != nil {
		return err
	}
	if p.Unit == spl.Watts && !isNumber {
		return errors.New("there is no result to compare the power with")
	}
	f.watts = p.Value
	return nil
}
