package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Stationarity states whether figures depend on the duration of the measurement.
type Stationarity struct {
	// Told reports whether there were enough requests to determine this.
	Told bool `json:"told"`
	// Rises reports whether TTFT, or the number of requests in flight, was still rising at the end.
	Rises bool `json:"rises"`
	// TTFT is the trend of TTFT in nanoseconds (for whole answers: of E2E); absent: too few answers.
	TTFT *WindowTrend `json:"ttft_ns,omitempty"`
	// UnderWay is the trend of the number of requests at the server.
	UnderWay *WindowTrend `json:"under_way,omitempty"`
	// Drift is the increase of TTFT (for whole answers: of E2E) in seconds per second of due time, by least squares over
	// all answers. If the load exceeds the server's capacity by a share x, Drift is x. Absent: fewer than two answers.
	Drift *float64 `json:"drift,omitempty"`
	begun int      // number of due requests
}

// MaxDrift is the drift above which a rate exceeds the server's capacity.
const MaxDrift = 0.04

// Exceeds reports whether the queue grew by more than chance allows for random arrivals at a rate that equals the
// server's capacity: by more than MaxDrift or, if that is less, twice the standard error of the slope. The error is
// that of a random walk with the same number of steps: sqrt(1.2/n).
func (s *Stationarity) Exceeds() bool {
	return s.Drift != nil && *s.Drift > min(MaxDrift, 2*math.Sqrt(1.2/float64(s.begun)))
}

// WindowTrend describes the values of a quantity in equal windows of time.
type WindowTrend struct {
	Windows []float64 `json:"windows"` // medians of TTFT, or means of the number in flight
	Spread  float64   `json:"spread"`  // standard deviation within a window
	Rise    float64   `json:"rise"`    // increase of a straight line through the last half of the windows
	Rises   bool      `json:"rises"`
}

const (
	tenths = 10 // number of windows
	half   = tenths / 2
	// minToTell is the minimum number of requests for a statement about a point: five per window.
	minToTell = 50
	// A rise counts if it is larger than the spread, than minRise of the level, and than certain times its own standard
	// error, computed from the windows' distances from the line. Noise alone exceeds the last limit in one of thirty cases
	// (Student's t, three degrees of freedom). The rise must also lead above all windows of the first half, which excludes
	// a queue that grows and shrinks.
	minRise = 0.10
	certain = 3
)

// CheckStationarity compares ten equal windows of w, the time in which requests were due. It has no result if all
// requests are due at once.
func CheckStationarity(requests []Request, w Window, rules FigureRules) Stationarity {
	all := make([]Measured, 0, len(requests))
	begun := 0
	for i := range requests {
		if r := &requests[i]; !r.WarmUp {
			all = append(all, MeasureRequest(r, rules))
			if w.Has(r.Due) {
				begun++
			}
		}
	}
	if begun < minToTell || w.To-w.From < tenths {
		return Stationarity{}
	}
	s := Stationarity{Told: true, TTFT: ttftTrend(all, w), UnderWay: underWayTrend(all, w), Drift: measureDrift(all, w),
		begun: begun}
	s.Rises = s.UnderWay.Rises || s.TTFT != nil && s.TTFT.Rises
	return s
}

// IssuedWindow returns the window from the first to just after the last due time of the requests after the warm-up.
func IssuedWindow(requests []Request) Window {
	w := Window{math.MaxInt64, math.MinInt64}
	for i := range requests {
		if r := &requests[i]; !r.WarmUp {
			w.From, w.To = min(w.From, r.Due), max(w.To, r.Due+1)
		}
	}
	if w.To < w.From {
		return Window{}
	}
	return w
}

// measureDrift returns the slope of the times to the first token over the due times within w; nil if there are answers
// for fewer than two due times.
func measureDrift(all []Measured, w Window) *float64 {
	n, meanAt, meanTook, squares, products := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range all { // Welford's algorithm for two variables
		m := &all[i]
		if !w.Has(m.Due) {
			continue
		}
		took, ok := m.firstTokenTime()
		if !ok {
			continue
		}
		n++
		at := float64(m.Due - w.From)
		off := at - meanAt
		meanAt += off / n
		meanTook += (float64(took) - meanTook) / n
		squares += off * (at - meanAt)
		products += off * (float64(took) - meanTook)
	}
	if squares <= 0 {
		return nil
	}
	slope := products / squares
	return &slope
}

// firstTokenTime returns the time to the first token, or to the whole answer if there are no tokens. ok is false
// without an answer.
func (m *Measured) firstTokenTime() (took int64, ok bool) {
	if took, ok = m.sortableValue(TTFT); !ok {
		took, ok = m.sortableValue(E2E)
	}
	return took, ok
}

// tenthOf returns the index of the window that contains a time within w.
func (w Window) tenthOf(at int64) int {
	return min(int(float64(at-w.From)*tenths/float64(w.To-w.From)), tenths-1)
}

// tenthStart returns the beginning of a window.
func (w Window) tenthStart(i int) int64 {
	return w.From + int64(float64(w.To-w.From)*float64(i)/tenths)
}

// ttftTrend returns the trend of TTFT, or nil if a window of the last half contains no answers.
func ttftTrend(all []Measured, w Window) *WindowTrend {
	var of [tenths][]int64
	for i := range all {
		m := &all[i]
		if !w.Has(m.Due) {
			continue
		}
		if v, ok := m.firstTokenTime(); ok {
			k := w.tenthOf(m.Due)
			of[k] = append(of[k], v)
		}
	}
	t := &WindowTrend{}
	var spreads []float64
	for k, values := range of {
		if len(values) == 0 {
			if k >= half {
				return nil
			}
			t.Windows = append(t.Windows, 0)
			continue
		}
		slices.Sort(values)
		quarter := func(p float64) float64 { return float64(values[percentileRank(len(values), p)]) }
		t.Windows = append(t.Windows, quarter(0.5))
		spreads = append(spreads, (quarter(0.75)-quarter(0.25))/quartileDistance)
	}
	slices.Sort(spreads)
	t.Spread = spreads[len(spreads)/2]
	t.fitLine()
	return t
}

// quartileDistance is the distance between the quartiles of a normal distribution in standard deviations.
const quartileDistance = 1.3489795003921634

// underWayTrend returns the trend of the number of requests at the server.
func underWayTrend(all []Measured, w Window) *WindowTrend {
	type step struct {
		at    int64
		delta int
	}
	steps := []step{{w.To, 0}}
	for i := range all {
		if from, to := max(all[i].Sent, w.From), min(all[i].End, w.To); to > from {
			steps = append(steps, step{from, 1}, step{to, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	var area, square, took [tenths]float64
	now, at, k := 0, w.From, 0
	for _, s := range steps {
		for at < s.at {
			until := s.at
			if k+1 < tenths {
				until = min(until, w.tenthStart(k+1))
			}
			d := float64(until - at)
			area[k], square[k], took[k] = area[k]+d*float64(now), square[k]+d*float64(now)*float64(now), took[k]+d
			if at = until; k+1 < tenths && at == w.tenthStart(k+1) {
				k++
			}
		}
		now += s.delta
	}
	t := &WindowTrend{}
	variance := 0.0
	for k := range tenths {
		mean := area[k] / took[k]
		t.Windows = append(t.Windows, mean)
		variance += max(0, square[k]/took[k]-mean*mean) / tenths
	}
	t.Spread = math.Sqrt(variance)
	t.fitLine()
	return t
}

// fitLine fits a line to the last half of the windows by least squares.
func (t *WindowTrend) fitLine() {
	last := t.Windows[half:]
	level, slope, squares := 0.0, 0.0, 0.0
	const centre = float64(half-1) / 2
	for i, v := range last {
		level += v / half
		slope += (float64(i) - centre) * v
		squares += (float64(i) - centre) * (float64(i) - centre)
	}
	slope /= squares
	off := 0.0
	for i, v := range last {
		d := v - level - slope*(float64(i)-centre)
		off += d * d
	}
	doubt := math.Sqrt(off / (half - 2) / squares) // standard error of the slope
	t.Rise = slope * (half - 1)
	t.Rises = t.Rise > t.Spread && t.Rise > minRise*level && slope > certain*doubt &&
		level > slices.Max(t.Windows[:half])
}
