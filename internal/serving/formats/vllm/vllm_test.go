package vllm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/vllm"
	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// theirs is what vLLM 0.33.0 made of a case with its own function; nil: nothing.
type theirs map[string]*float64

// keysOfVLLM are the keys of our file by the names in others.json.
var keysOfVLLM = map[string]string{
	"ttft_p50_ms": "median_ttft_ms", "ttft_p99_ms": "p99_ttft_ms",
	"tpot_mean_ms": "mean_tpot_ms", "tpot_p99_ms": "p99_tpot_ms", "itl_p99_ms": "p99_itl_ms", "e2e_p99_ms": "p99_e2el_ms",
	"tokens_per_s": "output_throughput", "requests_per_s": "request_throughput", "goodput_per_s": "request_goodput",
	"peak_concurrency": "max_concurrent_requests", "duration_s": "duration",
}

// explained are the cases in which our file has other values than others.json, and why.
var explained = map[string]struct {
	why  string
	keys []string
}{
	"warm-up-marked": {"its duration was taken over the warm-up, which vLLM itself sends before its clock starts",
		[]string{"duration_s", "tokens_per_s", "requests_per_s"}},
}

// TestGoldenVLLM holds our file to what vLLM's own function made of the same token events.
func TestGoldenVLLM(t *testing.T) {
	golden.Each(t, "serving/others.json", func(t *testing.T, path string) {
		var others struct {
			Cases map[string]struct{ VLLM theirs }
		}
		golden.ReadJSON(t, path, &others)
		if len(others.Cases) == 0 {
			t.Fatal("others.json has no cases")
		}
		for name, want := range others.Cases {
			t.Run(name, func(t *testing.T) {
				c := servingtest.ReadCase(t, filepath.Join(filepath.Dir(path), "events", name+".json"))
				got := texted(t, formats.Run{Requests: c.Records(), Rules: c.FigureRules()})
				for key, value := range want.VLLM {
					d := differs(got[keysOfVLLM[key]], value)
					switch known := slices.Contains(explained[name].keys, key); {
					case d != "" && !known:
						t.Errorf("%s: %s", key, d)
					case d == "" && known:
						t.Errorf("%s is the same now: take it out of explained", key)
					}
				}
			})
		}
	})
}

// differs compares a value of JSON with what is wanted, up to 1e-9.
func differs(got any, want *float64) string {
	number, ok := got.(float64)
	switch {
	case want == nil && got == nil:
		return ""
	case want == nil || !ok, math.Abs(number-*want) > 1e-9*max(1, math.Abs(*want)):
		text, _ := json.Marshal(want)
		return fmt.Sprintf("%v, want %s", got, text)
	}
	return ""
}

// texted writes a run, and reads what was written.
func texted(t *testing.T, r formats.Run) map[string]any {
	t.Helper()
	text, err := vllm.Text(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return got
}

// answer is a record of an answer of n tokens, one an event, every gap ns after the first.
func answer(index int, due, sent, first, gap int64, n int) metrics.Request {
	r := metrics.Request{Index: index, Row: index, Due: due, Sent: sent, Status: metrics.OK,
		Usage:       metrics.Usage{Prompt: 100, Completion: int64(n), Reasoning: metrics.Unknown, Cached: metrics.Unknown},
		Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: int64(n)}
	at := first
	for range n {
		r.Events.Add(metrics.StreamEvent{At: at, Kind: metrics.Content, Text: true, IDs: 1})
		r.End = at + 1000
		at += gap
	}
	return r
}

// TestVLLMSaysWhatWasAsked: the head of the file, as scripts read it.
func TestVLLMSaysWhatWasAsked(t *testing.T) {
	const ms = 1_000_000
	r := formats.Run{Label: "mine", Model: "m/tiny", ServerKind: "vllm",
		Began:    time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
		Load:     arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 2.5, Users: 8},
		Requests: []metrics.Request{answer(0, 0, 5*ms, 20*ms, 2*ms, 4), answer(1, 10*ms, 11*ms, 31*ms, 2*ms, 4)}}
	got := texted(t, r)
	for key, want := range map[string]any{
		"date": "20260504-030201", "backend": "vllm", "endpoint_type": "vllm", "label": "mine", "model_id": "m/tiny",
		"tokenizer_id": nil, "num_prompts": 2.0, "request_rate": 2.5, "burstiness": 1.0, "max_concurrency": 8.0,
		"completed": 2.0, "failed": 0.0, "total_input_tokens": 200.0, "total_output_tokens": 8.0, "request_goodput": nil,
		"mean_client_queue_time_ms": 3.0, "p99_e2el_including_client_queue_ms": 26.99,
	} {
		if v, there := got[key]; !there || fmt.Sprint(v) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", key, v, want)
		}
	}
	r.Load = arrival.Pattern{Kind: arrival.Maximum}
	got = texted(t, r)
	if got["request_rate"] != "inf" || got["max_concurrency"] != nil || got["mean_client_queue_time_ms"] != nil {
		t.Errorf("of all at once: %v, %v, %v", got["request_rate"], got["max_concurrency"],
			got["mean_client_queue_time_ms"])
	}
	r.Load = arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Gamma, PerSecond: 2.5, Burstiness: 0.5}
	if got = texted(t, r); got["burstiness"] != 0.5 {
		t.Errorf("burstiness: %v", got["burstiness"])
	}
}

// TestVLLMOfEmbeddings: answers without tokens have no times of tokens.
func TestVLLMOfEmbeddings(t *testing.T) {
	r := metrics.Request{Sent: 0, End: 30_000_000, Status: metrics.OK, Usage: metrics.NoUsage(), AskedIn: 12}
	got := texted(t, formats.Run{Requests: []metrics.Request{r}, Rules: metrics.FigureRules{NoTokens: true}})
	if _, there := got["mean_ttft_ms"]; there || got["mean_e2el_ms"] != 30.0 || got["total_input_tokens"] != 12.0 {
		t.Errorf("%v", got)
	}
}
