package steady

import (
	"math"
	"slices"
)

// rankedPass is a pass with its percentiles. The pass keeps its times in order of arrival.
type rankedPass struct {
	Pass
	percentiles []trajectoryValue
}

// trajectoryValue is the value of a trajectory at one pass.
type trajectoryValue struct {
	trajectory Trajectory
	value      float64
}

type passSeries []rankedPass

// rankPasses calculates the percentiles that the detector reads. It sorts the times of one pass at a time in a shared
// buffer, because a run of millions of requests has little memory for sorted copies.
func rankPasses(passes []Pass, driver Trajectory) passSeries {
	s := make(passSeries, len(passes))
	var buffer []float64
	for i, p := range passes {
		s[i].Pass = p
		for _, m := range []Metric{TTFT, TPOT, Latency} {
			buffer = append(buffer[:0], p.timesOf(m)...)
			slices.Sort(buffer)
			s[i].addPercentiles(m, buffer, driver)
		}
	}
	return s
}

// addPercentiles adds the percentiles of a metric whose sorted times are given.
func (p *rankedPass) addPercentiles(m Metric, sorted []float64, driver Trajectory) {
	if len(sorted) == 0 {
		return
	}
	for _, t := range slices.Concat(gatingTrajectories, watchedTrajectories, []Trajectory{driver}) {
		if t.Metric == m {
			p.percentiles = append(p.percentiles, trajectoryValue{t, percentileOf(sorted, t.Percentile)})
		}
	}
}

// percentile returns the value of a trajectory, and false if the pass has no sample of its metric.
func (p *rankedPass) percentile(t Trajectory) (float64, bool) {
	for _, known := range p.percentiles {
		if known.trajectory == t {
			return known.value, true
		}
	}
	times := p.timesOf(t.Metric)
	if len(times) == 0 {
		return 0, false
	}
	return percentileOf(sortedCopy(times), t.Percentile), true
}

func sortedCopy(v []float64) []float64 {
	c := slices.Clone(v)
	slices.Sort(c)
	return c
}

// allTimes returns the times of all passes, sorted.
func (s passSeries) allTimes(m Metric) []float64 {
	n := 0
	for i := range s {
		n += len(s[i].timesOf(m))
	}
	v := make([]float64, 0, n)
	for i := range s {
		v = append(v, s[i].timesOf(m)...)
	}
	slices.Sort(v)
	return v
}

// timesOf returns the times of a metric in order of arrival.
func (p *Pass) timesOf(m Metric) []float64 {
	switch m {
	case TTFT:
		return p.TTFT
	case Latency:
		return p.Latency
	default:
		return p.TPOT
	}
}

// passSeconds returns the time from the first issue to the last in seconds.
func (p *Pass) passSeconds() float64 { return float64(p.LastIssue-p.FirstIssue) / 1e9 }

// trajectoryValues returns a percentile of each pass with values.
func (s passSeries) trajectoryValues(t Trajectory) (values []float64) {
	for i := range s {
		if v, ok := s[i].percentile(t); ok {
			values = append(values, v)
		}
	}
	return values
}

// percentileOf returns the value at rank floor(p (n - 1)) of sorted values, without interpolation.
func percentileOf(sorted []float64, percent int) float64 {
	return sorted[int(float64(percent)/100*float64(len(sorted)-1))]
}

// findPlateaus returns the plateaus: maximal sequences of passes that satisfy the gate. Each starts as early as
// possible.
func (s passSeries) findPlateaus(o Options) (all []Plateau) {
	gates := make([]*trajectoryRow, len(gatingTrajectories))
	for i, t := range gatingTrajectories {
		gates[i] = newRow(s, t, o)
	}
	for start := 0; start <= len(s)-MinPasses; {
		end := start
		for next := start + MinPasses; next <= len(s) && allSteady(gates, start, next); next++ {
			end = next
		}
		if end == start {
			start++
			continue
		}
		all = append(all, Plateau{start, end})
		start = end
	}
	return all
}

// allSteady reports whether all gating trajectories are steady over the passes [from, to).
func allSteady(gates []*trajectoryRow, from, to int) bool {
	for _, g := range gates {
		if !g.isSteady(from, to) {
			return false
		}
	}
	return true
}

// trajectoryRow contains the values of a gating trajectory over all passes.
type trajectoryRow struct {
	values     []float64 // NaN: a pass without values
	options    Options
	maxScatter float64
	sorted     []float64 // values of [from, to) in ascending order
	from, to   int
}

func newRow(s passSeries, t Trajectory, o Options) *trajectoryRow {
	r := &trajectoryRow{values: make([]float64, len(s)), options: o, maxScatter: slices.Max(o.ScatterBounds)}
	for i := range s {
		r.values[i] = math.NaN()
		if v, ok := s[i].percentile(t); ok {
			r.values[i] = v
		}
	}
	return r
}

// isSteady reports whether the trajectory satisfies the gate over the passes [from, to). The trend test takes quadratic
// time, so it only runs if the change is large enough to count.
func (r *trajectoryRow) isSteady(from, to int) bool {
	v := r.values[from:to]
	if slices.ContainsFunc(v, math.IsNaN) {
		return false
	}
	change := 0.0
	if m := r.medianOf(from, to); m != 0 {
		change = lineSlope(v) * float64(len(v)-1) / m
	}
	if variation(v) > r.maxScatter {
		return false
	}
	return abs(change) < minChange || r.options.Trend.Of(v).Direction == Steady
}

// medianOf returns the median over [from, to). Successive calls with a growing range are fast.
func (r *trajectoryRow) medianOf(from, to int) float64 {
	if r.from != from || r.to > to {
		r.sorted, r.from, r.to = r.sorted[:0], from, from
	}
	for ; r.to < to; r.to++ {
		at, _ := slices.BinarySearch(r.sorted, r.values[r.to])
		r.sorted = slices.Insert(r.sorted, at, r.values[r.to])
	}
	return medianOfSorted(r.sorted)
}

// Gate contains the values that decide whether one trajectory is steady over the passes of a window.
type Gate struct {
	Trend   Trend
	Change  float64 // change along a fitted line from the first to the last pass, relative to the median
	Scatter float64 // coefficient of variation
}

func (s passSeries) makeGate(t Trajectory, o Options) Gate {
	v := s.trajectoryValues(t)
	return Gate{o.Trend.Of(v), relativeChange(lineSlope(v), v), variation(v)}
}

// relativeChange returns the change along a slope from the first value to the last, relative to the median of v. It
// returns 0 if the median is 0.
func relativeChange(slope float64, v []float64) float64 {
	m := medianOfAny(v)
	if m == 0 {
		return 0
	}
	return slope * float64(len(v)-1) / m
}

// variation returns the coefficient of variation: the population standard deviation divided by the magnitude of the
// mean. It returns 0 for fewer than two values and for a mean of 0.
func variation(v []float64) float64 {
	m := meanOf(v)
	if len(v) < 2 || m == 0 {
		return 0
	}
	return math.Sqrt(sumSquares(v, m)/float64(len(v))) / abs(m)
}

// sumSquares returns the sum of the squared differences from the mean m.
func sumSquares(v []float64, m float64) (sum float64) {
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return sum
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// medianOfAny returns the median of unsorted values. For an even number of values it is the mean of the middle two.
func medianOfAny(v []float64) float64 {
	return medianOfSorted(sortedCopy(v))
}

// medianOfSorted returns the median of sorted values.
func medianOfSorted(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[n/2]
}

func abs(x float64) float64 { return math.Abs(x) }
