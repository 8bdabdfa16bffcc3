package steady

import (
	"math"
	"slices"
)

// sortedPass is a pass with its times in ascending order, and their means.
type sortedPass struct {
	Pass
	ttft, tpot, latency []float64
}

type series []sortedPass

// sorted sorts copies of the passes' times.
func sorted(passes []Pass) series {
	s := make(series, len(passes))
	for i, p := range passes {
		s[i] = sortedPass{p, ascending(p.TTFT), ascending(p.TPOT), ascending(p.Latency)}
	}
	return s
}

// ascending is a sorted copy.
func ascending(v []float64) []float64 {
	c := slices.Clone(v)
	slices.Sort(c)
	return c
}

// all are the passes' times, sorted.
func (s series) all(m Metric) []float64 {
	n := 0
	for i := range s {
		n += len(s[i].of(m))
	}
	v := make([]float64, 0, n)
	for i := range s {
		v = append(v, s[i].of(m)...)
	}
	slices.Sort(v)
	return v
}

func (p *sortedPass) of(m Metric) []float64 {
	switch m {
	case TTFT:
		return p.ttft
	case Latency:
		return p.latency
	default:
		return p.tpot
	}
}

// seconds is the time from the first issue to the last.
func (p *Pass) seconds() float64 { return float64(p.LastIssue-p.FirstIssue) / 1e9 }

// trajectory is a percentile of each pass that has a sample.
func (s series) trajectory(t Trajectory) (values []float64) {
	for i := range s {
		if times := s[i].of(t.Metric); len(times) > 0 {
			values = append(values, percentile(times, t.Percentile))
		}
	}
	return values
}

// percentile is the value at floor(p (n - 1)) of sorted values, without interpolation.
func percentile(sorted []float64, percent int) float64 {
	return sorted[int(float64(percent)/100*float64(len(sorted)-1))]
}

// plateaus are the rows of passes that hold the gate: each begins where it can, and ends where the next pass breaks it.
func (s series) plateaus(o Options) (all []Plateau) {
	gates := make([]*row, len(gating))
	for i, t := range gating {
		gates[i] = newRow(s, t, o)
	}
	for start := 0; start <= len(s)-MinPasses; {
		end := start
		for next := start + MinPasses; next <= len(s) && steady(gates, start, next); next++ {
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

// steady is the gate of the passes [from, to).
func steady(gates []*row, from, to int) bool {
	for _, g := range gates {
		if !g.steady(from, to) {
			return false
		}
	}
	return true
}

// row is a gating trajectory over all passes.
type row struct {
	values     []float64 // NaN of a pass without a sample
	options    Options
	maxScatter float64
	sorted     []float64 // those of [from, to)
	from, to   int
}

func newRow(s series, t Trajectory, o Options) *row {
	r := &row{values: make([]float64, len(s)), options: o, maxScatter: slices.Max(o.ScatterBounds)}
	for i := range s {
		r.values[i] = math.NaN()
		if times := s[i].of(t.Metric); len(times) > 0 {
			r.values[i] = percentile(times, t.Percentile)
		}
	}
	return r
}

// steady is the gate of [from, to). The test of the trend takes the square of the passes' number in time, so it is
// asked only where the change is large enough to count.
func (r *row) steady(from, to int) bool {
	v := r.values[from:to]
	if slices.ContainsFunc(v, math.IsNaN) {
		return false
	}
	change := 0.0
	if m := r.median(from, to); m != 0 {
		change = slope(v) * float64(len(v)-1) / m
	}
	if scatter(v) > r.maxScatter {
		return false
	}
	return abs(change) < minChange || r.options.Trend.Of(v).Direction == Steady
}

// median is that of [from, to), which grows by a pass from one call to the next.
func (r *row) median(from, to int) float64 {
	if r.from != from || r.to > to {
		r.sorted, r.from, r.to = r.sorted[:0], from, from
	}
	for ; r.to < to; r.to++ {
		at, _ := slices.BinarySearch(r.sorted, r.values[r.to])
		r.sorted = slices.Insert(r.sorted, at, r.values[r.to])
	}
	return middle(r.sorted)
}

// Gate is what decides for one trajectory whether the passes of a window are steady.
type Gate struct {
	Trend   Trend
	Change  float64 // of a straight line from the first to the last pass, as a share of the median
	Scatter float64 // coefficient of variation
}

func (s series) gate(t Trajectory, o Options) Gate {
	v := s.trajectory(t)
	return Gate{o.Trend.Of(v), relative(slope(v), v), scatter(v)}
}

// relative is the change by a slope from the first value to the last, as a share of their median; 0 at a median of 0.
func relative(slope float64, v []float64) float64 {
	m := median(v)
	if m == 0 {
		return 0
	}
	return slope * float64(len(v)-1) / m
}

// scatter is the coefficient of variation: the population's standard deviation over the mean's magnitude, 0 below two
// values or at a mean of 0.
func scatter(v []float64) float64 {
	m := mean(v)
	if len(v) < 2 || m == 0 {
		return 0
	}
	return math.Sqrt(squares(v, m)/float64(len(v))) / abs(m)
}

// squares is the sum of the squared differences from a mean.
func squares(v []float64, m float64) (sum float64) {
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return sum
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// median is that of values in any order; of an even number the mean of the middle two.
func median(v []float64) float64 {
	return middle(ascending(v))
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[n/2]
}

func abs(x float64) float64 { return math.Abs(x) }
