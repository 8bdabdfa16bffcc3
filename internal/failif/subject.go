package failif

import (
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/internal/record/names"
)

// RunSubjects returns the subjects of finished and unfinished runs. Unfinished runs have no figures.
func RunSubjects(runs []record.Run) []Subject {
	var all []Subject
	called := names.NameRecords(runs)
	for i, r := range runs {
		all = append(all, Subject{Name: called[i].Full, Model: r.Model, Scenario: r.Scenario, Metrics: r.Metrics(),
			Valueless: r.Valueless()})
	}
	return all
}

// ComparisonSubjects returns the subjects of a comparison, with the medians of both sides.
func ComparisonSubjects(c compare.Comparison) []Subject {
	var all []Subject
	for _, p := range c.Pairs {
		s := Subject{Name: p.Title(), Model: p.Model, Scenario: p.Scenario, Base: []metric.Metric{},
			Remarks: map[string]string{}}
		for _, r := range p.Rows {
			m := metric.Info{Name: r.Name, Also: r.Aliases, Title: r.Title, Unit: r.Unit}.Of(r.New.Median)
			s.Metrics = append(s.Metrics, m)
			m.Value = r.Base.Median
			s.Base = append(s.Base, m)
			s.Remarks[r.Name] = r.VerdictText()
		}
		all = append(all, s)
	}
	return all
}
