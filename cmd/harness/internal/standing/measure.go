package standing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/sdk"
)

// comparableMeasure is the quantity by which results are ranked.
type comparableMeasure struct {
	per    Divisor
	unit   string
	higher bool // higher values are better
	energy bool // rank the power result instead of the performance
}

// isLatency reports whether a unit of results is one of time: "Latency (ms)".
func isLatency(unit string) bool { return strings.HasPrefix(unit, "Latency") }

// newMeasure returns the measure for results in a unit. It returns a usage error for a latency per accelerator or node.
func newMeasure(unit, scenario string, per Divisor) (comparableMeasure, error) {
	latency := isLatency(unit)
	switch {
	case per == PerSystem:
		return comparableMeasure{per, unit, !latency, false}, nil
	case per == PerWatt && latency:
		return comparableMeasure{per, "mJ per query", false, true}, nil
	case per == PerWatt:
		return comparableMeasure{per, unit + " per W", true, false}, nil
	case latency:
		return comparableMeasure{},
			sdk.Usage(fmt.Errorf("--per %s: the result of %s is a latency, which machines do not share; leave "+
				"--per out, or rank --per watt", per, scenario))
	}
	return comparableMeasure{per, unit + " per " + string(per), true, false}, nil
}

// setValue sets an entry's value. If the entry has no value, it returns the reason. unit is that of the user's run.
func (m comparableMeasure) setValue(e *RankedEntry, unit string) (why string) {
	if e.Result.Unit != unit {
		return "in another unit, " + e.Result.Unit
	}
	v, err := strconv.ParseFloat(e.Result.Text, 64)
	if err != nil {
		return "without a number"
	}
	switch m.per {
	case PerSystem:
	case PerAccelerator:
		if e.Accelerators == 0 {
			return "without accelerators, or without their number"
		}
		v /= float64(e.Accelerators)
	case PerNode:
		if e.Nodes == 0 {
			return "without a number of nodes"
		}
		v /= float64(e.Nodes)
	case PerWatt:
		power, ok := powerValue(*e)
		switch {
		case !ok:
			return "without a power result"
		case m.energy:
			v = power
		default:
			v /= power
		}
	}
	e.Value, e.Text = figure.Number(v), roundedText(e.Result, v, m.per)
	return ""
}

// powerValue returns the power result of an entry, in watts or millijoules.
func powerValue(e RankedEntry) (float64, bool) {
	if e.Power == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(e.Power.Text, 64)
	return v, err == nil && v > 0
}

// roundedText formats a value with five significant figures. If the result is not divided, it returns the text of
// submission results.
func roundedText(of result.Figure, v float64, per Divisor) string {
	if per == PerSystem {
		return of.Shown()
	}
	return figure.Round(v)
}
