package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/bench/record/results"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
)

// fact is something that the runs were made with, one value for each way in which they differ.
type fact struct {
	Name   string
	Values []string
}

// mostValues is how many values of a fact are shown.
const mostValues = 4

// head is what the runs were made with, and when.
func head(runs []results.Found) []fact {
	var all []fact
	at := map[string]int{}
	more := map[string]int{}
	for _, f := range runs {
		for _, r := range f.RanWith() {
			i, ok := at[r.Name]
			if !ok {
				i = len(all)
				at[r.Name], all = i, append(all, fact{Name: r.Name})
			}
			switch {
			case slices.Contains(all[i].Values, r.Value):
			case len(all[i].Values) < mostValues:
				all[i].Values = append(all[i].Values, r.Value)
			default:
				more[r.Name]++
			}
		}
	}
	for name, n := range more {
		all[at[name]].Values = append(all[at[name]].Values, fmt.Sprintf("and others (%s)", figure.Plural(n, "run")))
	}
	if text := dates(runs); text != "" {
		all = append(all, fact{"date", []string{text}})
	}
	return all
}

// dates are when the first and the last of the runs began.
func dates(runs []results.Found) string {
	var first, last time.Time
	for _, f := range runs {
		switch at := f.Started.UTC(); {
		case f.Started.IsZero():
		case first.IsZero():
			first, last = at, at
		default:
			if at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	if first.IsZero() {
		return ""
	}
	const day, minute = "2 January 2006", "15:04"
	text := first.Format(day + ", " + minute)
	switch {
	case first.Format(day) != last.Format(day):
		text += " to " + last.Format(day+", "+minute)
	case first.Format(minute) != last.Format(minute):
		text += " to " + last.Format(minute)
	}
	return text + " UTC"
}

// judged is a measured value beside what it is judged by.
type judged struct {
	Limit, Margin string
	Missed        bool
}

// judgedBy are the limits of a run with its margins, the values of which must not be above; for an accuracy, below.
func judgedBy(r record.Run) []judged {
	switch {
	case r.Accuracy != nil:
		return accuracyLimits(r.Accuracy)
	case r.Performance == nil || r.Effective == nil || r.Scenario != "Server":
		return nil
	}
	if t := r.Performance.Tokens; t != nil && t.TTFT != nil {
		all := []judged{below(metric.TTFT.Short, t.TTFT.Target, t.TTFT.LimitNS)}
		if t.TPOT != nil {
			all = append(all, below(metric.TPOT.Short, t.TPOT.Target, t.TPOT.LimitNS))
		}
		return slices.DeleteFunc(all, func(j judged) bool { return j.Limit == "" })
	}
	for _, p := range r.Performance.Latency.Percentiles {
		if p.P == r.Effective.TargetLatencyPercentile && r.Effective.TargetLatencyNS > 0 {
			return []judged{below("latency", p, r.Effective.TargetLatencyNS)}
		}
	}
	return nil
}

// below judges a time by its limit.
func below(what string, p record.Percentile, limit int64) judged {
	if limit <= 0 {
		return judged{}
	}
	at := "p" + strconv.FormatFloat(100*p.P, 'g', 6, 64)
	return judged{
		Limit:  fmt.Sprintf("%s %s %s, at most %s", at, what, plot.Duration(p.NS), plot.Duration(limit)),
		Margin: percent(float64(limit-p.NS) / float64(limit)), Missed: p.NS > limit,
	}
}

// accuracyLimits judges each metric that has a target.
func accuracyLimits(a *record.Accuracy) []judged {
	var all []judged
	for _, m := range a.Metrics {
		value, target, upper := float64(m.Value), float64(m.Target), float64(m.Upper)
		if target > 0 {
			all = append(all, judged{Limit: strings.TrimSpace(m.Name + " at least " + figure.Round(target) + " " + m.Unit),
				Margin: percent((value - target) / target), Missed: value < target})
		}
		if upper > 0 {
			all = append(all, judged{Limit: strings.TrimSpace(m.Name + " at most " + figure.Round(upper) + " " + m.Unit),
				Margin: percent((upper - value) / upper), Missed: value > upper})
		}
	}
	return all
}

// percent writes a margin, a fraction of the limit: "+12.3 %".
func percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*v)
}
