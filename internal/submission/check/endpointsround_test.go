package check

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// productFiles are those of a sound result of qwen3-vl in a scenario.
func productFiles(scenario string) map[string]string {
	kind, load, samples, limit, score := "online", "type: poisson, target_qps: 5.0", 48289, int64(12e9), 0.782397
	switch scenario {
	case "Offline":
		kind, load = "offline", "type: max_throughput"
	case "Interactive":
		samples, limit, score = 8000, 15e8, 0.779923
	}
	return map[string]string{
		endpoints.ConfigFile: "type: " + kind + "\nversion: '1.0'\nmodel_params: {max_new_tokens: 150, streaming: \"on\"}\n" +
			"settings:\n  runtime: {min_duration_ms: 600000, scheduler_random_seed: 16159082839903944936, " +
			"dataloader_random_seed: 2747215439041700203}\n  load_pattern: {" + load + "}\n",
		endpoints.SummaryFile: fmt.Sprintf(`{"n_samples_issued":48289,"n_samples_completed":48289,"n_samples_failed":0,`+
			`"complete":true,"duration_ns":700000000000,"qps":68.9,"latency":{"avg":1e9,"early_stopping_percentiles":`+
			`{"99.0":%d}}}`, limit),
		endpoints.AccuracyFile: fmt.Sprintf(`{"average_accuracy":%[1]g,"accuracy_scores":[{"dataset_name":"products",`+
			`"score":%[1]g,"total_samples":%d,"dataset_type":"accuracy"}]}`, score, samples),
	}
}

// productTree has all three scenarios of qwen3-vl, of which one is changed.
func productTree(t *testing.T, scenario string, change func(files map[string]string)) string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, s := range []string{"Offline", "Server", "Interactive"} {
		files := productFiles(s)
		if s == scenario {
			change(files)
		}
		all["qwen3-vl-235b-a22b/"+s] = files
	}
	return treeOf(t, all, "datacenter")
}

// productCases are faults of one file of a scenario, what our check says, and whether the official one takes the tree.
var productCases = map[string]struct {
	scenario, in, old, with string
	want                    string // empty: it is sound
	takes                   bool
}{
	"sound":        {"Offline", endpoints.ConfigFile, "150", "150", "", true},
	"example seed": {"Server", endpoints.ConfigFile, "2747215439041700203", "42", "the seeds are nobody's", false},
	"short":        {"Server", endpoints.ConfigFile, "600000", "599999", "min_duration_ms is too short", false},
	"slow": {"Server", endpoints.SummaryFile, "12000000000", "12000000001",
		"the latency is over the limit", false},
	"slower than it may be": {"Interactive", endpoints.SummaryFile, "1500000000", "1500000001",
		"the latency is over the limit", false},
	"too few for an estimate": {"Interactive", endpoints.SummaryFile, "1500000000", "null",
		"no early-stopping estimate", false},
	"wrong": {"Offline", endpoints.AccuracyFile, `"score":0.782397`, `"score":0.782396`, "an accuracy is too low", false},
	"wrong answers": {"Interactive", endpoints.AccuracyFile, `"score":0.779923`, `"score":0.77992`,
		"an accuracy is too low", false},
	"a part": {"Interactive", endpoints.AccuracyFile, "8000", "7999", "not over the whole data set", false},
	"other load": {"Offline", endpoints.ConfigFile, "type: max_throughput", "type: poisson",
		"the load is another scenario's", true},
	"a part of the data":  {"Offline", endpoints.SummaryFile, "48289", "48288", "samples are missing", true},
	"no complete run":     {"Server", endpoints.SummaryFile, "true", "false", "the run is not whole", true},
	"answers that failed": {"Server", endpoints.SummaryFile, `failed":0`, `failed":1`, "the run is not whole", true},
	"no rate":             {"Server", endpoints.SummaryFile, `"qps":68.9`, `"qps":0`, "there is no result", false},
}

// TestEndpointsOfProducts: results of qwen3-vl are judged by the round's rules, and the check says whose seeds ran.
func TestEndpointsOfProducts(t *testing.T) {
	for name, c := range productCases {
		got := findingsIn(t, productTree(t, c.scenario, func(files map[string]string) {
			files[c.in] = strings.ReplaceAll(files[c.in], c.old, c.with)
		}), "/"+c.scenario)
		if c.want == "" && (strings.Contains(got, "reject") || !strings.Contains(got, "the seeds are the round's")) ||
			!strings.Contains(got, c.want) || c.want != "" && !strings.Contains(got, "reject") {
			t.Errorf("%s: want %q\n%s", name, c.want, got)
		}
	}
	got := findingsIn(t, productTree(t, "Server", func(files map[string]string) {
		maps.DeleteFunc(files, func(name, _ string) bool { return name == endpoints.AccuracyFile })
		files[endpoints.ConfigFile] = strings.NewReplacer("2747215439041700203", "42", "16159082839903944936", "42").
			Replace(files[endpoints.ConfigFile])
	}), "/Server")
	for _, want := range []string{"a file is missing", "the seeds are those of the harness's example files"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestOfficialEndpointsTreeOfProducts lets the official checker judge the same trees.
func TestOfficialEndpointsTreeOfProducts(t *testing.T) {
	for name, c := range productCases {
		root := productTree(t, c.scenario, func(files map[string]string) {
			files[c.in] = strings.ReplaceAll(files[c.in], c.old, c.with)
		})
		if took, out := officiallyTaken(t, root); took != c.takes {
			t.Errorf("%s: it says %t, want %t\n%s", name, took, c.takes, out)
		}
	}
}
