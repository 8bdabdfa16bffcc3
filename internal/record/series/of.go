package series

import (
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Source contains the measurements of each sample, in the order of issue. It is a loadgen.Recording or a trace log.
// Several goroutines may call Slot.
type Source interface {
	Start() time.Time
	Samples() int
	SamplesPerQuery() int
	HasTokens() bool
	HasFirstTokens() bool
	Slot(i int) loadgen.Slot
}

// FromSource makes the file of a source.
func FromSource(src Source) *File {
	per := max(1, src.SamplesPerQuery())
	f := &File{
		Schema: Schema, SchemaVersion: SchemaVersion, Start: src.Start().UTC(), Samples: src.Samples(), SamplesPerQuery: per,
		Queries: (src.Samples() + per - 1) / per,
	}
	ends := int64(0)
	for i := range f.Samples {
		s := src.Slot(i)
		if s.Done < 0 {
			f.Unanswered++
		}
		f.Duration, ends = max(f.Duration, s.Done), max(ends, s.Done, s.Issued)
	}
	all := measures(src, f)
	hists, lines, bands := make([]Histogram, len(all)), make([]Line, len(all)), make([]*Band, len(all))
	var wg sync.WaitGroup
	wg.Go(func() { f.Rates = countRates(src, ends) })
	for i, m := range all {
		wg.Go(func() {
			hists[i], lines[i] = m.summary(f.Queries)
			if len(lines[i].T) > 0 {
				bands[i] = newBand(m.times.Key, lines[i].Of, lines[i].last(), m.each)
			}
		})
	}
	wg.Wait()
	for i, h := range hists {
		if h.Count > 0 {
			f.Histograms = append(f.Histograms, h)
		}
		if len(lines[i].T) > 0 {
			f.Lines = append(f.Lines, lines[i])
		}
		if bands[i] != nil {
			f.Bands = append(f.Bands, *bands[i])
		}
	}
	return f
}

// distribution is a measure of samples or queries.
type distribution struct {
	times metric.Times
	n     int
	// value returns the due time and the value of number i. ok is false if there is no value.
	value func(i int) (due, v int64, ok bool)
}

// measures returns the measures of a run.
func measures(src Source, f *File) []distribution {
	all := []distribution{{metric.Latency, f.Samples, func(i int) (int64, int64, bool) {
		s := src.Slot(i)
		return s.Scheduled, s.Done - s.Scheduled, s.Done >= 0
	}}}
	if f.SamplesPerQuery > 1 && f.Queries > 1 {
		of := queryLatency(src, f.SamplesPerQuery)
		all = append(all, distribution{metric.QueryLatency, f.Samples / f.SamplesPerQuery, of})
	}
	if f.Queries > 1 {
		all = append(all, distribution{metric.IssueDelay, f.Queries, func(q int) (int64, int64, bool) {
			s := src.Slot(q * f.SamplesPerQuery)
			return s.Scheduled, s.Issued - s.Scheduled, true
		}})
	}
	if src.HasFirstTokens() {
		all = append(all, distribution{metric.TTFT, f.Samples, func(i int) (int64, int64, bool) {
			s := src.Slot(i)
			return s.Scheduled, s.FirstToken - s.Scheduled, s.FirstToken > 0
		}}, distribution{metric.TPOT, f.Samples, func(i int) (int64, int64, bool) {
			s := src.Slot(i)
			if s.Done < 0 || s.FirstToken <= 0 || s.Tokens < 2 {
				return 0, 0, false
			}
			return s.Scheduled, (s.Done - s.FirstToken) / int64(s.Tokens-1), true
		}})
	}
	return all
}

// queryLatency returns the latency of a query's last sample.
func queryLatency(src Source, per int) func(q int) (due, v int64, ok bool) {
	return func(q int) (int64, int64, bool) {
		due, last := int64(0), int64(0)
		for i := q * per; i < (q+1)*per; i++ {
			s := src.Slot(i)
			if s.Done < 0 {
				return 0, 0, false
			}
			due, last = s.Scheduled, max(last, s.Done)
		}
		return due, last - due, true
	}
}

// summary returns the histogram and the selected values of the measure, for a run of a number of queries. A run of one
// query has no line. Delays that are all 0, as in scenarios without a schedule, have neither.
func (m distribution) summary(queries int) (h Histogram, l Line) {
	c := newCounter(m.times.Key)
	missing := 0
	for i := range m.n {
		_, v, ok := m.value(i)
		if !ok {
			missing++
			continue
		}
		c.add(v)
	}
	if c.Count == 0 || m.times == metric.IssueDelay && c.Max == 0 {
		return h, l
	}
	if queries > 1 {
		l = m.line(missing)
	}
	return c.histogram(), l
}

// line selects values of the measure. missing is the number of values that do not exist.
func (m distribution) line(missing int) Line {
	number := func(i int) int { return i }
	if missing > 0 {
		there := m.existing(missing)
		number = func(i int) int { return int(there[i]) }
	}
	l := Line{Name: m.times.Key, Of: m.n - missing}
	points := SelectPoints(l.Of, maxPoints, func(i int) (x, y float64) {
		due, v, _ := m.value(number(i))
		return float64(due), float64(v)
	})
	for _, i := range points {
		due, v, _ := m.value(number(i))
		l.T, l.V = append(l.T, due), append(l.V, max(v, 0))
	}
	return l
}

// each calls take for the existing values, in order.
func (m distribution) each(take func(due, v int64)) {
	for i := range m.n {
		if due, v, ok := m.value(i); ok {
			take(due, max(v, 0))
		}
	}
}

// existing returns the numbers that have a value.
func (m distribution) existing(missing int) []int32 {
	numbers := make([]int32, 0, m.n-missing)
	for i := range m.n {
		if _, _, ok := m.value(i); ok {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers
}
