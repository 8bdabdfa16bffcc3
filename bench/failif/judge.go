package failif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/bench/internal/inequality"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Subject is what conditions are judged on: a run, or the runs of one scenario on both sides of a comparison.
type Subject struct {
	Name            string // "resnet50 Server performance"
	Model, Scenario string
	Metrics         []metric.Metric
	// Base are the figures of the base; nil: there is none.
	Base []metric.Metric
	// Remarks say more of changes, by the names of the figures: whether one is larger than the spread.
	Remarks map[string]string
}

// Met is a condition that is met.
type Met struct {
	Condition Condition
	Subject   string
	Measured  string // "14.200 ms (+7.1 %)"
}

// String is "Server.p99 > +5%: resnet50 Server performance 14.200 ms (+7.1 %)".
func (m Met) String() string {
	return fmt.Sprintf("%s: %s %s", m.Condition.Text, m.Subject, m.Measured)
}

// Check says what is wrong with a condition where the subjects have the figures that they list; their values do not
// count. A condition that none of them can meet is a fault: it would never fail.
func (c Condition) Check(subjects []Subject) error {
	var known []string
	models := 0
	for _, s := range subjects {
		if !c.speaksOf(s) {
			continue
		}
		models++
		m, ok := metric.Find(s.Metrics, c.Metric)
		if ok {
			_, err := c.limit(m.Unit)
			return err
		}
		known = append(known, lists.Map(s.Metrics, func(m metric.Metric) string { return m.Name })...)
	}
	if models == 0 {
		names := lists.Map(subjects, func(s Subject) string { return s.Name })
		return fmt.Errorf("condition %q: there is no such run; there are %s", c.Text, strings.Join(names, ", "))
	}
	slices.Sort(known)
	return fmt.Errorf("condition %q: %w", c.Text, suggest.Unknown("metric", c.Metric, slices.Compact(known)))
}

func (c Condition) speaksOf(s Subject) bool {
	return (c.Model == "" || c.Model == s.Model) && (c.Scenario == "" || c.Scenario == s.Scenario)
}

// Judge lists where the condition is met. It is an error where no subject has what the condition asks for, and where it
// asks for a change and there is no base.
func (c Condition) Judge(subjects []Subject) ([]Met, error) {
	if err := c.Check(subjects); err != nil {
		return nil, err
	}
	var met []Met
	for _, s := range subjects {
		m, ok := metric.Find(s.Metrics, c.Metric)
		if !c.speaksOf(s) || !ok {
			continue
		}
		measured, is, err := c.judge(s, m)
		if err != nil {
			return nil, err
		}
		if is {
			met = append(met, Met{c, s.Name, measured})
		}
	}
	return met, nil
}

func (c Condition) judge(s Subject, m metric.Metric) (measured string, met bool, err error) {
	limit, err := c.limit(m.Unit)
	if err != nil {
		return "", false, err
	}
	measured = strings.TrimSpace(figure.Round(m.Value) + " " + m.Unit)
	if !c.Change() {
		return measured, c.op.Holds(m.Value, limit), nil
	}
	base, ok := metric.Find(s.Base, c.Metric)
	if !ok {
		return "", false, fmt.Errorf("condition %q is on a change, and there is nothing to compare %s with: harness compare "+
			"BASE NEW takes it; a value without a sign is on what is measured", c.Text, s.Name)
	}
	difference := m.Value - base.Value
	if c.percent() {
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

// millis is the power of ten that a millisecond is of a nanosecond.
const millis = 6

// percent says that the condition is on a change in percent.
func (c Condition) percent() bool { return c.Change() && c.value.Unit == "%" }

// limit is the condition's value in the metric's unit; of a change in percent it is the percentage.
func (c Condition) limit(unit string) (float64, error) {
	if c.percent() || c.value.Unit == "" || strings.EqualFold(c.value.Unit, unit) {
		return c.value.Value, nil
	}
	if power, ok := inequality.TimePower(c.value.Unit); ok && unit == metric.Millis {
		return c.value.Scaled(power - millis), nil
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
