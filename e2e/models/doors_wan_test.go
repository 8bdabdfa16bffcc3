package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// wanFiles writes made-up prompts under the official file's name, and a negative prompt.
func wanFiles(dir string) error {
	var prompts strings.Builder
	for i := range 24 {
		fmt.Fprintf(&prompts, "a made-up scene, number %d / %d\n", i, i%3)
	}
	folder := filepath.Join(dir, "wan")
	return errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "vbench_prompts.txt"), []byte(prompts.String()), 0o644),
		os.WriteFile(filepath.Join(folder, "negative_prompt.txt"), []byte("blurry\nugly\n"), 0o644))
}

// wanDoors are the doors of videos, at a video server.
func wanDoors() []door {
	return []door{{
		model: "wan-2.2-t2v-a14b", data: wanFiles, whole: true, server: videoServer,
		scores: map[string]map[string]float64{"out/wan-2.2-t2v-a14b-smoke": {"videos": 100}},
		layouts: []string{"vbench_prompts.txt, one prompt per line, or its folder; or .jsonl with the rows of " +
			"the endpoints harness"},
	}}
}

// videoServer starts a server that answers each request with the beginning of an MP4 file, and returns its address.
func videoServer(t *testing.T) string { return videosBut(t, "") }

// videosBut starts a video server that fails for prompts with a word.
func videosBut(t *testing.T, word string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Prompt, Size   string
			NegativePrompt string `json:"negative_prompt"`
			Format         string `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Size != "1280x720" {
			http.Error(w, fmt.Sprintf("%+v, %v", asked, err), http.StatusBadRequest)
			return
		}
		if word != "" && strings.Contains(asked.Prompt, word) {
			http.Error(w, "out of memory", http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "\x00\x00\x00\x18ftypmp42 %s, without %q", asked.Prompt, asked.NegativePrompt)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestVideos asks a server of videos in the official layout: files have VBench's names, one that fails is named and
// costs no other, VBench's results make the checker's line, and the round's videos lie beside the log.
func TestVideos(t *testing.T) {
	dir := t.TempDir()
	if err := wanFiles(dir); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	run := func(url string, more ...string) harness.Result {
		return harness.Run(t, append([]string{"run", "wan-2.2-t2v-a14b", "--backend", "video", "--backend-opt", "url=" + url,
			"--dataset", filepath.Join(dir, "wan"), "--param", "videos=" + filepath.Join(dir, "videos"), "--scenario",
			"Offline", "--smoke"}, more...)...)
	}
	url := videosBut(t, "number 7")
	run(url, "--mode", "accuracy", "--out", out, "--rules", "v6.1").WantOutput(t, "videos", "95.833 %",
		`prompt 7 has no video ("a made-up scene, number 7 / 1"): 500 Internal Server Error`, "no vbench_score",
		"no negative prompt is sent", "the data set has 24 prompts, the official one 248")
	accuracy := filepath.Join(out, "wan-2.2-t2v-a14b", "Offline", "accuracy")
	first := testfile.Read(t, filepath.Join(dir, "videos", "a made-up scene, number 0 _ 0-0.mp4"))
	for sample, prompt := range map[string]string{"12": "number 12", "22": "number 22"} {
		harness.WantParts(t, testfile.Read(t, filepath.Join(accuracy, "videos", sample+".mp4")), prompt)
	}
	harness.WantParts(t, first, "number 0 / 0")
	for _, c := range []struct {
		mean  string
		code  int
		wants []string
	}{
		{"0.71", 0, []string{"{'vbench_score': 71}", "from 0 to 1, made percent"}},
		{"0.69", 0, []string{"{'vbench_score': 69}", "no target applies to a subset"}},
		{"71", 6, []string{"--param scale=percent"}},
		{"NaN", 6, []string{"vbench"}},
	} {
		results := filepath.Join(dir, "vbench", "results_1_eval_results.json")
		testfile.WriteBelow(t, results,
			strings.ReplaceAll(`{"appearance_style": [V, []], "background_consistency": [V, []], "dynamic_degree": [V, []],
			"motion_smoothness": [V, []], "scene": [V, []], "subject_consistency": [V, []]}`, "V", c.mean))
		r := harness.Run(t, "score", out, "--param", "vbench="+filepath.Dir(results)).WantCode(t, c.code)
		harness.WantParts(t, r.Both(), c.wants...)
	}
	r := harness.Run(t, "score", out, "--param", "vbench="+filepath.Join(dir, "none")).WantCode(t, 6)
	harness.WantParts(t, r.Both(), "none")
	r = run(url, "--mode", "performance", "--out", filepath.Join(dir, "timed"))
	if r.Code == 0 {
		t.Error("a server that fails is measured")
	}
	harness.WantParts(t, r.Both(), `no video of prompt 7, "a made-up scene, number 7 / 1": 500 Internal Server Error`)
}

// TestVideosNamedByAServer: a server names a file of this machine, which is read only below a folder that the user
// named.
func TestVideosNamedByAServer(t *testing.T) {
	dir := t.TempDir()
	if err := wanFiles(dir); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	testfile.Write(t, secret, "\x00\x00\x00\x18ftypmp42, and private")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"video_id": "v", "video_path": %q}`, secret)
	}))
	defer s.Close()
	kept := filepath.Join(dir, "videos")
	testfile.WriteBelow(t, filepath.Join(kept, "made", "by a server"), "")
	for _, c := range []struct{ folder, want string }{
		{"", "--backend-opt folder=FOLDER"}, {filepath.Join(kept, "made"), "is not below"},
	} {
		args := []string{"run", "wan-2.2-t2v-a14b", "--backend", "video", "--backend-opt", "url=" + s.URL, "--dataset",
			filepath.Join(dir, "wan"), "--param", "videos=" + kept, "--scenario", "Offline", "--smoke", "--mode", "accuracy",
			"--out", filepath.Join(dir, "out"), "--force"}
		if c.folder != "" {
			args = append(args, "--backend-opt", "folder="+c.folder)
		}
		r := harness.Run(t, args...)
		harness.WantParts(t, r.Both(), c.want)
		files, err := filepath.Glob(filepath.Join(kept, "*.mp4"))
		if err != nil || len(files) > 0 || r.Code == 0 && c.folder == "" {
			t.Errorf("code %d, %v, %v: a file of this machine came in", r.Code, files, err)
		}
	}
}

// TestVideosSubmission makes a tree of the runs in the endpoints harness's form, with the round's videos and the audit.
// The check refuses it as a run of seconds, but finds everything that videos require. In the other form the tree
// contains LoadGen's logs.
func TestVideosSubmission(t *testing.T) {
	dir := t.TempDir()
	if err := wanFiles(dir); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(dir, "wan", "vbench_prompts.txt"), strings.Repeat("a made-up scene\n", 248))
	out, tree, work := filepath.Join(dir, "out"), filepath.Join(dir, "tree"), filepath.Join(dir, "work")
	run := []string{"wan-2.2-t2v-a14b", "--backend", "video", "--backend-opt", "url=" + videoServer(t), "--dataset",
		filepath.Join(dir, "wan"), "--param", "videos=" + filepath.Join(dir, "videos"), "--param", "negative=" +
			filepath.Join(dir, "wan", "negative_prompt.txt"), "--smoke", "--out", out}
	harness.Run(t, append([]string{"run", "--mode", "submission"}, run...)...).WantCode(t, 0)
	audit := harness.Run(t, append([]string{"audit", "TEST04"},
		run...)...) // the verdict depends on the machine's load
	if audit.Code != 0 && audit.Code != 3 {
		audit.WantCode(t, 0)
	}
	results := filepath.Join(dir, "results_1_eval_results.json")
	for _, c := range []struct {
		mean string
		code int
	}{{"0.69", 4}, {"0.71", 0}} {
		testfile.Write(t, results, strings.ReplaceAll(`{"appearance_style": [V, []], "background_consistency": [V, []],
			"scene": [V, []], "dynamic_degree": [V, []], "motion_smoothness": [V, []], "subject_consistency": [V, []]}`,
			"V", c.mean))
		harness.Run(t, "score", out, "--param", "vbench="+results).WantCode(t, c.code)
	}
	harness.Run(t, "submission", "init", "--workspace", work, "--submitter", "Lab", "--system-type", "datacenter").
		WantCode(t, 0)
	harness.Run(t, "submission", "add", out, "--workspace", work, "--rehearsal").WantCode(t, 0)
	harness.Run(t, "submission", "build", "--workspace", work, "--out", tree, "--allow-unfilled").WantCode(t, 0)
	loads := map[string]string{"Offline": "type: max_throughput", "SingleStream": "type: concurrency"}
	for scenario, load := range loads {
		result := filepath.Join(tree, "closed", "Lab", "results", "system", "wan-2.2-t2v-a14b", scenario)
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "accuracy", "videos", "238.mp4")), "a made-up scene")
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "accuracy", "videos", "captions.txt")),
			"130  a made-up scene")
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "accuracy", "accuracy_results.json")), `"score": 0.71`,
			`"total_samples": 248`)
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "audit", "audit_output_caching_test.json")),
			`"test": "output_caching_test"`)
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "config.yaml")), load, "api_type: videogen",
			"eval_method: vbench",
			"dataloader_random_seed: 2747215439041700203")
	}
	r := harness.Run(t, "submission", "check", tree)
	harness.WantParts(t, r.Stdout, "min_duration_ms is too short", "the seeds are the round's")
	for _, fine := range []string{
		"an output to show is missing", "accuracy is too low", "reject accuracy", "a file is missing", "load is another",
	} {
		if strings.Contains(r.Stdout, fine) {
			t.Errorf("%q in\n%s", fine, r.Stdout)
		}
	}
	older := filepath.Join(dir, "older")
	run = append(run, "--param", "form=loadgen", "--force")
	harness.Run(t, append([]string{"run", "--mode", "submission", "--scenario", "Offline"}, run...)...).WantCode(t, 0)
	harness.Run(t, "score", out, "--param", "vbench="+results).WantCode(t, 0)
	harness.Run(t, "submission", "add", out, "--workspace", work, "--rehearsal", "--only", "Offline", "--replace").
		WantCode(t, 0)
	harness.Run(t, "submission", "build", "--workspace", work, "--out", older, "--allow-unfilled").WantCode(t, 0)
	result := filepath.Join(older, "closed", "Lab", "results", "system", "wan-2.2-t2v-a14b", "Offline")
	testfile.Read(t, filepath.Join(result, "performance", "run_1", "mlperf_log_detail.txt"))
	testfile.Read(t, filepath.Join(result, "accuracy", "videos", "238.mp4"))
	harness.WantParts(t, testfile.Read(t, filepath.Join(result, "accuracy", "accuracy.txt")), "{'vbench_score': 71}")
}
