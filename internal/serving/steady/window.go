package steady

import (
	"fmt"
	"math"
)

// Duration contains the length of a plateau and its minimum length, the longest of three times, in seconds.
type Duration struct {
	Plateau Plateau `json:"plateau"`
	Window  float64 `json:"window"` // from the first issue to the last

	// duration of the passes that fix the mean of TPOT to 5 %, if more than MinPasses; else 0
	Precision  float64 `json:"precision"`
	Relaxation float64 `json:"relaxation"` // five times the 90th percentile of latencies
	Floor      float64 `json:"floor"`      // Options.Floor

	NeededPasses int     `json:"needed_passes"`
	Scatter      float64 `json:"scatter"`      // coefficient of variation of TPOT's 50th percentile
	PassSeconds  float64 `json:"pass_seconds"` // median duration of a pass
	LatencyP90   float64 `json:"latency_p90"`  // seconds
}

// MinSeconds returns the minimum duration of the plateau in seconds.
func (d Duration) MinSeconds() float64 { return max(d.Precision, d.Relaxation, d.Floor) }

// Short reports whether the plateau is too short.
func (d Duration) IsShort() bool { return d.Window < d.MinSeconds() }

// Dominant returns the name of the time that determines the minimum: "precision", "relaxation" or "floor".
func (d Duration) Dominant() string {
	switch d.MinSeconds() {
	case d.Precision:
		return "precision"
	case d.Relaxation:
		return "relaxation"
	}
	return "floor"
}

func tooShortText(all []Duration, longest int) string {
	d := all[longest]
	return fmt.Sprintf("each of the plateaus (%d) is too short: the longest has %.0f s, %.0f s are needed (%s)", len(all),
		d.Window, d.MinSeconds(), d.Dominant())
}

func (s passSeries) windowDuration(p Plateau, floor float64) Duration {
	w := s[p.Low:p.High]
	d := Duration{Plateau: p, Floor: floor, Scatter: variation(w.trajectoryValues(Trajectory{TPOT, 50}))}
	d.Window = float64(w[len(w)-1].LastIssue-w[0].FirstIssue) / 1e9
	var times []float64
	for i := range w {
		times = append(times, w[i].passSeconds())
	}
	d.PassSeconds = medianOfAny(times)
	if latencies := w.allTimes(Latency); len(latencies) > 0 {
		d.LatencyP90 = percentileOf(latencies, 90) / 1e9
	}
	d.NeededPasses = max(MinPasses, int(math.Ceil(math.Pow(normalQuantile*d.Scatter/meanPrecision, 2))))
	if d.NeededPasses > MinPasses {
		d.Precision = float64(d.NeededPasses) * d.PassSeconds
	}
	d.Relaxation = relaxations * d.LatencyP90
	return d
}

// Distribution describes times in nanoseconds.
type Distribution struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	// 20 bins of equal width, on a logarithmic scale if all times are above 0; a single bin if all times are equal
	Histogram []Bin `json:"histogram"`
}

// Bin counts the times from Low to below High. The last bin includes High.
type Bin struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Count int     `json:"count"`
}

const histogramBins = 20

func (s passSeries) windowDistribution(m Metric) *Distribution {
	v := s.allTimes(m)
	if len(v) == 0 {
		return nil
	}
	return &Distribution{len(v), s.arrivalMean(m, len(v)), v[0], v[len(v)-1], percentileOf(v, 50), percentileOf(v, 90),
		percentileOf(v, 99), makeHistogram(v)}
}

// arrivalMean returns the mean of n times, added in order of arrival.
func (s passSeries) arrivalMean(m Metric, n int) float64 {
	sum := 0.0
	for i := range s {
		for _, t := range s[i].timesOf(m) {
			sum += t
		}
	}
	return sum / float64(n)
}

// makeHistogram returns the histogram of sorted values.
func makeHistogram(v []float64) []Bin {
	low, high := v[0], v[len(v)-1]
	if low == high {
		return []Bin{{low, high, len(v)}}
	}
	edge := func(i int) float64 {
		if low > 0 {
			return low * math.Pow(high/low, float64(i)/histogramBins)
		}
		return low + (high-low)*float64(i)/histogramBins
	}
	all := make([]Bin, histogramBins)
	for i := range all {
		all[i] = Bin{Low: edge(i), High: edge(i + 1)}
	}
	at := 0
	for _, x := range v {
		for at < histogramBins-1 && x >= all[at].High {
			at++
		}
		all[at].Count++
	}
	return all
}

// Rates contains output tokens per second: per user, which is 1 / mean TPOT, and of the system, over the time from the
// first issue to the last. The intervals have a confidence of 95 %, by Student's distribution over the passes.
type Rates struct {
	PerUser         float64    `json:"per_user"`
	PerUserInterval [2]float64 `json:"per_user_interval"`
	System          float64    `json:"system"`
	SystemInterval  [2]float64 `json:"system_interval"`
}

func (s passSeries) windowRates() Rates {
	var means, rates []float64
	tokens, count, sum := int64(0), 0, 0.0
	for i := range s {
		p := &s[i]
		tokens += p.OutTokens
		if len(p.TPOT) > 0 {
			means = append(means, meanOf(p.TPOT))
			count += len(p.TPOT)
			for _, t := range p.TPOT {
				sum += t
			}
		}
		if p.LastIssue > p.FirstIssue {
			rates = append(rates, float64(p.OutTokens)/p.passSeconds())
		}
	}
	var r Rates
	if count > 0 && sum > 0 {
		m, half := meanOf(means), halfWidth(means)
		r.PerUser = 1e9 / (sum / float64(count))
		r.PerUserInterval = [2]float64{1e9 / (m + half), 1e9 / (m - half)}
	}
	if seconds := float64(s[len(s)-1].LastIssue-s[0].FirstIssue) / 1e9; seconds > 0 {
		half := halfWidth(rates)
		r.System = float64(tokens) / seconds
		r.SystemInterval = [2]float64{r.System - half, r.System + half}
	}
	return r
}

// halfWidth returns half the width of the 95 % confidence interval of a mean, or 0 for fewer than two values.
func halfWidth(v []float64) float64 {
	n := len(v)
	if n < 2 {
		return 0
	}
	return studentQuantile(n-1) * math.Sqrt(sumSquares(v, meanOf(v))/float64(n-1)) / math.Sqrt(float64(n))
}

// studentQuantile returns the 97.5th percentile of Student's distribution to three decimals. Above 30 degrees of
// freedom it returns the percentile of the normal distribution, as usual in tables.
func studentQuantile(degrees int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
		2.145,
		2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}
	if degrees <= len(table) {
		return table[degrees-1]
	}
	return normalQuantile
}
