package metrics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// usualPercentiles contains the percentiles of LoadGen's logs.
var usualPercentiles = [...]float64{0.5, 0.9, 0.95, 0.97, 0.99, 0.999}

// lowPercentile is the percentile at the bad end of metrics for which higher is better.
const lowPercentile = 0.01

// Distribution describes the values of a metric: nanoseconds, tokens per second, or tokens. Its JSON is one object with
// n, mean, min, max and, for each percentile, pNN, pNN_linear, pNN_failed, and the bounds pNN_low and pNN_high. null
// means infinite.
type Distribution struct {
	N              int
	Mean, Min, Max float64
	Percentiles    []Percentile // ascending
}

// Percentile is one percentile of a distribution.
type Percentile struct {
	P float64 // 0 to 1
	// Value is LoadGen's percentile: the sorted value with index trunc(n P), counted from 0. It is always one of the
	// values.
	Value float64
	// Linear is interpolated between two values, like numpy's percentile and that of most other tools.
	Linear float64
	// Failed is Value with each failed request counted as infinite (for User: as 0 tokens per second). NaN means that
	// there were no failures, or that they do not count here.
	Failed float64
	// Between contains the bounds, with 95 % confidence, of the judged value in a measurement of any length. It is nil if
	// the percentile was not requested.
	Between *Bounds
}

// Bounds contains a lower and an upper bound.
type Bounds struct{ Low, High float64 }

// JudgedValue returns the value with which objectives are compared. It includes failures if there are any.
func (p Percentile) JudgedValue() float64 {
	if math.IsNaN(p.Failed) {
		return p.Value
	}
	return p.Failed
}

// PercentileAt returns the percentile of a fraction. ok is false if it was not computed.
func (d Distribution) PercentileAt(p float64) (Percentile, bool) {
	i := slices.IndexFunc(d.Percentiles, func(q Percentile) bool { return q.P == p })
	if i < 0 {
		return Percentile{}, false
	}
	return d.Percentiles[i], true
}

// EnoughValues reports whether n values are enough for a percentile, so that at least one of them lies beyond it: 100
// for p99. For percentiles below 50 %, the low end counts.
func EnoughValues(n int, p float64) bool { return float64(n)*min(p, 1-p) >= 1-1e-9 }

// TooFew is the word that replaces a percentile without enough values, because such a percentile would only repeat the
// slowest value or the second slowest.
const TooFew = "too few"

// UnsupportedPercentiles returns the names of the percentiles for which n values are not enough, in order: "p99,
// p99.9". It returns "" if the values are enough for all or if n is 0.
func UnsupportedPercentiles(n int, percentiles []float64) string {
	var names []string
	for _, p := range percentiles {
		if n > 0 && !EnoughValues(n, p) {
			names = append(names, PercentileName(p))
		}
	}
	return strings.Join(names, ", ")
}

// PercentileName returns a name such as p50 or p99.9.
func PercentileName(p float64) string { return "p" + strconv.FormatFloat(100*p, 'g', 9, 64) }

// ParsePercentile parses such a name. ok is false if the name does not denote a percentile in (0, 100).
func ParsePercentile(name string) (p float64, ok bool) {
	digits, ok := strings.CutPrefix(name, "p")
	if !ok || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	p, err := strconv.ParseFloat(digits+"e-2", 64) // yields exactly 0.999 for p99.9
	return p, err == nil && p > 0 && p < 1
}

// percentileRank returns the index in n sorted values of LoadGen's percentile p.
func percentileRank(n int, p float64) int { return min(int(float64(n)*p), n-1) }

// normalQuantile is the number of standard deviations from the mean within which 95 % of a normal distribution lie.
const normalQuantile = 1.959963984540054

// WilsonInterval returns the bounds of a share, with 95 % confidence, if k of n were observed: E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference" (1927). For n 0 they are 0 and 1.
func WilsonInterval(k float64, n int) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	m, p := float64(n), k/float64(n)
	centre := (p + normalQuantile*normalQuantile/(2*m)) / (1 + normalQuantile*normalQuantile/m)
	half := normalQuantile / (1 + normalQuantile*normalQuantile/m) *
		math.Sqrt(p*(1-p)/m+normalQuantile*normalQuantile/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}

// metricValues contains the values of one metric and can be iterated repeatedly.
type metricValues struct {
	orderstat.Values
	decode         func(v int64) float64 // converts an integer to the value that it encodes
	n              int                   // number of values
	min, max       int64
	mean           float64
	failed         int       // number of failed requests that count as values
	bounded        []float64 // percentiles that need bounds
	failuresLowest bool      // a failure counts as the lowest value, not the highest
}

// summarize computes the distribution with the given percentiles, which must ascend.
func (v metricValues) summarize(percentiles []float64) Distribution {
	if v.n == 0 {
		return Distribution{}
	}
	d := Distribution{N: v.n, Mean: v.mean, Min: v.decode(v.min), Max: v.decode(v.max)}
	const each = 6 // number of ranks per percentile
	ranks := make([]int, 0, each*len(percentiles))
	for _, p := range percentiles {
		below := min(int(float64(v.n-1)*p), v.n-1)
		ranks = append(ranks, percentileRank(v.n, p), below, min(below+1, v.n-1))
		low, high := v.shareBounds(p)
		for _, p := range []float64{p, low, high} {
			with, _ := v.rankWithFailures(p)
			ranks = append(ranks, max(0, min(with, v.n-1)))
		}
	}
	found := orderstat.Select(v.Values, orderstat.Moments{N: v.n, Min: v.min, Max: v.max}, ranks)
	for i, p := range percentiles {
		at := func(j int) float64 { return v.decode(found[each*i+j]) }
		judged := func(p float64, j int) float64 {
			if _, beyond := v.rankWithFailures(p); beyond {
				return v.failureValue()
			}
			return at(j)
		}
		place := float64(v.n-1) * p
		part := place - math.Floor(place)
		q := Percentile{P: p, Value: at(0), Linear: at(1) + part*(at(2)-at(1)), Failed: math.NaN()}
		if v.failed > 0 {
			q.Failed = judged(p, 3)
		}
		if slices.Contains(v.bounded, p) {
			low, high := v.shareBounds(p)
			q.Between = &Bounds{judged(low, 4), judged(high, 5)}
		}
		d.Percentiles = append(d.Percentiles, q)
	}
	return d
}

// shareBounds returns the bounds of the share of values below a percentile.
func (v metricValues) shareBounds(p float64) (low, high float64) {
	n := v.n + v.failed
	return WilsonInterval(p*float64(n), n)
}

// rankWithFailures returns the index of a percentile among the values if failures are included. beyond is true if the
// percentile falls on a failure.
func (v metricValues) rankWithFailures(p float64) (at int, beyond bool) {
	at = percentileRank(v.n+v.failed, p)
	if v.failuresLowest {
		at -= v.failed
	}
	return at, at < 0 || at >= v.n
}

// failureValue returns the value that a failed request counts as.
func (v metricValues) failureValue() float64 {
	if v.failuresLowest {
		return 0
	}
	return math.Inf(1)
}

// MarshalJSON implements json.Marshaler.
func (d Distribution) MarshalJSON() ([]byte, error) {
	b := strconv.AppendInt([]byte(`{"n":`), int64(d.N), 10)
	var err error
	add := func(name string, v float64) {
		text, wrong := json.Marshal(v)
		if math.IsInf(v, 1) {
			text, wrong = []byte("null"), nil
		}
		err = cmp.Or(err, wrong)
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = append(b, text...)
	}
	if d.N > 0 {
		add("mean", d.Mean)
		add("min", d.Min)
		add("max", d.Max)
		for _, p := range d.Percentiles {
			name := PercentileName(p.P)
			add(name, p.Value)
			add(name+"_linear", p.Linear)
			if !math.IsNaN(p.Failed) {
				add(name+"_failed", p.Failed)
			}
			if p.Between != nil {
				add(name+"_low", p.Between.Low)
				add(name+"_high", p.Between.High)
			}
		}
	}
	return append(b, '}'), err
}

// UnmarshalJSON implements json.Unmarshaler. It ignores fields that are not statistics.
func (d *Distribution) UnmarshalJSON(text []byte) error {
	fields, err := parseStatistics(text)
	if err != nil {
		return err
	}
	*d = Distribution{}
	for name, to := range map[string]*float64{"mean": &d.Mean, "min": &d.Min, "max": &d.Max} {
		if v := fields[name]; v != nil {
			*to = *v
		}
	}
	if n := fields["n"]; n != nil {
		if *n < 0 || *n > math.MaxInt32 || *n != math.Trunc(*n) {
			return fmt.Errorf("a distribution of %v values, want a whole number from 0", *n)
		}
		d.N = int(*n)
	}
	for name, v := range fields {
		if p, ok := ParsePercentile(name); ok && v != nil {
			d.Percentiles = append(d.Percentiles, percentileOf(p, name, fields))
		}
	}
	slices.SortFunc(d.Percentiles, func(a, b Percentile) int { return cmp.Compare(a.P, b.P) })
	return nil
}

// parseStatistics returns the fields of a distribution's JSON that are statistics; nil for null.
func parseStatistics(text []byte) (map[string]*float64, error) {
	fields := map[string]*float64{}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("a distribution: %w", err)
	}
	for name, text := range all {
		statistic, _, _ := strings.Cut(name, "_")
		_, percentile := ParsePercentile(statistic)
		if !percentile && !slices.Contains([]string{"n", "mean", "min", "max"}, name) {
			continue
		}
		var v *float64
		if err := json.Unmarshal(text, &v); err != nil {
			return nil, fmt.Errorf("%s of a distribution: %w", name, err)
		}
		fields[name] = v
	}
	return fields, nil
}

// percentileOf returns the percentile with the given name from fields.
func percentileOf(p float64, name string, fields map[string]*float64) Percentile {
	q := Percentile{P: p, Value: *fields[name], Linear: *fields[name], Failed: math.NaN()}
	if v := fields[name+"_linear"]; v != nil {
		q.Linear = *v
	}
	if v, ok := fields[name+"_failed"]; ok {
		q.Failed = orInfinite(v)
	}
	low, isLow := fields[name+"_low"]
	if high, ok := fields[name+"_high"]; ok && isLow {
		q.Between = &Bounds{orInfinite(low), orInfinite(high)}
	}
	return q
}

// orInfinite returns the number, or infinity for null.
func orInfinite(v *float64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return *v
}
