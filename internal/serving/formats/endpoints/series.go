package endpoints

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// Series contains the statistics of one metric's values, in the form of endpoints' final_snapshot.json.
type Series struct {
	Name   string
	sorted []float64
	// total and squares are the sum of the values and the sum of their squares.
	total, squares float64
	exactTotal     *big.Int // the exact total of whole numbers; nil: the values are not whole
	hasEstimates   bool     // the series has early-stopping estimates
	isWhole        bool     // its values are whole numbers by definition
}

// Names of the series of the endpoints harness.
const (
	latencyNS = "sample_latency_ns"
	ttftNS    = "ttft_ns"
	tpotNS    = "tpot_ns"
	chunkNS   = "chunk_delta_ns"
	islTokens = "isl"
	oslTokens = "osl"
)

// NewSeries returns the statistics of a series. The name determines the kind of the values: nanoseconds or tokens,
// whole except for tpot_ns.
func NewSeries(name string, values []float64) *Series {
	s := &Series{Name: name, sorted: slices.Clone(values), isWhole: name != tpotNS,
		hasEstimates: name == latencyNS || name == ttftNS || name == tpotNS}
	if s.isWhole {
		s.exactTotal = new(big.Int)
		squares := new(big.Int)
		for _, v := range values {
			n := big.NewInt(int64(v))
			s.exactTotal.Add(s.exactTotal, n)
			squares.Add(squares, n.Mul(n, n))
		}
		s.total, _ = new(big.Float).SetInt(s.exactTotal).Float64()
		s.squares, _ = new(big.Float).SetInt(squares).Float64()
	} else {
		for _, v := range values {
			s.total += v
			s.squares += v * v
		}
	}
	slices.Sort(s.sorted)
	return s
}

// percentileGrid lists the percentiles of each series with their names in files.
var percentileGrid = []struct {
	name string
	p    float64
}{{"99.9", 99.9}, {"99.0", 99}, {"97.0", 97}, {"95.0", 95}, {"90.0", 90}, {"80.0", 80}, {"75.0", 75}, {"50.0", 50},
	{"25.0", 25}, {"10.0", 10}, {"5.0", 5}, {"1.0", 1}}

// percentile returns the percentile p: the value at rank floor((n-1)p/100), counted from 0.
func (s *Series) percentile(p float64) float64 {
	if len(s.sorted) == 0 {
		return 0
	}
	return s.sorted[int(math.Floor(p/100*float64(len(s.sorted)-1)))]
}

// percentiles returns all percentiles of the grid.
func (s *Series) percentiles() *formats.Object {
	var o formats.Object
	for _, g := range percentileGrid {
		o.Add(g.name, formats.Float(s.percentile(g.p)))
	}
	return &o
}

// estimates returns the early-stopping estimates of the median and the higher percentiles. An estimate is null if there
// are too few values.
func (s *Series) estimates() *formats.Object {
	var o formats.Object
	for _, g := range percentileGrid {
		if g.p < 50 {
			continue
		}
		rank, _, ok := loadgen.EarlyStoppingRank(len(s.sorted), g.p/100)
		if ok {
			o.Add(g.name, formats.Float(s.sorted[rank]))
		} else {
			o.Add(g.name, nil)
		}
	}
	return &o
}

// histogramBuckets is the number of a histogram's buckets.
const histogramBuckets = 30

// histogram counts the values in buckets whose edges have equal ratios. The first edge is the minimum, or 1 if that is
// higher. The last edge is the maximum, or 10 times the first if that is higher. edges has one more element than
// counts. A value at an edge counts in the bucket above it; a value at the last edge counts in the last bucket.
func (s *Series) histogram() (edges []float64, counts []int) {
	if len(s.sorted) == 0 {
		return nil, nil
	}
	low := max(s.sorted[0], 1)
	high := max(s.sorted[len(s.sorted)-1], 10*low)
	from := math.Log(low)
	step := (math.Log(high) - from) / histogramBuckets
	for i := range histogramBuckets + 1 {
		edges = append(edges, math.Exp(from+float64(i)*step))
	}
	counts = make([]int, histogramBuckets)
	for _, v := range s.sorted {
		i, found := slices.BinarySearch(edges, v)
		if !found {
			i--
		}
		counts[max(0, min(i, histogramBuckets-1))]++
	}
	return edges, counts
}

// mean returns the total divided by the number of values, rounded once.
func (s *Series) mean() float64 {
	n := int64(len(s.sorted))
	if s.exactTotal == nil {
		return s.total / float64(n)
	}
	mean, _ := new(big.Rat).SetFrac(s.exactTotal, big.NewInt(n)).Float64()
	return mean
}

// standardDeviation returns the sample standard deviation.
func (s *Series) standardDeviation() float64 {
	n := int64(len(s.sorted))
	if n < 2 {
		return 0
	}
	square := s.total * s.total / float64(n)
	if s.exactTotal != nil {
		square, _ = new(big.Rat).SetFrac(new(big.Int).Mul(s.exactTotal, s.exactTotal), big.NewInt(n)).Float64()
	}
	return math.Sqrt(max(0, (s.squares-square)/float64(n-1)))
}

// typedNumber returns a value in the series's number type.
func (s *Series) typedNumber(v float64) any {
	if s.isWhole {
		return int64(v)
	}
	return formats.Float(v)
}

// sum returns the total.
func (s *Series) sum() any {
	if s.exactTotal != nil {
		return s.exactTotal
	}
	return formats.Float(s.total)
}

// minAndMax returns the minimum and the maximum; both are 0 without values.
func (s *Series) minAndMax() (least, most any) {
	if len(s.sorted) == 0 {
		return 0, 0
	}
	return s.typedNumber(s.sorted[0]), s.typedNumber(s.sorted[len(s.sorted)-1])
}

// Snapshot returns the series in the form of final_snapshot.json.
func (s *Series) Snapshot() json.Marshaler {
	var o formats.Object
	least, most := s.minAndMax()
	o.Add("type", "series")
	o.Add("name", s.Name)
	o.Add("count", len(s.sorted))
	o.Add("total", s.sum())
	o.Add("min", least)
	o.Add("max", most)
	if len(s.sorted) == 0 {
		o.Add("sum_sq", s.sum())
	} else {
		o.Add("sum_sq", formats.Float(s.squares))
	}
	o.Add("percentiles", s.percentiles())
	if s.hasEstimates {
		o.Add("early_stopping_percentiles", s.estimates())
	}
	edges, counts := s.histogram()
	pairs := [][2]any{}
	for i, n := range counts {
		pairs = append(pairs, [2]any{[2]formats.Float{formats.Float(edges[i]), formats.Float(edges[i+1])}, n})
	}
	o.Add("histogram", pairs)
	return &o
}

// Summary returns the series in the form of result_summary.json. Without values it contains only estimates, all null.
func (s *Series) Summary() json.Marshaler {
	var o formats.Object
	if len(s.sorted) > 0 {
		least, most := s.minAndMax()
		o.Add("total", s.sum())
		o.Add("min", least)
		o.Add("max", most)
		o.Add("median", formats.Float(s.percentile(50)))
		o.Add("avg", formats.Float(s.mean()))
		o.Add("std_dev", formats.Float(s.standardDeviation()))
		o.Add("percentiles", s.percentiles())
	}
	if s.hasEstimates {
		o.Add("early_stopping_percentiles", s.estimates())
	}
	if edges, counts := s.histogram(); counts != nil {
		pairs := [][2]formats.Float{}
		for i := range counts {
			pairs = append(pairs, [2]formats.Float{formats.Float(edges[i]), formats.Float(edges[i+1])})
		}
		var h formats.Object
		h.Add("buckets", pairs)
		h.Add("counts", counts)
		o.Add("histogram", &h)
	}
	return &o
}
