package failif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/inequality"
)

// Subject is a run, or the runs of one scenario on both sides of a comparison, with the figures for conditions.
type Subject struct {
	Name            string // "resnet50 Server performance"
	Model, Scenario string // Model is empty for a server whose model is not known yet, and then matches any
	Metrics         []metric.Metric
	// UnavailableFigures contains the figures that the subject would have with other options.
	Unavailable []UnavailableFigures
	// Valueless contains the figures that the subject has by its nature, but without a value. Conditions on them are met,
	// whatever their limit.
	Valueless []metric.Metric
	// Base contains the figures of the base; nil: there is no base.
	Base []metric.Metric
	// Remarks comments on changes, by figure name: whether a change is larger than the spread.
	Remarks map[string]string
}

// UnavailableFigures contains figures that require an option that was not given.
type UnavailableFigures struct {
	Metrics  []metric.Metric
	Requires string // the required option: "--power METER"
}

// WithholdMetrics moves the figures for which is returns true from Metrics to UnavailableFigures, because they require
// the option wants.
func (s *Subject) WithholdMetrics(wants string, is func(metric.Info) bool) {
	w := UnavailableFigures{Requires: wants}
	s.Metrics = slices.DeleteFunc(s.Metrics, func(m metric.Metric) bool {
		if is(m.Info) {
			w.Metrics = append(w.Metrics, m)
			return true
		}
		return false
	})
	s.Unavailable = append(s.Unavailable, w)
}

// MetCondition is a condition that a subject meets.
type MetCondition struct {
	Condition Condition
	Subject   string
	Measured  string // "14.200 ms (+7.1 %)"
}

// String returns "Server.p99 > +5%: resnet50 Server performance 14.200 ms (+7.1 %)".
func (m MetCondition) String() string {
	return fmt.Sprintf("%s: %s %s", m.Condition.Text, m.Subject, m.Measured)
}

// Check reports the faults of a condition for subjects with the figures in their lists. The values do not matter. If no
// subject can meet the condition, it is a fault, because the condition would never fail.
func (c Condition) Check(subjects []Subject) error {
	var known []string
	var wants string
	models := 0
	for _, s := range subjects {
		if !c.appliesTo(s) {
			continue
		}
		models++
		figures := slices.Concat(s.Metrics, s.Valueless)
		if m, ok := metric.Find(figures, c.Metric); ok {
			return c.checkUnit(figures, m)
		}
		wants = cmp.Or(wants, s.requirementOf(c.Metric))
		for _, m := range s.Metrics {
			if !slices.Contains(known, m.Name) {
				known = append(known, m.Name)
			}
		}
	}
	if len(subjects) == 0 {
		return fmt.Errorf("condition %q: there are no runs that a condition could be met by", c.Text)
	}
	if models == 0 {
		names := make([]string, len(subjects))
		for i, s := range subjects {
			names[i] = s.Name
		}
		return fmt.Errorf("condition %q: there is no such run; there are %s", c.Text, strings.Join(names, ", "))
	}
	if wants != "" {
		return fmt.Errorf("condition %q: %s is not measured here; it takes %s", c.Text, c.Metric, wants)
	}
	return fmt.Errorf("condition %q: %w", c.Text, suggest.Unknown("metric", c.Metric, known))
}

// checkUnit requires that the condition's unit fits the figure m. Figures with several units are in metrics once per
// unit.
func (c Condition) checkUnit(metrics []metric.Metric, m metric.Metric) error {
	var first error
	for _, other := range metrics {
		if other.Name != m.Name {
			continue
		}
		_, err := c.limitIn(other.Unit)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// requirementOf returns what the subject requires to have the figure name. It is empty if the figure is not in
// UnavailableFigures.
func (s Subject) requirementOf(name string) string {
	for _, w := range s.Unavailable {
		if _, ok := metric.Find(w.Metrics, name); ok {
			return w.Requires
		}
	}
	return ""
}

func (c Condition) appliesTo(s Subject) bool {
	return (c.Model == "" || s.Model == "" || c.Model == s.Model) && (c.Scenario == "" || c.Scenario == s.Scenario)
}

// Judge lists the subjects that meet the condition. It returns an error if no subject has the figure, and if the
// condition is on a change and there is no base.
func (c Condition) Judge(subjects []Subject) ([]MetCondition, error) {
	if err := c.Check(subjects); err != nil {
		return nil, err
	}
	var met []MetCondition
	for _, s := range subjects {
		if !c.appliesTo(s) {
			continue
		}
		m, ok := metric.Find(s.Metrics, c.Metric)
		if _, lacks := metric.Find(s.Valueless, c.Metric); !ok && lacks {
			met = append(met, MetCondition{c, s.Name, "has no value of it"})
		}
		if !ok {
			continue
		}
		measured, is, err := c.judgeSubject(s, m)
		if err != nil {
			return nil, err
		}
		if is {
			met = append(met, MetCondition{c, s.Name, measured})
		}
	}
	return met, nil
}

func (c Condition) judgeSubject(s Subject, m metric.Metric) (measured string, met bool, err error) {
	limit, err := c.limitIn(m.Unit)
	if err != nil {
		return "", false, err
	}
	measured = strings.TrimSpace(figure.Round(m.Value) + " " + m.Unit)
	if !c.IsChange() {
		return measured, c.op.Holds(m.Value, limit), nil
	}
	base, ok := metric.Find(s.Base, c.Metric)
	if !ok {
		return "", false, fmt.Errorf("condition %q compares with a base, but %s has none: use harness compare BASE NEW; "+
			"without a sign the value is absolute", c.Text, s.Name)
	}
	difference := m.Value - base.Value
	if c.isPercent() {
		if base.Value == 0 {
			return "", false, fmt.Errorf("condition %q: %s of the base is 0: there is no change in percent", c.Text, m.Name)
		}
		difference = 100 * difference / base.Value
	}
	text := fmt.Sprintf("%s, was %s", measured, strings.TrimSpace(figure.Round(base.Value)+" "+m.Unit))
	if remark := s.Remarks[m.Name]; remark != "" {
		text += ": " + remark
	}
	return text, c.op.Holds(difference, limit), nil
}

// millisPower is log10 of the nanoseconds in a millisecond.
const millisPower = 6

// isPercent reports whether the condition is on a change in percent.
func (c Condition) isPercent() bool { return c.IsChange() && c.value.Unit == "%" }

// limitIn returns the condition's value in the metric's unit, or the percentage for a change in percent.
func (c Condition) limitIn(unit string) (float64, error) {
	if c.isPercent() || c.value.Unit == "" || strings.EqualFold(c.value.Unit, unit) {
		return c.value.Value, nil
	}
	if power, ok := inequality.TimeUnitPower(c.value.Unit); ok && unit == metric.Millis {
		return c.value.ScaledValue(power - millisPower), nil
	}
	want := "none"
	switch {
	case unit == metric.Millis:
		want = "ns, us, ms or s"
	case unit != "":
		want = unit
	}
	return 0, fmt.Errorf("condition %q: the unit of %s is %s, found %q; a change in percent has a sign: +5%%, -5%%",
		c.Text, c.Metric, want, c.value.Unit)
}
