package plot

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// timeUnit is one of time.
type timeUnit struct {
	name string
	ns   float64
}

// unitOf is that in which a latency, in nanoseconds, has one to three digits before the point.
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

// elapsedUnit is that in which a run of a length is shown.
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

// Duration writes nanoseconds with three digits and a unit: "1.71 ms".
func Duration(ns int64) string {
	u := unitOf(ns)
	return formatFigure(float64(ns)/u.ns) + " " + u.name
}

// formatFigure writes a number with three digits, or all before the point.
func formatFigure(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(digits, 4), 64)
}

// percentileText writes a fraction: "99.9th percentile".
func percentileText(p float64) string {
	return fmt.Sprintf("%sth percentile", strconv.FormatFloat(100*p, 'g', 6, 64))
}
