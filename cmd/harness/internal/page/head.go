package page

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// runFact is a common property of the runs, with one entry per distinct value.
type runFact struct {
	Name   string
	Values []string
}

// maxValues limits the displayed values of a fact.
const maxValues = 4

// runFacts returns the software, the machines and the dates of the runs.
func runFacts(runs []results.FoundRun) []runFact {
	var all []runFact
	at := map[string]int{}
	more := map[string]int{}
	several := slices.ContainsFunc(runs, func(f results.FoundRun) bool { return f.Model != runs[0].Model })
	for _, f := range runs {
		for _, r := range f.RanWith() {
			if several && (r.Name == "model" || r.Name == "data") {
				r.Value = f.Model + ": " + r.Value
			}
			i, ok := at[r.Name]
			if !ok {
				i = len(all)
				at[r.Name], all = i, append(all, runFact{Name: r.Name})
			}
			switch {
			case slices.Contains(all[i].Values, r.Value):
			case len(all[i].Values) < maxValues:
				all[i].Values = append(all[i].Values, r.Value)
			default:
				more[r.Name]++
			}
		}
	}
	for name, n := range more {
		all[at[name]].Values = append(all[at[name]].Values, fmt.Sprintf("and others (%s)", figure.Plural(n, "run")))
	}
	if text := runDates(runs); text != "" {
		all = append(all, runFact{"date", []string{text}})
	}
	return all
}

// runDates returns the start dates of the first and the last run.
func runDates(runs []results.FoundRun) string {
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

// judgedValue is the limit of a measured value and the distance to it.
type judgedValue struct {
	Limit, Margin string
	Missed        bool
}

// judgedBy returns the figures of a run that have limits.
func judgedBy(r record.Run) []judgedValue {
	var all []judgedValue
	headline, _ := r.Headline()
	for _, j := range r.Judged() {
		if j.Better == "" {
			continue
		}
		margin, ok := j.Margin()
		if !ok {
			margin = math.NaN()
		}
		limit := j.LimitText()
		if j.Figure.Name != headline.Name { // otherwise the row already contains the value
			limit = j.Figure.Name + " " + j.Figure.String() + ", " + limit
		}
		all = append(all, judgedValue{Limit: limit, Margin: marginText(margin), Missed: !j.Met()})
	}
	return all
}

// marginText formats a margin, a fraction of the limit: "+12.3 %".
func marginText(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*v)
}
