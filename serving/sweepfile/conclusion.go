package sweepfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The reasons for the end of a sweep before its last load.
const (
	// Unfinished is the reason of a sweep that is in progress or was killed.
	Unfinished = "unfinished"
	// Overloaded is the reason of a complete sweep.
	Overloaded = "two overloaded points"
)

// Conclusion summarises the points in one line: the best point, the knee, the result of a search, and whether more
// points remain. It returns "" if there is no conclusion.
func (s *Sweep) Conclusion() string {
	if s.Share != nil && s.Complete {
		return fmt.Sprintf("share %v: these figures are of its part alone; harness bench merge joins all shares.",
			s.Share.Share)
	}
	var said []string
	if s.Find != nil {
		said = append(said, s.findText())
	} else {
		said = s.describeCurve()
	}
	if s.Ended != "" && !s.Complete {
		said = append(said, "ended by: "+s.Ended+"; the same command goes on")
	} else if s.Ended == Overloaded {
		said = append(said, "higher loads are left out: the last two are overloaded")
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(said, ". ") + "."
}

// describeCurve describes the best point and the knee.
func (s *Sweep) describeCurve() (said []string) {
	if s.Best != nil {
		served := s.Points[*s.Best].Serving
		said = append(said, fmt.Sprintf("best goodput %s/s at %v", FormatRate(served.Figures.Goodput), served.Load))
	} else if s.Objectives != "" {
		said = append(said, "no point counts and keeps "+s.Objectives)
	}
	switch {
	case s.Knee != nil:
		said = append(said, fmt.Sprintf("knee at %v", s.Points[*s.Knee].Serving.Load))
	case s.NoKnee != nil:
		said = append(said, fmt.Sprintf("no knee up to %v", s.Points[*s.NoKnee].Serving.Load))
	}
	return said
}

// FormatRate returns a rate with three significant figures, or a dash if it is unknown.
func FormatRate(v *float64) string {
	switch {
	case v == nil || math.IsNaN(*v):
		return "-"
	case *v >= 100:
		return strconv.FormatFloat(*v, 'f', 0, 64)
	}
	return strconv.FormatFloat(*v, 'g', 3, 64)
}
