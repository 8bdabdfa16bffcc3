package metrics

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// Figures contains the figures computed from the records of a point. They exclude requests of the warm-up.
type Figures struct {
	// Requests is the number of requests that began, except those that the client cancelled by plan. OK is the number of
	// answered requests.
	Requests  int            `json:"requests"`
	OK        int            `json:"ok"`
	Failed    map[Status]int `json:"failed"` // by kind of failure
	Cancelled int            `json:"cancelled"`
	WindowNS  int64          `json:"window_ns"`

	// Distributions over answered requests. Queue also includes failed ones.
	TTFT     Distribution `json:"ttft"`
	TTFTSent Distribution `json:"ttft_sent"`
	TTFO     Distribution `json:"ttfo"`
	TPOT     Distribution `json:"tpot"`
	E2E      Distribution `json:"e2e"`
	E2ESent  Distribution `json:"e2e_sent"`
	Queue    Distribution `json:"queue"`
	Stall    Distribution `json:"stall"`
	User     Distribution `json:"user"`
	Gap      Distribution `json:"gap"`
	Out      Distribution `json:"out"`

	CountedBy map[CountedBy]int `json:"counted_by"` // number of answers by source of their token count
	Bundled   int               `json:"bundled"`    // number of answers with several tokens that all arrived at once
	// TokensPerEvent is the mean over streamed answers with counted tokens; absent without any.
	TokensPerEvent *float64 `json:"tokens_per_event,omitempty"`

	// The concurrency counts requests at the server, from Sent to End, including failed and cancelled ones.
	ConcurrencyMean float64 `json:"concurrency_mean"`
	ConcurrencyPeak int     `json:"concurrency_peak"`

	// The rates are absent if the window is empty.
	RequestsPerSec     *float64 `json:"requests_per_s,omitempty"`
	TokensPerSec       *float64 `json:"tokens_per_s,omitempty"`
	TokensPerSecPerGPU *float64 `json:"tokens_per_s_per_gpu,omitempty"`
	// MillionTokenCost is the cost of a million answered tokens, in the currency of FigureRules.HourPrice.
	MillionTokenCost *float64 `json:"cost_per_million_tokens,omitempty"`

	// Tokens of answered requests, as counted by the server.
	PromptTokens    int64    `json:"prompt_tokens"`
	CachedShare     *float64 `json:"cached_share"` // share of PromptTokens; null: the server does not count prompt tokens
	ReasoningTokens int64    `json:"reasoning_tokens"`
	// Lengths compares requested and received lengths; absent: no length was requested.
	Lengths *MeanLengths `json:"lengths,omitempty"`

	// Good is the number of requests within all limits; absent without limits.
	Good       *int     `json:"good,omitempty"`
	Attainment *float64 `json:"attainment,omitempty"`    // the share of Requests
	Goodput    *float64 `json:"goodput_per_s,omitempty"` // good requests per second

	LoadGen *LoadGen `json:"loadgen,omitempty"`
	// EarlyStopping contains LoadGen's estimates of TTFT, TPOT and E2E by percentile name. They are upper bounds that the
	// true percentile exceeds with a probability of one in a hundred. Failures count as infinite.
	EarlyStopping map[string]map[string]Estimate `json:"early_stopping,omitempty"`

	Servers []ServerFigures `json:"servers,omitempty"`
}

// ServerFigures contains the figures of one of several servers. Its rates and concurrency use the window of all
// servers.
type ServerFigures struct {
	Name string `json:"name"`
	Figures
}

// LoadGen contains LoadGen's headline numbers for the same times.
type LoadGen struct {
	SamplesPerSec float64 `json:"samples_per_s"`
	TokensPerSec  float64 `json:"tokens_per_s"`
}

// Estimate is an early-stopping estimate of a percentile.
type Estimate struct {
	// NS is null if the estimate falls on a failure or if there are too few requests.
	NS        *int64 `json:"ns"`
	Processed int    `json:"processed"`
	Needed    uint64 `json:"needed"` // the minimum number of requests for an estimate
}

// FailedTotal returns the number of failed requests.
func (f *Figures) FailedTotal() int {
	n := 0
	for _, k := range f.Failed {
		n += k
	}
	return n
}

// Distribution returns the distribution with a name from Distributions, or nil.
func (f *Figures) Distribution(name string) *Distribution {
	switch name {
	case TTFT:
		return &f.TTFT
	case TTFTSent:
		return &f.TTFTSent
	case TTFO:
		return &f.TTFO
	case TPOT:
		return &f.TPOT
	case E2E:
		return &f.E2E
	case E2ESent:
		return &f.E2ESent
	case Queue:
		return &f.Queue
	case Stall:
		return &f.Stall
	case User:
		return &f.User
	case Gap:
		return &f.Gap
	case Out:
		return &f.Out
	}
	return nil
}

// ComputeFigures computes the figures of a point's records without changing them.
func ComputeFigures(requests []Request, rules FigureRules) *Figures {
	all := make([]Measured, 0, len(requests))
	for i := range requests {
		if !requests[i].WarmUp {
			all = append(all, MeasureRequest(&requests[i], rules))
		}
	}
	w := wholeWindow(all)
	w.To = max(w.To, w.From+rules.Least)
	if rules.Window != nil {
		w = *rules.Window
	}
	f := computeFigures(all, w, rules)
	if len(rules.Servers) > 1 {
		for i, name := range rules.Servers {
			own := make([]Measured, 0, len(all)/len(rules.Servers))
			for j := range all {
				if all[j].Server == i {
					own = append(own, all[j])
				}
			}
			f.Servers = append(f.Servers, ServerFigures{name, *computeFigures(own, w, rules)})
		}
	}
	return f
}

// wholeWindow returns the window from the first due time to the last token, or to the end of requests without tokens.
func wholeWindow(all []Measured) Window {
	if len(all) == 0 {
		return Window{}
	}
	w := Window{math.MaxInt64, math.MinInt64}
	for i := range all {
		w.From, w.To = min(w.From, all[i].Due), max(w.To, all[i].DoneAt())
	}
	return w
}

// computeFigures computes the figures of requests in a window.
func computeFigures(all []Measured, w Window, rules FigureRules) *Figures {
	f := &Figures{Failed: map[Status]int{}, CountedBy: map[CountedBy]int{}, WindowNS: w.To - w.From}
	inside := make([]*Measured, 0, len(all))
	for i := range all {
		m := &all[i]
		switch {
		case rules.Window != nil && !w.Has(m.Due):
		case m.Found == Cancelled:
			f.Cancelled++
		default:
			inside = append(inside, m)
		}
	}
	f.Requests = len(inside)
	for _, m := range inside {
		if m.Found == OK {
			f.OK++
		} else {
			f.Failed[m.Found]++
		}
	}
	f.countTokens(inside)
	f.Lengths = meanLengths(inside)
	f.setDistributions(inside, rules)
	f.ConcurrencyMean, f.ConcurrencyPeak = measureConcurrency(all, w)
	f.setRates(all, w, rules)
	if rules.Limits != nil {
		f.setGoodput(inside, all, w, rules)
	}
	if rules.LoadGen == loadgen.Server.String() || rules.LoadGen == loadgen.Offline.String() {
		f.LoadGen = loadGenResult(inside, rules.LoadGen)
	}
	return f
}

// countTokens counts the tokens of answers and prompts.
func (f *Figures) countTokens(inside []*Measured) {
	var counted, events, cached int64
	for _, m := range inside {
		if m.Found != OK {
			continue
		}
		if m.By != "" {
			f.CountedBy[m.By]++
		}
		if m.IsBundled() {
			f.Bundled++
		}
		if m.isStream() && m.Out != Unknown {
			counted, events = counted+m.Out, events+int64(m.Events.Len())
		}
		f.PromptTokens += max(0, m.Usage.Prompt)
		f.ReasoningTokens += max(0, m.Usage.Reasoning)
		cached += max(0, m.Usage.Cached)
	}
	f.CachedShare = divideOrNil(float64(cached), float64(f.PromptTokens))
	f.TokensPerEvent = divideOrNil(float64(counted), float64(events))
}

// divideOrNil returns a/b, or nil if b is 0.
func divideOrNil(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	a /= b
	return &a
}

// setDistributions computes the distributions of times and lengths.
func (f *Figures) setDistributions(inside []*Measured, rules FigureRules) {
	failed := f.Requests - f.OK
	room := make([]int64, 0, len(inside)) // reused for the values of each metric
	for _, name := range Distributions() {
		v := valuesOf(inside, name, room)
		switch name {
		case TTFT, TPOT, E2E:
			v.failed = failed
		case User:
			v.failed, v.failuresLowest = failed, true
		}
		if more := rules.Percentiles[name]; len(more) > 0 && name != Queue && name != Out {
			v.failed, v.bounded = failed, more
		}
		*f.Distribution(name) = v.summarize(percentilesOf(name, v.bounded))
		if rules.OpenLoop && (name == TTFT || name == TPOT || name == E2E) && v.n > 0 {
			if f.EarlyStopping == nil {
				f.EarlyStopping = map[string]map[string]Estimate{}
			}
			f.EarlyStopping[name] = v.earlyStoppingEstimates()
		}
	}
}

// percentilesOf returns the percentiles of a distribution, ascending: the usual ones and more.
func percentilesOf(name string, more []float64) []float64 {
	wanted := slices.Concat(usualPercentiles[:], more)
	if name == User {
		wanted = append(wanted, lowPercentile)
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// AllFigures returns figures with every possible field set to 0 and the percentiles that rules request, so that callers
// know the names before a measurement.
func AllFigures(rules FigureRules) *Figures {
	zero := 0.0
	f := &Figures{
		Requests: 1, OK: 1, CountedBy: map[CountedBy]int{ByUsage: 1}, RequestsPerSec: &zero, TokensPerSec: &zero,
		TokensPerSecPerGPU: &zero, MillionTokenCost: &zero, CachedShare: &zero, Attainment: &zero, Goodput: &zero,
	}
	for _, name := range Distributions() {
		d := Distribution{N: 1}
		for _, p := range percentilesOf(name, rules.Percentiles[name]) {
			d.Percentiles = append(d.Percentiles, Percentile{P: p})
		}
		*f.Distribution(name) = d
	}
	return f
}

// earlyStoppingEstimates returns LoadGen's estimates of the usual percentiles.
func (v metricValues) earlyStoppingEstimates() map[string]Estimate {
	all := map[string]Estimate{}
	for _, p := range usualPercentiles {
		n := v.n + v.failed
		at, needed, ok := loadgen.EarlyStoppingRank(n, p)
		e := Estimate{Processed: n, Needed: needed}
		if ok && at < v.n {
			e.NS = &orderstat.Select(v.Values, orderstat.Moments{N: v.n, Min: v.min, Max: v.max}, []int{at})[0]
		}
		all[PercentileName(p)] = e
	}
	return all
}

// valuesOf returns the values of a metric. It counts failures separately. The values are stored in room, which must
// have a capacity of one value per request.
func valuesOf(inside []*Measured, metric string, room []int64) metricValues {
	if metric == Gap {
		return gapsOf(inside)
	}
	v := metricValues{decode: func(v int64) float64 { return float64(v) }, min: math.MaxInt64, max: math.MinInt64}
	if metric == User {
		v.decode = func(v int64) float64 { return math.Float64frombits(uint64(v)) }
	}
	all, sum := room[:0], 0.0
	for _, m := range inside {
		if x, ok := m.sortableValue(metric); ok {
			all = append(all, x)
			v.min, v.max = min(v.min, x), max(v.max, x)
			sum += v.decode(x)
		}
	}
	v.n, v.mean = len(all), sum/float64(len(all))
	v.Values = orderstat.Values{N: v.n, Chunk: func(_ []int64, from, to int) []int64 { return all[from:to] }}
	return v
}

// gapsOf returns all gaps of all requests.
func gapsOf(inside []*Measured) metricValues {
	v := metricValues{decode: func(v int64) float64 { return float64(v) }, min: math.MaxInt64, max: math.MinInt64}
	var streams []*Measured
	var before []int // for each request, the total number of gaps of earlier ones
	sum := 0.0
	for _, m := range inside {
		if m.TokenGaps() > 0 {
			streams, before = append(streams, m), append(before, v.n)
			v.n += m.TokenGaps()
			v.min, v.max = min(v.min, m.Least), max(v.max, m.Stall)
			sum += float64(m.Last - m.First)
		}
	}
	v.mean = sum / float64(v.n)
	v.Values = orderstat.Values{N: v.n, Chunk: func(buf []int64, from, to int) []int64 {
		i, exact := slices.BinarySearch(before, from)
		if !exact {
			i--
		}
		for ; i < len(streams) && before[i] < to; i++ {
			at, last := before[i]-1, int64(0)
			for e := range streams[i].Events.All() {
				if at >= to {
					break
				}
				if at >= max(from, before[i]) {
					buf = append(buf, e.At-last)
				}
				last = e.At
				at++
			}
		}
		return buf
	}}
	return v
}

// setRates computes the rates of all answered requests or, with a window, of the answers and tokens that arrived in it.
func (f *Figures) setRates(all []Measured, w Window, rules FigureRules) {
	answered, tokens := 0.0, 0.0
	for i := range all {
		m := &all[i]
		if m.Found != OK {
			continue
		}
		if rules.Window == nil {
			answered++
			if !m.whole {
				tokens += float64(max(0, m.Out))
			}
			continue
		}
		if rules.Shares {
			answered += m.shareWithin(w.From, w.To)
		} else if w.Has(m.DoneAt()) {
			answered++
		}
		tokens += m.tokensWithin(w.From, w.To)
	}
	seconds := float64(w.To-w.From) / 1e9
	if seconds <= 0 {
		return
	}
	f.RequestsPerSec, f.TokensPerSec = divideOrNil(answered, seconds), divideOrNil(tokens, seconds)
	f.TokensPerSecPerGPU = divideOrNil(*f.TokensPerSec, float64(rules.GPUs))
	if rules.HourPrice > 0 {
		f.MillionTokenCost = divideOrNil(rules.HourPrice/3600*1e6, *f.TokensPerSec)
	}
}

// setGoodput counts the requests within the limits among those inside. Goodput is their rate or, with shares, the rate
// of all such answers in proportion to their tokens in the window.
func (f *Figures) setGoodput(inside []*Measured, all []Measured, w Window, rules FigureRules) {
	n := 0
	for _, m := range inside {
		if m.WithinLimits(rules.Limits) {
			n++
		}
	}
	f.Good = &n
	f.Attainment = divideOrNil(float64(n), float64(f.Requests))
	came := float64(n)
	if rules.Window != nil && rules.Shares {
		came = 0
		for i := range all {
			if m := &all[i]; m.WithinLimits(rules.Limits) {
				came += m.shareWithin(w.From, w.To)
			}
		}
	}
	if f.WindowNS > 0 {
		f.Goodput = divideOrNil(came, float64(f.WindowNS)/1e9)
	}
}

// loadGenResult returns LoadGen's result for the answers, each completed by its last token. Offline counts all answers
// until the last one completes. Server counts all answers but one until the one that was due last completes. The time
// begins at the first due time.
func loadGenResult(inside []*Measured, scenario string) *LoadGen {
	var final *Measured
	zero, longest, n, tokens := int64(math.MaxInt64), int64(math.MinInt64), 0, 0.0
	for _, m := range inside {
		if m.Found != OK {
			continue
		}
		n++
		tokens += float64(max(0, m.Out))
		zero, longest = min(zero, m.Due), max(longest, m.DoneAt())
		if final == nil || m.Due > final.Due {
			final = m
		}
	}
	if final == nil {
		return nil
	}
	seconds := float64(longest-zero) / 1e9
	if scenario == loadgen.Server.String() {
		n--
		seconds = float64(final.DoneAt()-zero) / 1e9
	}
	if seconds <= 0 {
		return nil
	}
	return &LoadGen{float64(n) / seconds, tokens / seconds}
}

// measureConcurrency returns the mean and the maximum number of requests at the server in a window. A request that ends
// when another begins does not overlap with it.
func measureConcurrency(all []Measured, w Window) (mean float64, peak int) {
	begins, ends := make([]int64, 0, len(all)), make([]int64, 0, len(all))
	area := 0.0
	for i := range all {
		from, to := max(all[i].Sent, w.From), min(all[i].End, w.To)
		if to > from {
			area += float64(to - from)
			begins, ends = append(begins, from), append(ends, to)
		}
	}
	slices.Sort(begins)
	slices.Sort(ends)
	done := 0
	for i, at := range begins {
		for ends[done] <= at {
			done++
		}
		peak = max(peak, i+1-done)
	}
	if w.To > w.From {
		mean = area / float64(w.To-w.From)
	}
	return mean, peak
}

// FailureKinds lists the kinds of failure, most frequent first.
func (f *Figures) FailureKinds() []Status {
	return slices.SortedFunc(maps.Keys(f.Failed), func(a, b Status) int {
		return cmp.Or(cmp.Compare(f.Failed[b], f.Failed[a]), cmp.Compare(a, b))
	})
}
