package endpoints_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// products is an Offline run of three products of the official catalogue, with its accuracy.
func products() endpoints.Run {
	r := users()
	r.Load, r.WarmUp, r.MaxTokens = arrival.Pattern{Kind: arrival.Maximum, Seed: 7, Requests: 3}, 0, 150
	r.Stream, r.Model, r.Fields = false, "Qwen/Qwen3-VL-235B-A22B-Instruct", nil
	r.Data = formats.Data{Name: "shopify_product_catalogue::q3vl"}
	r.Requests = []metrics.Request{
		answer(2, 0, 0, 10*ms, 2*ms, 4), answer(0, 0, 0, 20*ms, 2*ms, 4), answer(1, 0, 0, 30*ms, 2*ms, 4),
	}
	value := 0.75
	r.LoadGen = &endpoints.LoadGenRun{
		Metric: "F1_HIERARCHICAL", DataSeed: 9, MinDuration: 10 * time.Minute,
		Score: &endpoints.DatasetAccuracy{Value: &value, Size: 3, Samples: 3},
	}
	return r
}

// TestProductsInEndpoints: the files of a run on products have what the official checker reads; the configuration has
// the words of the official one.
func TestProductsInEndpoints(t *testing.T) {
	dir, summary := written(t, products())
	last := products().Requests[2].End
	config := summary["run_config"].(map[string]any)
	if config["dataloader_random_seed"] != 9.0 || config["scheduler_random_seed"] != 7.0 ||
		summary["n_samples_issued"] != 3.0 || summary["duration_ns"] != float64(last) ||
		summary["qps"] != 3/(float64(last)/1e9) {
		t.Errorf("%v", summary)
	}
	var results struct {
		Average float64          `json:"average_accuracy"`
		Scores  []map[string]any `json:"accuracy_scores"`
	}
	file := filepath.Join(dir, "accuracy", "accuracy_results.json")
	golden.ReadJSON(t, file, &results)
	if len(results.Scores) != 1 || results.Average != 0.75 || results.Scores[0]["score"] != 0.75 ||
		results.Scores[0]["total_samples"] != 3.0 || results.Scores[0]["dataset_type"] != "accuracy" {
		t.Errorf("%+v", results)
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"scheduler_random_seed: 7", "dataloader_random_seed: 9", "min_duration_ms: 600000"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("config.yaml has no %q:\n%s", part, text)
		}
	}
	golden.Each(t, "agentic/endpoints/config_vl_offline.yaml", func(t *testing.T, path string) {
		type part struct {
			Type     string
			Datasets []map[string]any
			Settings struct {
				Load map[string]any `yaml:"load_pattern"`
			}
		}
		var mine, theirs part
		official, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for text, to := range map[string]*part{string(text): &mine, string(official): &theirs} {
			if err := yaml.Unmarshal([]byte(text), to); err != nil {
				t.Fatal(err)
			}
		}
		got, want := mine.Datasets[1]["accuracy_config"], theirs.Datasets[1]["accuracy_config"]
		for _, d := range unlike("accuracy_config", want, got) {
			t.Error(d)
		}
		if mine.Type != theirs.Type || mine.Settings.Load["type"] != theirs.Settings.Load["type"] ||
			mine.Datasets[1]["name"] != theirs.Datasets[1]["name"] {
			t.Errorf("%+v, want %+v", mine, theirs)
		}
	})
	r := products()
	r.LoadGen.Score = nil
	if err := endpoints.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the accuracy of an earlier run is left")
	}
}

// videos is a SingleStream run of three videos, scored, with its audit: two more of one prompt, which took as long.
func videos() endpoints.Run {
	r := products()
	r.Load, r.MaxTokens, r.Model = arrival.Pattern{Kind: arrival.Users, Users: 1, Seed: 7, Requests: 3}, 1, "wan"
	r.Data = formats.Data{Name: "wan22_vbench"}
	video := func(i int, from, to int64) metrics.Request {
		q := answer(i, from, from, from, 0, 0)
		q.Whole, q.End = true, to
		return q
	}
	value := 71.0
	r.Requests = []metrics.Request{video(0, 0, 10*ms), video(1, 10*ms, 20*ms), video(2, 20*ms, 30*ms)}
	r.LoadGen.Metric, r.LoadGen.Score.Value = "vbench_score", &value
	r.LoadGen.CachingRequests = []metrics.Request{video(3, 0, 9*ms), video(3, 9*ms, 18*ms)}
	return r
}

// TestVideosInEndpoints: videos are asked for and scored by that harness's words; its score is from 0 to 1, and its
// audit compares rates. A score that is not there yet, and an audit that did not run, leave no file.
func TestVideosInEndpoints(t *testing.T) {
	dir, _ := written(t, videos())
	text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"type: online", "api_type: videogen", "target_concurrency: 1", "max_new_tokens: 1\n",
		"eval_method: vbench", "ground_truth: prompt", "min_duration_ms: 600000", `streaming: "off"`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("config.yaml has no %q:\n%s", part, text)
		}
	}
	if strings.Contains(string(text), "extractor") {
		t.Errorf("VBench has no extractor:\n%s", text)
	}
	var results struct {
		Average float64          `json:"average_accuracy"`
		Scores  []map[string]any `json:"accuracy_scores"`
	}
	scores, audit := filepath.Join(dir, "accuracy", "accuracy_results.json"),
		filepath.Join(dir, "audit", "audit_output_caching_test.json")
	golden.ReadJSON(t, scores, &results)
	if results.Average != 0.71 || results.Scores[0]["score"] != 0.71 || results.Scores[0]["extractor"] != nil {
		t.Errorf("%+v", results)
	}
	for name, c := range map[string]struct {
		to        int64 // the end of the second video of the audit
		status    metrics.Status
		kind      arrival.Kind
		passed    bool
		threshold float64
	}{
		"as quick":                 {18 * ms, metrics.OK, arrival.Users, true, 0.2},
		"quicker by a third":       {15 * ms, metrics.OK, arrival.Users, false, 0.2},
		"quicker than Offline may": {18 * ms, metrics.OK, arrival.Maximum, false, 0.1},
		"one was never answered":   {18 * ms, metrics.Unfinished, arrival.Users, false, 0.2},
		"as quick in Offline":      {20 * ms, metrics.OK, arrival.Maximum, true, 0.1},
	} {
		r := videos()
		r.LoadGen.CachingRequests[1].End, r.LoadGen.CachingRequests[1].Status, r.Load.Kind = c.to, c.status, c.kind
		if c.kind == arrival.Maximum {
			r.Load.Users = 0
		}
		dir, _ := written(t, r)
		var got struct {
			Test      string
			Passed    bool
			Rate      float64 `json:"ref_qps"`
			Threshold float64
			Requested int `json:"audit_requested"`
			Reason    string
		}
		golden.ReadJSON(t, filepath.Join(dir, "audit", "audit_output_caching_test.json"), &got)
		if got.Test != "output_caching_test" || got.Passed != c.passed || got.Threshold != c.threshold || got.Rate != 100 ||
			got.Requested != 2 || got.Reason == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	r := videos()
	r.LoadGen.Score.Value, r.LoadGen.CachingRequests = nil, nil
	if err := endpoints.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{scores, audit} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s of an earlier run is left", file)
		}
	}
}

// TestMadeUpMetric: what that harness calls a metric, and how it scores it, is in the metric's row; one without a row
// is an error, and nothing is written.
func TestMadeUpMetric(t *testing.T) {
	r := products()
	r.LoadGen.Metric = mlconftest.MadeUp
	dir := t.TempDir()
	if err := endpoints.Write(dir, r); !errors.Is(err, mlconf.ErrNoMetric) {
		t.Errorf("a metric without a row: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
	mlconftest.AddMadeUp(t)
	dir, _ = written(t, r)
	for file, parts := range map[string][]string{
		endpoints.ConfigFile: {"api_type: made_up_api", "eval_method: made_up_method", "ground_truth: made_up_truth",
			"extractor: made_up_extractor"},
		endpoints.AccuracyFile: {`"MadeUpExtractor"`, `"made_up_truth"`, `"score": 0.0075`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		for _, part := range parts {
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s has no %q, %v:\n%s", file, part, err, text)
			}
		}
	}
}
