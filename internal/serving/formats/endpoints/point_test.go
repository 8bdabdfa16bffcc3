package endpoints_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestGoldenSeries holds the statistics of a series to those that endpoints' own code made of the same values.
func TestGoldenSeries(t *testing.T) {
	golden.Each(t, "agentic/endpoints/result_summary_values.json", func(t *testing.T, path string) {
		var values map[string][]float64
		golden.ReadJSON(t, path, &values)
		var want map[string]json.RawMessage
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "result_summary_example.json"), &want)
		for name, of := range map[string]string{"ttft": "ttft_ns", "tpot": "tpot_ns", "latency": "sample_latency_ns",
			"output_sequence_lengths": "osl", "input_sequence_lengths": "isl"} {
			if len(values[of]) == 0 {
				t.Fatalf("%s is not among the values", of)
			}
			got, err := json.Marshal(endpoints.NewSeries(of, values[of]).Summary())
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range unlike("/"+name, decoded(t, got), decoded(t, want[name])) {
				t.Error(d)
			}
		}
	})
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v\n%.300s", err, text)
	}
	return v
}

// unlike are the differences of two values of JSON; numbers may differ by 1e-12 of themselves.
func unlike(path string, got, want any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: %v, want an object", path, got)}
		}
		var all []string
		for key := range w {
			all = append(all, unlike(path+"/"+key, g[key], w[key])...)
		}
		for key := range g {
			if _, there := w[key]; !there {
				all = append(all, path+"/"+key+" is not wanted")
			}
		}
		return all
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: %v, want %d items", path, got, len(w))}
		}
		var all []string
		for i := range w {
			all = append(all, unlike(fmt.Sprintf("%s/%d", path, i), g[i], w[i])...)
		}
		return all
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-w) <= 1e-12*max(1, math.Abs(w)) {
			return nil
		}
	default:
		if got == want {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %v, want %v", path, got, want)}
}

// written writes a run as endpoints would, and reads the files.
func written(t *testing.T, r endpoints.Run) (dir string, summary map[string]any) {
	t.Helper()
	dir = t.TempDir()
	if err := endpoints.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	golden.ReadJSON(t, filepath.Join(dir, "performance", "result_summary.json"), &summary)
	return dir, summary
}

const ms = 1_000_000

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

// users is a closed loop with what can happen in it.
func users() endpoints.Run {
	r := endpoints.Run{Run: formats.Run{
		Load: arrival.Pattern{Kind: arrival.Users, Users: 3, Requests: 6, Seed: 7},
		API:  prompts.Chat, Stream: true, MaxTokens: 64, Model: "m/tiny", Servers: []string{"http://127.0.0.1:8000"},
		WarmUp: 8, Grace: 30 * time.Second, Version: "1.2.3", Commit: "abc",
		Data:   formats.Data{Name: "own", Path: "own.jsonl"},
		Fields: map[string]string{"temperature": "0.5", "user": `"me"`},
	}}
	failed := metrics.Request{Index: 3, Row: 3, Due: 30 * ms, Sent: 31 * ms, End: 41 * ms, Status: "http_500",
		Fault: "out of memory", Usage: metrics.NoUsage(), AskedIn: 100, Retokenized: metrics.Unknown}
	late := metrics.Request{Index: 4, Row: 4, Due: 40 * ms, Sent: 41 * ms, End: 900 * ms, Status: metrics.Unfinished,
		Usage: metrics.NoUsage(), AskedIn: metrics.Unknown, Retokenized: metrics.Unknown}
	warm := answer(5, 0, 0, 10*ms, 2*ms, 4)
	warm.WarmUp = true
	r.Requests = []metrics.Request{warm, answer(0, 10*ms, 11*ms, 21*ms, 2*ms, 4), answer(1, 10*ms, 12*ms, 32*ms, 2*ms, 4),
		answer(2, 20*ms, 22*ms, 52*ms, 3*ms, 2), failed, late}
	return r
}

// TestEndpointsByTheirDefinitions: times from sending to the end of the stream, failures among the completed ones.
func TestEndpointsByTheirDefinitions(t *testing.T) {
	_, got := written(t, users())
	for _, d := range unlike("", map[string]any{
		"issued": got["n_samples_issued"], "completed": got["n_samples_completed"], "failed": got["n_samples_failed"],
		"duration": got["duration_ns"], "qps": got["qps"], "tps": got["tps"], "state": got["state"], "whole": got["complete"],
		"ttft": got["ttft"].(map[string]any)["total"], "latency": got["latency"].(map[string]any)["max"],
		"tpot": got["tpot"].(map[string]any)["avg"], "osl": got["output_sequence_lengths"].(map[string]any)["total"],
		"isl": got["input_sequence_lengths"].(map[string]any)["total"], "window": got["legacy_loadgen_window_duration_ns"],
	}, map[string]any{
		"issued": 5.0, "completed": 4.0, "failed": 1.0,
		"duration": 45.001 * ms, // from when the first was due to the end of the last that ended
		"qps":      4 / 0.045001, "tps": 10 / 0.045001, "state": "complete", "whole": true,
		"ttft": 60.0 * ms, "latency": 33.001 * ms, "tpot": (2*(6.001*ms/3) + 3.001*ms) / 3, "osl": 10.0, "isl": 400.0,
		"window": nil,
	}) {
		t.Error(d)
	}
}

// TestEndpointsOfPoissonArrivals: its rates are LoadGen's, over the time to the end of the request that was sent last.
func TestEndpointsOfPoissonArrivals(t *testing.T) {
	r := users()
	r.Load = arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 100, Requests: 3}
	r.Requests = []metrics.Request{answer(0, 0, 1*ms, 21*ms, 20*ms, 9), answer(1, 10*ms, 12*ms, 32*ms, 2*ms, 4),
		answer(2, 20*ms, 22*ms, 52*ms, 3*ms, 2)}
	_, got := written(t, r)
	if d := unlike("", []any{got["legacy_loadgen_window_duration_ns"], got["qps"], got["tps"]},
		[]any{54.001 * ms, 2 / 0.054001, 15 / 0.054001}); d != nil {
		t.Error(d)
	}
	if d := unlike("", got["run_config"], map[string]any{
		"load_pattern": map[string]any{"type": "poisson", "target_qps": 100.0, "target_concurrency": nil,
			"use_legacy_loadgen_qps_metrics": true},
		"warmup": map[string]any{"enabled": true, "n_requests": 8.0, "salt": false, "drain": false,
			"warmup_random_seed": 0.0},
		"scheduler_random_seed": 0.0, "dataloader_random_seed": 0.0}); d != nil {
		t.Error(d)
	}
}

// TestEndpointsEvents: one line an event, in the order of time, the failure before its end.
func TestEndpointsEvents(t *testing.T) {
	dir, _ := written(t, users())
	text, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	last := math.Inf(-1)
	ids := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var e struct {
			Type string  `json:"event_type"`
			At   float64 `json:"timestamp_ns"`
			ID   string  `json:"sample_uuid"`
			Data any
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if e.At < last {
			t.Errorf("%s: before the line above it", lines.Bytes())
		}
		last = e.At
		kinds = append(kinds, e.Type)
		if e.ID != "" {
			ids[e.ID] = true
		}
		if e.Type == "error.generic" && fmt.Sprint(e.Data) != "[ErrorData http_500 out of memory]" {
			t.Errorf("%s", lines.Bytes())
		}
	}
	want := "session.started session.start_performance_tracking sample.issued sample.issued sample.recv_first " +
		"sample.issued sample.complete sample.issued sample.recv_first sample.complete error.generic sample.complete " +
		"sample.issued sample.recv_first sample.complete session.stop_performance_tracking session.ended"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("events:\n%s\nwant\n%s", got, want)
	}
	var places map[string]map[string]int
	golden.ReadJSON(t, filepath.Join(dir, "sample_idx_map.json"), &places)
	if len(places["performance"]) != 5 || len(ids) != 5 {
		t.Errorf("%d samples have a row, and %d events, want 5", len(places["performance"]), len(ids))
	}
	for id := range ids {
		if _, there := places["performance"][id]; !there {
			t.Errorf("%s is in no map", id)
		}
	}
}

// TestEndpointsConfiguration: what was asked in its words, and no secret.
func TestEndpointsConfiguration(t *testing.T) {
	r := users()
	r.Servers = []string{"http://me:word@127.0.0.1:8000/?api_key=word&a=b"}
	r.HasKey = true
	dir, _ := written(t, r)
	text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("word")) {
		t.Errorf("a secret is in\n%s", text)
	}
	var got struct {
		Type  string
		Model struct {
			Name        string
			Temperature float64
			Tokens      int `yaml:"max_new_tokens"`
			Streaming   string
		} `yaml:"model_params"`
		Settings struct {
			Pattern struct {
				Type  string
				Users int `yaml:"target_concurrency"`
			} `yaml:"load_pattern"`
			Runtime struct {
				Samples int    `yaml:"n_samples_to_issue"`
				Seed    uint64 `yaml:"scheduler_random_seed"`
			}
		}
		Endpoint struct {
			Key string `yaml:"api_key"`
			API string `yaml:"api_type"`
		} `yaml:"endpoint_config"`
	}
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if g := fmt.Sprintf("%+v", got); g != "{Type:online Model:{Name:m/tiny Temperature:0.5 Tokens:64 Streaming:on} "+
		"Settings:{Pattern:{Type:concurrency Users:3} Runtime:{Samples:6 Seed:7}} Endpoint:{Key:<redacted> API:openai}}" {
		t.Errorf("%s\n%s", g, text)
	}
	if !bytes.Contains(text, []byte(`streaming: "on"`)) && !bytes.Contains(text, []byte(`streaming: 'on'`)) {
		t.Errorf("on is true to some readers of YAML:\n%s", text)
	}
}

// TestEndpointsHasNoWordsForOtherLoads: what it cannot say is not written, and a sentence says so, before a run too.
func TestEndpointsHasNoWordsForOtherLoads(t *testing.T) {
	r := users()
	for what, p := range map[string]arrival.Pattern{
		"constant arrivals": {Kind: arrival.Rate, Arrival: arrival.Constant, PerSecond: 1},
		"gamma arrivals":    {Kind: arrival.Rate, Arrival: arrival.Gamma, PerSecond: 1, Burstiness: 2},
		"stages": {Kind: arrival.Rate, Arrival: arrival.Poisson, Stages: []arrival.RateStage{{PerSecond: 1,
			For: 1}}},
		"a ramp":         {Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 1, Ramp: 1},
		"a replay":       {Kind: arrival.Replay},
		"thinking users": {Kind: arrival.Users, Users: 1, Think: 1},
		"sessions":       {Kind: arrival.Users, Users: 1, Sessions: true},
		"a cap":          {Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 1, Users: 4},
	} {
		r.Load = p
		dir := t.TempDir()
		for when, err := range map[string]error{
			"before a run": endpoints.CheckExpressible(p, prompts.Chat), "after it": endpoints.Write(dir, r),
		} {
			if !errors.Is(err, formats.ErrInexpressible) || !strings.Contains(err.Error(),
				"max_throughput, poisson and concurrency") {
				t.Errorf("%s, %s: %v", what, when, err)
			}
		}
		if there, _ := os.ReadDir(dir); len(there) != 0 {
			t.Errorf("%s: %v is there, want nothing", what, there)
		}
	}
	err := endpoints.CheckExpressible(arrival.Pattern{Kind: arrival.Maximum}, prompts.Embeddings)
	if !errors.Is(err, formats.ErrInexpressible) {
		t.Errorf("it has no embeddings: %v", err)
	}
}

// TestEndpointsOfGoldenRecords: whatever was recorded is written, and the counts agree with each other.
func TestEndpointsOfGoldenRecords(t *testing.T) {
	golden.EachBelow(t, "../vllm/testdata/golden", "serving/events/*.json", func(t *testing.T, path string) {
		c := servingtest.ReadCase(t, path)
		r := users()
		r.Requests, r.Rules, r.Stream = c.Records(), c.FigureRules(), c.Rules.Stream == nil
		dir, got := written(t, r)
		begun := 0
		for i := range r.Requests {
			if !r.Requests[i].WarmUp {
				begun++
			}
		}
		if got["n_samples_issued"] != float64(begun) {
			t.Errorf("%v issued, want %d", got["n_samples_issued"], begun)
		}
		for _, name := range []string{"ttft", "tpot", "latency", "output_sequence_lengths"} {
			d, _ := got[name].(map[string]any)
			h, _ := d["histogram"].(map[string]any)
			if h == nil {
				continue
			}
			counts := 0.0
			for _, n := range h["counts"].([]any) {
				counts += n.(float64)
			}
			if mean := d["total"].(float64) / counts; math.Abs(mean-d["avg"].(float64)) > 1e-9*mean+1e-9 {
				t.Errorf("%s: the histogram has %v values, the mean says otherwise", name, counts)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "report.txt"))
		if err != nil || !bytes.Contains(text, []byte("Total samples issued: "+fmt.Sprint(begun))) {
			t.Errorf("%v\n%s", err, text)
		}
		names := []string{}
		for _, f := range []string{"config.yaml", "events.jsonl", "sample_idx_map.json", "metrics/final_snapshot.json"} {
			if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
				names = append(names, f)
			}
		}
		if slices.Sort(names); len(names) > 0 {
			t.Errorf("%v are not there", names)
		}
	})
}
