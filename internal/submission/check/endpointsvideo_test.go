package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// videoFiles are those of a sound result of videos in a scenario.
func videoFiles(scenario string) map[string]string {
	kind, load := "offline", "type: max_throughput"
	if scenario == "SingleStream" {
		kind, load = "submission\nbenchmark_mode: online", "type: concurrency, target_concurrency: 1"
	}
	files := map[string]string{
		endpoints.ConfigFile: "type: " + kind + "\nversion: '1.0'\n" +
			"model_params: {name: wan22, max_new_tokens: 1, streaming: \"off\"}\n" +
			"settings:\n  runtime: {min_duration_ms: 600000, scheduler_random_seed: 16159082839903944936, " +
			"dataloader_random_seed: 2747215439041700203}\n  load_pattern: {" + load + "}\n",
		endpoints.SummaryFile: `{"n_samples_issued":248,"n_samples_completed":248,"n_samples_failed":0,` +
			`"complete":true,"duration_ns":12400000000000,"qps":0.02,"latency":{"avg":5e10}}`,
		endpoints.AccuracyFile: `{"average_accuracy":0.7048,"accuracy_scores":[{"dataset_name":"wan22_vbench",` +
			`"score":0.7048,"total_samples":248,"dataset_type":"accuracy"}]}`,
		endpoints.CachingFile:          `{"test":"output_caching_test","passed":true}`,
		"accuracy/videos/captions.txt": "130  a prompt\n",
	}
	for _, id := range []int{130, 106, 84, 59, 12, 123, 43, 22, 238, 32} {
		files[fmt.Sprintf("accuracy/videos/%d.mp4", id)] = "a video"
	}
	return files
}

// videoTree has both scenarios, of which one is changed.
func videoTree(t *testing.T, scenario string, change func(files map[string]string)) string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, s := range []string{"Offline", "SingleStream"} {
		files := videoFiles(s)
		if s == scenario {
			change(files)
		}
		all["wan-2.2-t2v-a14b/"+s] = files
	}
	return treeOf(t, all, "datacenter")
}

// TestEndpointsOfVideos: results of wan are judged by the round's rules; the score of that harness is from 0 to 1.
func TestEndpointsOfVideos(t *testing.T) {
	for name, c := range map[string]struct {
		scenario, in, old, with string
		want                    string // empty: it is sound
	}{
		"sound":   {"Offline", endpoints.ConfigFile, "x", "x", ""},
		"single":  {"SingleStream", endpoints.ConfigFile, "x", "x", ""},
		"percent": {"Offline", endpoints.AccuracyFile, "0.7048", "70.48", ""},
		"wrong":   {"Offline", endpoints.AccuracyFile, `"score":0.7048`, `"score":0.6977`, "an accuracy is too low"},
		"several at a time": {"SingleStream", endpoints.ConfigFile, "target_concurrency: 1", "target_concurrency: 2",
			"more than one request"},
		"a type that the official checker takes for a scenario": {"Offline", endpoints.ConfigFile, "type: offline",
			"type: submission\nbenchmark_mode: offline", "the load is another scenario's"},
		"other load":   {"SingleStream", endpoints.ConfigFile, "online", "offline", "the load is another scenario's"},
		"no result":    {"SingleStream", endpoints.SummaryFile, "5e10", "0", "there is no result"},
		"audit failed": {"Offline", endpoints.CachingFile, "true", "false", "the audit has not passed"},
		"another test": {"Offline", endpoints.CachingFile, "output_caching", "other", "the audit has not passed"},
	} {
		got := findingsIn(t, videoTree(t, c.scenario, func(files map[string]string) {
			files[c.in] = strings.ReplaceAll(files[c.in], c.old, c.with)
		}), "/"+c.scenario)
		if c.want == "" && strings.Contains(got, "reject") || !strings.Contains(got, c.want) ||
			c.want != "" && !strings.Contains(got, "reject") {
			t.Errorf("%s: want %q\n%s", name, c.want, got)
		}
	}
	for _, missing := range []string{endpoints.CachingFile, "accuracy/videos/123.mp4"} {
		got := findingsIn(t, videoTree(t, "Offline", func(files map[string]string) { delete(files, missing) }), "/Offline")
		if !strings.Contains(got, "missing") || !strings.Contains(got, missing) {
			t.Errorf("that %s is missing is not told:\n%s", missing, got)
		}
	}
	got := findingsIn(t, videoTree(t, "SingleStream", func(files map[string]string) {
		files[endpoints.SummaryFile] = strings.ReplaceAll(files[endpoints.SummaryFile], "248", "20")
	}), "/SingleStream")
	if !strings.Contains(got, "fewer queries") || strings.Contains(got, "reject") {
		t.Error(got)
	}
}

// TestOfficialEndpointsTreeOfVideos lets the official checker judge sound trees, and such as it refuses.
func TestOfficialEndpointsTreeOfVideos(t *testing.T) {
	for _, missing := range []string{"", endpoints.CachingFile, "accuracy/videos/123.mp4"} {
		root := videoTree(t, "Offline", func(files map[string]string) { delete(files, missing) })
		if took, out := officiallyTaken(t, root); took != (missing == "") {
			t.Errorf("without %q it says %t\n%s", missing, took, out)
		}
	}
	root := videoTree(t, "Offline", func(files map[string]string) {
		files[endpoints.ConfigFile] = strings.Replace(files[endpoints.ConfigFile], "type: offline",
			"type: submission\nbenchmark_mode: offline", 1)
	})
	if took, out := officiallyTaken(t, root); took {
		t.Errorf("it takes the type submission in Offline\n%s", out)
	}
}
