package scrape

import (
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// ServerMetrics contains a server's own metrics over a period.
type ServerMetrics struct {
	URL string `json:"url"`
	record.ServingTold
	// From and To are the times of the first and the last used reading, in nanoseconds. Counters and histograms are
	// differences between these two. Gauges summarize the readings from From to To.
	From int64 `json:"from_ns"`
	To   int64 `json:"to_ns"`
	// OtherMetrics contains the counters and gauges without a name in this package, by their names on the page.
	Others OtherMetrics `json:"others"`
	// Times are the times of the readings. Series contains the gauges' values at these times.
	Times  []int64              `json:"times_ns"`
	Series map[string][]float64 `json:"series,omitempty"`
	// Lines contains the values over the whole measurement for charts.
	Lines []series.CollectedSeries `json:"-"`
	// Failed is the number of failed readings. Fault is the error of the last one.
	Failed int    `json:"failed,omitempty"`
	Fault  string `json:"fault,omitempty"`
}

// OtherMetrics contains values by their names on a page. Values with several labels are summed.
type OtherMetrics struct {
	Counters map[string]float64      `json:"counters,omitempty"`
	Gauges   map[string]record.Gauge `json:"gauges,omitempty"`
}

// The names of the metrics, independent of the engine.
const (
	Running         = "requests_running"
	Waiting         = "requests_waiting"
	CacheUse        = "kv_cache_use" // used share of the KV cache
	CacheQueries    = "prefix_cache_queries"
	CacheHits       = "prefix_cache_hits"
	CacheHitRate    = "prefix_cache_hit_rate"
	Preemptions     = "preemptions"
	PromptTokens    = "prompt_tokens"
	GeneratedTokens = "generated_tokens"
	DraftTokens     = "draft_tokens"
	AcceptedTokens  = "accepted_tokens"
	TTFT            = "ttft"
	QueueTime       = "queue_time"
	E2E             = "e2e"
	TPOT            = "tpot"
	Power           = "power" // W
)

// metricNames maps the engines' names of the metrics to this package's names, as documented for vLLM 0.7 to 0.33,
// SGLang 0.4 to 0.5, TensorRT-LLM 1.1 and llama.cpp's server of 2025. The prefix of the names identifies the engine.
var metricNames = map[string]string{
	"vllm:num_requests_running":                  Running,
	"vllm:num_requests_waiting":                  Waiting,
	"vllm:kv_cache_usage_perc":                   CacheUse,
	"vllm:gpu_cache_usage_perc":                  CacheUse,
	"vllm:prefix_cache_queries":                  CacheQueries,
	"vllm:prefix_cache_hits":                     CacheHits,
	"vllm:gpu_prefix_cache_queries":              CacheQueries,
	"vllm:gpu_prefix_cache_hits":                 CacheHits,
	"vllm:num_preemptions":                       Preemptions,
	"vllm:prompt_tokens":                         PromptTokens,
	"vllm:generation_tokens":                     GeneratedTokens,
	"vllm:spec_decode_num_draft_tokens":          DraftTokens,
	"vllm:spec_decode_num_accepted_tokens":       AcceptedTokens,
	"vllm:time_to_first_token_seconds":           TTFT,
	"vllm:request_queue_time_seconds":            QueueTime,
	"vllm:e2e_request_latency_seconds":           E2E,
	"vllm:time_per_output_token_seconds":         TPOT,
	"vllm:request_time_per_output_token_seconds": TPOT,

	"sglang:num_running_reqs":              Running,
	"sglang:num_queue_reqs":                Waiting,
	"sglang:token_usage":                   CacheUse,
	"sglang:cache_hit_rate":                CacheHitRate,
	"sglang:cached_tokens":                 CacheHits,
	"sglang:num_retracted_reqs":            Preemptions,
	"sglang:prompt_tokens":                 PromptTokens,
	"sglang:generation_tokens":             GeneratedTokens,
	"sglang:time_to_first_token_seconds":   TTFT,
	"sglang:queue_time_seconds":            QueueTime,
	"sglang:e2e_request_latency_seconds":   E2E,
	"sglang:time_per_output_token_seconds": TPOT,

	"trtllm_kv_cache_utilization":          CacheUse,
	"trtllm_kv_cache_hit_rate":             CacheHitRate,
	"trtllm_time_to_first_token_seconds":   TTFT,
	"trtllm_request_queue_time_seconds":    QueueTime,
	"trtllm_e2e_request_latency_seconds":   E2E,
	"trtllm_time_per_output_token_seconds": TPOT,

	"llamacpp:requests_processing":  Running,
	"llamacpp:requests_deferred":    Waiting,
	"llamacpp:kv_cache_usage_ratio": CacheUse,
	"llamacpp:prompt_tokens":        PromptTokens,
	"llamacpp:tokens_predicted":     GeneratedTokens,

	"DCGM_FI_DEV_POWER_USAGE": Power,
}

// engines lists the prefixes of metric names with their engines. DCGM's page describes the machine and has no engine.
var engines = []struct{ prefix, name string }{
	{"vllm:", "vllm"}, {"sglang:", "sglang"}, {"trtllm_", "trtllm"}, {"llamacpp:", "llamacpp"},
}

// knownName returns this package's name of a family. known is false if there is none; the name is then the family's
// own. Dynamo writes trtllm: instead of trtllm_.
func knownName(family string) (name string, known bool) {
	family = strings.TrimSuffix(strings.Replace(family, "trtllm:", "trtllm_", 1), "_total")
	name, known = metricNames[family]
	if !known {
		name = family
	}
	return name, known
}

// over returns the values of the readings between two times. The readings are in order of time. The first used reading
// is the last at or before from, or else the first of all. The last used reading is the first at or after to, or else
// the last of all.
func summarize(all []pageReading, from, to int64) ServerMetrics {
	first, last := 0, len(all)-1
	for i, r := range all {
		if r.at <= from {
			first = i
		}
	}
	for i := len(all) - 1; i > first; i-- {
		if all[i].at >= to {
			last = i
		}
	}
	used := all[first : last+1]
	s := ServerMetrics{
		ServingTold: record.ServingTold{
			Counters: map[string]float64{}, Gauges: map[string]record.Gauge{}, Histograms: map[string]record.SecondsTold{},
		},
		From: used[0].at, To: used[len(used)-1].at, Series: map[string][]float64{},
		Others: OtherMetrics{Counters: map[string]float64{}, Gauges: map[string]record.Gauge{}},
	}
	for _, r := range used {
		s.Times = append(s.Times, r.at)
	}
	for family, f := range used[len(used)-1].families {
		for _, e := range engines {
			if strings.HasPrefix(strings.Replace(family, "trtllm:", "trtllm_", 1), e.prefix) {
				s.Engine = e.name
			}
		}
		s.addFamily(family, f, used)
	}
	s.Lines = linesOverTime(all)
	return s
}

// add adds the values of a family that the last used reading contains.
func (s *ServerMetrics) addFamily(family string, f *dto.MetricFamily, used []pageReading) {
	name, known := knownName(family)
	before := used[0].families[family]
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		s.addIncrease(name, known, sumLabels(before), sumLabels(f))
	case dto.MetricType_GAUGE, dto.MetricType_UNTYPED:
		values := make([]float64, len(used))
		for i, r := range used {
			values[i] = gaugeValue(name, r.families[family])
		}
		if g, ok := summarizeGauge(values); ok && known {
			s.Gauges[name], s.Series[name] = g, values
		} else if ok {
			s.Others.Gauges[name] = g
		}
	case dto.MetricType_HISTOGRAM:
		if h, ok := histogramIncrease(before, f); ok && known {
			s.Histograms[name] = h
		}
	}
}

// counter adds the increase of a counter.
func (s *ServerMetrics) addIncrease(name string, known bool, before, after float64) {
	if after < before {
		before, s.Restarted = 0, true
	}
	switch more := after - before; {
	case math.IsNaN(more) || math.IsInf(more, 0):
	case known:
		s.Counters[name] += more
	case more != 0:
		s.Others.Counters[name] = more
	}
}

// sumLabels returns the sum of a family's values over all labels.
func sumLabels(f *dto.MetricFamily) (total float64) {
	for _, m := range f.GetMetric() {
		for _, v := range []interface{ GetValue() float64 }{m.GetCounter(), m.GetGauge(), m.GetUntyped()} {
			total += v.GetValue()
		}
	}
	return total
}

// summarizeGauge returns the mean and the maximum of values. ok is false if a value is not a finite number.
func summarizeGauge(values []float64) (g record.Gauge, ok bool) {
	total := 0.0
	for _, v := range values {
		total += v
	}
	g = record.Gauge{Mean: total / float64(len(values)), Max: slices.Max(values)}
	return g, !math.IsNaN(g.Mean) && !math.IsInf(g.Mean, 0) // the mean is finite only if all values are
}

// histogramIncrease returns the values added to a histogram between two readings, over all labels. ok is false if there
// are none.
func histogramIncrease(before, after *dto.MetricFamily) (h record.SecondsTold, ok bool) {
	buckets := map[float64]float64{} // cumulative counts by upper bound
	total := 0.0
	for sign, f := range map[float64]*dto.MetricFamily{-1: before, 1: after} {
		for _, m := range f.GetMetric() {
			hist := m.GetHistogram()
			h.Count += sign * float64(hist.GetSampleCount())
			total += sign * hist.GetSampleSum()
			for _, b := range hist.GetBucket() {
				buckets[b.GetUpperBound()] += sign * float64(b.GetCumulativeCount())
			}
		}
	}
	if !(h.Count > 0) || math.IsNaN(total) || math.IsInf(total, 0) {
		return h, false
	}
	h.Mean = total / h.Count
	h.P50, h.P99 = quantile(buckets, h.Count, .5), quantile(buckets, h.Count, .99)
	return h, true
}

// quantile returns the p-quantile of a histogram by the rule of Prometheus' histogram_quantile: values are evenly
// distributed within a bucket, and the last finite bound is the maximum.
func quantile(cumulative map[float64]float64, count, p float64) float64 {
	var bounds []float64
	for b := range cumulative {
		if !math.IsInf(b, 0) && !math.IsNaN(b) {
			bounds = append(bounds, b)
		}
	}
	slices.Sort(bounds)
	rank, low, below := p*count, 0.0, 0.0
	for _, b := range bounds {
		if n := cumulative[b]; n >= rank && n > below {
			return low + (b-low)*(rank-below)/(n-below)
		}
		low, below = b, max(below, cumulative[b])
	}
	return low
}

// Energy returns the integral of Power over a window in joules, by the trapezoidal rule. from and to are in
// nanoseconds. ok is false if there are fewer than two readings.
func (s ServerMetrics) Energy(from, to int64) (joules float64, ok bool) {
	watts := s.Series[Power]
	if len(watts) < 2 {
		return 0, false
	}
	for i := 1; i < len(watts); i++ {
		a, b := s.Times[i-1], s.Times[i]
		if b <= a {
			continue
		}
		at := func(t int64) float64 {
			return watts[i-1] + (watts[i]-watts[i-1])*float64(t-a)/float64(b-a)
		}
		if l, r := max(a, from), min(b, to); r > l {
			joules += (at(l) + at(r)) / 2 * float64(r-l) / 1e9
		}
	}
	return joules, true
}
