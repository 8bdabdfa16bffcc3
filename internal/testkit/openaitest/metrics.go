package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Entry is a server's record of an answered request. Times are nanoseconds since 1970, by the system's clock. First and
// Last are the times just before the first and the last token were written, or 0.
type Entry struct {
	Request  int64  `json:"request"`      // number in the order of arrival, from 0
	ID       string `json:"id,omitempty"` // value of the header X-Request-Id
	Received int64  `json:"received"`
	First    int64  `json:"first"`
	Last     int64  `json:"last"`
	End      int64  `json:"end"`
	Tokens   int    `json:"tokens"`
}

// note writes an entry to the log.
func (s *Server) note(e *Entry, n int64) {
	if s.options.Log == nil {
		return
	}
	e.Request = n
	line, err := json.Marshal(e)
	if err != nil { // cannot happen for numbers and a string
		return
	}
	s.logging.Lock()
	defer s.logging.Unlock()
	_, _ = s.options.Log.Write(append(line, '\n')) // an error of the log does not affect answers
}

// figures are the server's own metrics, under vLLM's names.
type figures struct {
	prompt, generated      atomic.Int64
	ttft, tpot, queue, e2e histogram
}

// bounds are the upper bounds of all histograms' buckets, in seconds. A bucket without a bound follows.
var bounds = [...]float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50, 100}

// histogram counts durations.
type histogram struct {
	buckets [len(bounds) + 1]atomic.Int64
	sum     atomic.Int64 // ns
}

func (h *histogram) note(d time.Duration) {
	i := 0
	for i < len(bounds) && d.Seconds() > bounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.sum.Add(int64(d))
}

func (h *histogram) write(w io.Writer, name, label string) {
	fmt.Fprintf(w, "# TYPE %s histogram\n", name)
	var n int64
	for i, b := range bounds {
		n += h.buckets[i].Load()
		fmt.Fprintf(w, "%s_bucket{%s,le=%q} %d\n", name, label, strconv.FormatFloat(b, 'g', -1, 64), n)
	}
	n += h.buckets[len(bounds)].Load()
	fmt.Fprintf(w, "%s_bucket{%s,le=\"+Inf\"} %d\n%s_sum{%s} %g\n%s_count{%s} %d\n", name, label, n, name, label,
		time.Duration(h.sum.Load()).Seconds(), name, label, n)
}

// metrics writes the figures in Prometheus' text format.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	label := fmt.Sprintf("model_name=%q", s.options.Model)
	one := func(kind, name string, value float64) {
		fmt.Fprintf(w, "# TYPE %s %s\n%s{%s} %g\n", name, kind, name, label, value)
	}
	working := float64(s.service.working.Load())
	one("gauge", "vllm:num_requests_running", working)
	one("gauge", "vllm:num_requests_waiting", float64(s.service.waiting.Load()))
	if slots := s.options.Slots; slots > 0 {
		one("gauge", "vllm:kv_cache_usage_perc", working/float64(slots))
	}
	if s.options.Caches {
		queries, hits := s.cache.counts()
		one("counter", "vllm:prefix_cache_queries_total", float64(queries))
		one("counter", "vllm:prefix_cache_hits_total", float64(hits))
	}
	one("counter", "vllm:num_preemptions_total", 0)
	f := &s.figures
	one("counter", "vllm:prompt_tokens_total", float64(f.prompt.Load()))
	one("counter", "vllm:generation_tokens_total", float64(f.generated.Load()))
	f.ttft.write(w, "vllm:time_to_first_token_seconds", label)
	f.tpot.write(w, "vllm:time_per_output_token_seconds", label)
	f.queue.write(w, "vllm:request_queue_time_seconds", label)
	f.e2e.write(w, "vllm:e2e_request_latency_seconds", label)
}
