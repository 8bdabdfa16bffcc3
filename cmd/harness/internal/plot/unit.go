package plot

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// timeUnit is a unit of time.
type timeUnit struct {
	name string
	ns   float64
}

// unitOf returns the unit in which a latency, in nanoseconds, has one to three digits before the point.
func unitOf(ns int64) timeUnit {
	switch {
	case ns < 1e3:
		return timeUnit{"ns", 1}
	case ns < 1e6:
		return timeUnit{"µs", 1e3}
	case ns < 1e9:
		return timeUnit{"ms", 1e6}
	}
	return timeUnit{"s", 1e9}
}

// elapsedUnit returns the unit for a run of a certain length.
func elapsedUnit(ns int64) timeUnit {
	switch d := time.Duration(ns); {
	case d < time.Second:
		return timeUnit{"ms", 1e6}
	case d < 5*time.Minute:
		return timeUnit{"s", 1e9}
	case d < 5*time.Hour:
		return timeUnit{"min", 60e9}
	}
	return timeUnit{"h", 3600e9}
}

// Duration formats nanoseconds with three digits and a unit: "1.71 ms".
func Duration(ns int64) string {
	u := unitOf(ns)
	return formatFigure(float64(ns)/u.ns) + " " + u.name
}

// formatFigure formats a number with three digits, or all digits before the point.
func formatFigure(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(digits, 4), 64)
}

// percentileText formats a fraction: "99.9th percentile".
func percentileText(p float64) string {
	return fmt.Sprintf("%sth percentile", strconv.FormatFloat(100*p, 'g', 6, 64))
}
