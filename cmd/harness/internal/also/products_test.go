package also_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/bench/serving/load"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/also"
	"github.com/plumbline-ml/plumbline/internal/golden"
)

// products is an Offline run of three products of the official catalogue, with its accuracy.
func products() also.Run {
	r := users()
	r.Load, r.WarmUp, r.MaxTokens = load.Pattern{Kind: load.Maximum, Seed: 7, Requests: 3}, 0, 150
	r.Stream, r.Model, r.Fields = false, "Qwen/Qwen3-VL-235B-A22B-Instruct", nil
	r.Data = also.Data{Name: "shopify_product_catalogue::q3vl"}
	r.Requests = []measure.Request{
		answer(2, 0, 0, 10*ms, 2*ms, 4), answer(0, 0, 0, 20*ms, 2*ms, 4), answer(1, 0, 0, 30*ms, 2*ms, 4),
	}
	r.Products = &also.Products{DataSeed: 9, Least: 10 * time.Minute, Score: &also.Score{Value: 0.75, Size: 3, Samples: 3}}
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
	r.Products.Score = nil
	if _, err := also.Write(dir, []string{"endpoints"}, r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the accuracy of an earlier run is left")
	}
}
