// Package vllm writes measurements of a server in the format of `vllm bench serve --save-result`.
package vllm

import (
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// FileName is the name of a point's file.
const FileName = "vllm.json"

// Write writes a point's file into its folder.
func Write(dir string, r formats.Run) error {
	text, err := Text(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, FileName), text, 0o666)
}

// Text returns a point in the format of `vllm bench serve --save-result`, with that command's keys and definitions
// (version 0.33). They differ from this project's: Times count from sending. Percentiles are interpolated. Failed
// requests count only in `failed`. An answer without a token count has one token. Rates refer to the time from the
// first sending to the last end, without warm-up. The text contains more percentiles than the command writes by
// default. For embeddings and reranking it contains the keys that vLLM writes for them.
func Text(r formats.Run) ([]byte, error) {
	v := newVLLMPoint(r)
	var o formats.Object
	rate, burstiness := trafficOf(r.Load)
	o.Add("date", r.Began.Format("20060102-150405"))
	o.Add("endpoint_type", backendOf(r))
	o.Add("backend", backendOf(r))
	o.Add("label", formats.NullIfEmpty(r.Label))
	o.Add("model_id", r.Model)
	o.Add("tokenizer_id", formats.NullIfEmpty(r.Tokenizer))
	o.Add("num_prompts", len(v.answers)+v.failed)
	o.Add("request_rate", rate)
	o.Add("burstiness", burstiness)
	o.Add("max_concurrency", concurrencyCap(r.Load))
	v.addResults(&o, r)
	return o.IndentedJSON()
}

// backendOf returns vLLM's name for the kind of server.
func backendOf(r formats.Run) string {
	if r.ServerKind == "vllm" {
		return "vllm"
	}
	return "openai"
}

// trafficOf returns a load's rate and burstiness in vLLM's terms, and nil for a changing rate.
func trafficOf(p arrival.Pattern) (rate, burstiness any) {
	switch {
	case p.Kind == arrival.Maximum || p.Kind == arrival.Users || p.Kind == "":
		return "inf", 1.0
	case p.Kind == arrival.Replay || p.Stages != nil:
		return nil, nil
	case p.Arrival == arrival.Constant:
		return p.PerSecond, "inf"
	case p.Arrival == arrival.Gamma:
		return p.PerSecond, p.Burstiness
	}
	return p.PerSecond, 1.0
}

func concurrencyCap(p arrival.Pattern) any {
	if p.Users == 0 {
		return nil
	}
	return p.Users
}

// vllmAnswer is an answer in vLLM's terms, with times in seconds and vLLM's token counts.
type vllmAnswer struct {
	start, ttft, latency, queue float64
	in, out                     int64
	itls                        []float64
}

// vllmPoint is a point in vLLM's terms.
type vllmPoint struct {
	answers  []vllmAnswer
	failed   int
	duration float64
	peak     int
}

func newVLLMPoint(r formats.Run) vllmPoint {
	var v vllmPoint
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range r.Requests {
		q := &r.Requests[i]
		if q.WarmUp {
			continue
		}
		first, last = min(first, q.Sent), max(last, q.End)
		if a, ok := newAnswer(q, r.Rules.NoTokens); ok {
			v.answers = append(v.answers, a)
		} else {
			v.failed++
		}
	}
	if first < last {
		v.duration = formats.Seconds(last - first)
	}
	v.peak = v.maxConcurrent()
	return v
}

// newAnswer converts a record. It returns false if vLLM counts the request as failed. It uses the first known token
// count of usage, ids and retokenized text.
func newAnswer(q *metrics.Request, noTokens bool) (vllmAnswer, bool) {
	a := vllmAnswer{start: formats.Seconds(q.Sent), queue: formats.Seconds(q.Sent - q.Due), in: max(0, q.AskedIn)}
	if q.Usage.Prompt != metrics.Unknown {
		a.in = q.Usage.Prompt
	}
	if q.Status != metrics.OK || q.Events.Len() == 0 && !noTokens {
		return a, false
	}
	if noTokens {
		a.latency = formats.Seconds(q.End - q.Sent)
		return a, true
	}
	var ids, before int64
	first := true
	for e := range q.Events.All() {
		if first {
			a.ttft = formats.Seconds(e.At - q.Sent)
		} else {
			a.itls = append(a.itls, formats.Seconds(e.At-before))
		}
		first, before = false, e.At
		ids += int64(e.IDs)
	}
	a.latency = formats.Seconds(before - q.Sent)
	for _, n := range []int64{q.Usage.Completion, ids, q.Retokenized, 1} {
		if n > 0 {
			a.out = n
			break
		}
	}
	return a, true
}

// maxConcurrent returns vLLM's maximum number of concurrent requests. It divides the time from the first sending into
// seconds and counts each answered request in every second that it touches, so the result can exceed the true maximum.
func (v vllmPoint) maxConcurrent() int {
	begin := v.firstStart()
	counts := map[int64]int{}
	peak := 0
	for _, a := range v.answers {
		for second := int64(a.start - begin); second <= int64(a.start+a.latency-begin); second++ {
			counts[second]++
			peak = max(peak, counts[second])
		}
	}
	return peak
}

// firstStart returns the time at which the first answered request was sent.
func (v vllmPoint) firstStart() float64 {
	first := math.Inf(1)
	for _, a := range v.answers {
		first = min(first, a.start)
	}
	return first
}

// addResults adds the results.
func (v vllmPoint) addResults(o *formats.Object, r formats.Run) {
	var in, out int64
	var e2els, queues, both []float64
	for _, a := range v.answers {
		in, out = in+a.in, out+a.out
		e2els = append(e2els, a.latency)
		queues = append(queues, a.queue)
		both = append(both, a.latency+a.queue)
	}
	o.Add("duration", v.duration)
	o.Add("completed", len(v.answers))
	o.Add("failed", v.failed)
	o.Add("total_input_tokens", in)
	if r.Rules.NoTokens {
		o.Add("request_throughput", v.perSecond(float64(len(v.answers))))
		o.Add("total_token_throughput", v.perSecond(float64(in)))
	} else {
		o.Add("total_output_tokens", out)
		o.Add("request_throughput", v.perSecond(float64(len(v.answers))))
		o.Add("request_goodput", v.goodput(r.Rules.Limits))
		o.Add("output_throughput", v.perSecond(float64(out)))
		o.Add("total_token_throughput", v.perSecond(float64(in+out)))
		o.Add("max_output_tokens_per_s", v.maxTokensPerSecond())
		o.Add("max_concurrent_requests", v.peak)
		v.addTokenTimes(o)
	}
	addStatistics(o, "e2el", e2els)
	if r.Load.Users > 0 {
		addStatistics(o, "client_queue_time", queues)
		if r.Load.Kind != arrival.Users && r.Load.Kind != arrival.Maximum {
			addStatistics(o, "e2el_including_client_queue", both)
		}
	}
}

// perSecond returns n per second of the measurement.
func (v vllmPoint) perSecond(n float64) float64 {
	if v.duration == 0 {
		return 0
	}
	return n / v.duration
}

// addTokenTimes adds the statistics of TTFT, TPOT and the gaps between tokens.
func (v vllmPoint) addTokenTimes(o *formats.Object) {
	var ttfts, tpots, itls []float64
	for _, a := range v.answers {
		ttfts = append(ttfts, a.ttft)
		itls = append(itls, a.itls...)
		if a.out > 1 {
			tpots = append(tpots, a.tpot())
		}
	}
	addStatistics(o, "ttft", ttfts)
	addStatistics(o, "tpot", tpots)
	addStatistics(o, "itl", itls)
}

func (a vllmAnswer) tpot() float64 {
	if a.out <= 1 {
		return 0
	}
	return (a.latency - a.ttft) / float64(a.out-1)
}

// goodput returns the rate of requests that meet all limits. It returns nil if there are no limits, or a limit is on a
// metric that vLLM does not know.
func (v vllmPoint) goodput(limits metrics.RequestLimits) any {
	if len(limits) == 0 {
		return nil
	}
	good := 0
	for _, a := range v.answers {
		kept := true
		for metric, limit := range limits {
			switch metric {
			case metrics.TTFT, metrics.TTFTSent:
				kept = kept && a.ttft <= limit/1e9
			case metrics.TPOT:
				kept = kept && a.tpot() <= limit/1e9
			case metrics.E2E, metrics.E2ESent:
				kept = kept && a.latency <= limit/1e9
			default:
				return nil
			}
		}
		if kept {
			good++
		}
	}
	return v.perSecond(float64(good))
}

// maxTokensPerSecond returns the maximum number of token events in one second, counted from the first sending.
func (v vllmPoint) maxTokensPerSecond() float64 {
	begin := v.firstStart()
	counts := map[int64]int{}
	most := 0
	count := func(at float64) {
		second := int64(at - begin)
		counts[second]++
		most = max(most, counts[second])
	}
	for _, a := range v.answers {
		at := a.start + a.ttft
		count(at)
		for _, gap := range a.itls {
			at += gap
			count(at)
		}
	}
	return float64(most)
}

// percentilesOfVLLM lists the percentiles that scripts usually request.
var percentilesOfVLLM = []struct {
	name string
	p    float64
}{{"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}}

// addStatistics adds a metric's statistics in milliseconds. The values are in seconds. Without values, all statistics
// are 0.
func addStatistics(o *formats.Object, metric string, values []float64) {
	if len(values) == 0 {
		values = []float64{0}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	mean := 0.0
	for _, v := range sorted {
		mean += v
	}
	mean /= float64(len(sorted))
	spread := 0.0
	for _, v := range sorted {
		spread += (v - mean) * (v - mean)
	}
	o.Add("mean_"+metric+"_ms", mean*1000)
	o.Add("median_"+metric+"_ms", interpolatedPercentile(sorted, 50)*1000)
	o.Add("std_"+metric+"_ms", math.Sqrt(spread/float64(len(sorted)))*1000)
	for _, p := range percentilesOfVLLM {
		o.Add(p.name+"_"+metric+"_ms", interpolatedPercentile(sorted, p.p)*1000)
	}
}

// interpolatedPercentile returns numpy's percentile p, in (0, 100), of sorted values.
func interpolatedPercentile(sorted []float64, p float64) float64 {
	place := float64(len(sorted)-1) * p / 100
	below := int(place)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (place-math.Floor(place))*(sorted[above]-sorted[below])
}
