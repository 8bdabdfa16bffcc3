package endpoints_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

const small = `type: online
model_params:
  name: m/tiny
datasets:
- path: own.jsonl
settings:
  load_pattern:
    type: concurrency
    target_concurrency: 32
endpoint_config:
  endpoints: [http://a:1]
`

func TestReadEndpoints(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"the least": {small, "http://a:1 --label online_benchmark --model m/tiny --body max_completion_tokens=1024 " +
			"--stream on --data own.jsonl --concurrency 32 --duration 600000ms --seed 42 --warmup 0 --grace 240s --api chat"},
		"much": {`name: mine
version: "1.0"
type: online
submission_ref: null
model_params:
  name: m/tiny
  temperature: 0.7
  top_k: 50
  seed: 7
  max_new_tokens: 64
  min_new_tokens: 3
  skip_special_tokens: false
  streaming: off
datasets:
- name: perf
  type: performance
  path: own.csv
  format: csv
  parser: {prompt: question, system: frame}
settings:
  runtime: {min_duration_ms: 10s, max_duration_ms: 2m, n_samples_to_issue: 500, scheduler_random_seed: 3,
    dataloader_random_seed: 3}
  load_pattern: {type: poisson, target_qps: 2.5}
  client: {num_workers: 4, insecure: true}
  warmup: {enabled: true, n_requests: 16}
  drain: {performance_timeout_s: 30}
endpoint_config:
  endpoints: [http://a:1, http://b:1]
  api_key: ${KEY}
  api_type: openai_completions
report_dir: results/x
`, "http://a:1,http://b:1 --label mine --model m/tiny --body temperature=0.7 --body seed=7 --body top_k=50 --body " +
			"max_tokens=64 --body min_tokens=3 --body skip_special_tokens=false --stream off --data own.csv --format csv " +
			"--column prompt=question --column system=frame --rate 2.5 --requests 500 --duration 120000ms --seed 3 " +
			"--warmup 16 --grace 30s --backend-opt insecure=true --backend-opt key_env=KEY --api completions --out results/x"},
		"all at once": {strings.NewReplacer("online", "offline", "concurrency\n", "max_throughput\n",
			"    target_concurrency: 32", "    target_qps: 3").Replace(small),
			"http://a:1 --label offline_benchmark --model m/tiny --body max_completion_tokens=1024 --stream off " +
				"--data own.jsonl --max --requests 1800 --seed 42 --warmup 0 --grace 240s --api chat"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := endpoints.ReadConfig([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(append([]string{got.Address}, got.Flags...), " "); text != c.want {
				t.Errorf("%s\nwant\n%s", text, c.want)
			}
		})
	}
}

// TestReadEndpointsNamesAllFaults: unknown keys, and what does not exist here, at once.
func TestReadEndpointsNamesAllFaults(t *testing.T) {
	_, err := endpoints.ReadConfig([]byte(`type: submission
benchmark_mode: offline
tpye: x
model_params: {name: m, osl_distribution: {type: normal}, top_k: many, temprature: 1}
datasets:
- {path: a.jsonl, samples: 5}
- {type: accuracy, path: b.jsonl}
settings:
  runtime: {scheduler_random_seed: 1, dataloader_random_seed: 2, min_duration_ms: soon}
  load_pattern: {type: burst, target_pqs: 1}
  client: {max_connections: 8}
  profiling: {engine: vllm}
endpoint_config: {endpoints: [], api_type: sglang, api_key: abc123}
timeout: 10
audit: {test: output_caching_test}
`))
	if err == nil {
		t.Fatal("nothing is said")
	}
	for _, part := range []string{"type: submission", "benchmark_mode", "tpye", "model_params.osl_distribution",
		"model_params.top_k", `model_params.temprature`, `did you mean "temperature"`, "datasets[0].samples", "datasets[1]",
		"settings.runtime.dataloader_random_seed", "settings.runtime.min_duration_ms", "settings.load_pattern.type: burst",
		"settings.load_pattern.target_pqs", "settings.client.max_connections", "settings.profiling.engine",
		"endpoint_config.endpoints", "endpoint_config.api_type: sglang", "endpoint_config.api_key", "timeout", "audit"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in\n%v", part, err)
		}
	}
	if strings.Contains(err.Error(), "abc123") {
		t.Errorf("the key is in\n%v", err)
	}
	for name, text := range map[string]string{"nothing": "", "a list": "- a\n", "two documents": small + "---\na: 1\n",
		"no YAML": "a: [", "twice": small + "type: online\n"} {
		if _, err := endpoints.ReadConfig([]byte(text)); err == nil {
			t.Errorf("%s: no fault", name)
		}
	}
}

// TestReadWhatIsWritten: the configuration that --also endpoints writes asks for the same again.
func TestReadWhatIsWritten(t *testing.T) {
	for want, p := range map[string]arrival.Pattern{
		"--concurrency 3": {Kind: arrival.Users, Users: 3, Requests: 6, Seed: 7},
		"--rate 2.5":      {Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 2.5, Requests: 6, Seed: 7},
		"--max":           {Kind: arrival.Maximum, Requests: 6, Seed: 7},
	} {
		r := users()
		r.Load, r.Data.Columns = p, []string{"prompt=text_input"}
		dir, _ := written(t, r)
		text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := endpoints.ReadConfig(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		flags := strings.Join(got.Flags, " ")
		for _, part := range []string{want, "--requests 6", "--seed 7", "--model m/tiny", "--data own.jsonl", "--warmup 8",
			"--column prompt=text_input",
			"--grace 30s", "--body temperature=0.5", "--body max_completion_tokens=64", "--stream on"} {
			if !strings.Contains(flags, part) {
				t.Errorf("%q is not in %s", part, flags)
			}
		}
	}
}

func TestIsEndpoints(t *testing.T) {
	for text, want := range map[string]bool{small: true, "bench:\n- url: x\n": false, "": false, "a: [": false} {
		if got := endpoints.IsConfig([]byte(text)); got != want {
			t.Errorf("%v, want %v, of\n%s", got, want, text)
		}
	}
}

func FuzzReadEndpoints(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("datasets: [{parser: {prompt: 1}}, 3]\nsettings: 4\nendpoint_config: {endpoints: {a: b}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := endpoints.ReadConfig(text)
		if err == nil && (got.Address == "" || !got.IsReplay && !slices.Contains(got.Flags, "--model")) {
			t.Errorf("%+v", got)
		}
	})
}

// TestReadEndpointsOfReplays: a configuration of recorded conversations is one of harness run, with its seeds and
// times; what a replay cannot do is told at once.
func TestReadEndpointsOfReplays(t *testing.T) {
	text := `name: edge
type: online
model_params: {name: m/tiny, temperature: 0.0, seed: 42, max_new_tokens: 1024, streaming: "on", top_p: 0.9}
datasets:
- name: agentic_coding
  type: performance
  path: own.jsonl
  accuracy_config: {eval_method: agentic_inference_inline, num_repeats: 1}
  agentic_inference: {turn_timeout_s: 600.0, enable_salt: false, inject_tool_delay: false,
    num_trajectories_to_issue: 20, routing_headers: [X-Session-ID]}
- {name: "bfcl_v4::function_calling", type: accuracy}
settings:
  runtime: {min_duration_ms: 600000, max_duration_ms: 14400000, scheduler_random_seed: 16159082839903944936,
    dataloader_random_seed: 2747215439041700203}
  load_pattern: {type: agentic_inference, target_concurrency: 1}
  client: {num_workers: 1, max_connections: 1}
endpoint_config: {endpoints: ["http://a:1"], api_key: "${KEY}"}
report_dir: out
`
	got, err := endpoints.ReadConfig([]byte(text))
	if err != nil || !got.IsReplay {
		t.Fatalf("%+v, %v", got, err)
	}
	want := "--backend openai --backend-opt url=http://a:1 --backend-opt key_env=KEY --backend-opt model=m/tiny " +
		"--backend-opt body.top_p=0.9 --dataset own.jsonl --mode performance --set min_duration=600000 " +
		"--set max_duration=14400000 " +
		"--set schedule_rng_seed=16159082839903944936 --set sample_index_rng_seed=2747215439041700203 --out out"
	if flags := strings.Join(got.Flags, " "); flags != want {
		t.Errorf("%s\nwant\n%s", flags, want)
	}
	if p := fmt.Sprint(got.Params); p != "[{temperature 0} {seed 42} {max_new_tokens 1024} {turn_timeout_s 600}]" {
		t.Error(p)
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "datasets[1]: it has no path, and is not asked") ||
		!strings.Contains(notes, "20 of them are wanted") {
		t.Errorf("%s", notes)
	}
	both := strings.Replace(text, "type: accuracy}", "type: accuracy, path: questions}", 1)
	if got, err := endpoints.ReadConfig([]byte(both)); err != nil ||
		!strings.Contains(strings.Join(got.Flags, " "), "--accuracy-dataset questions --mode submission") {
		t.Errorf("%+v, %v", got, err)
	}
	for old, by := range map[string]string{
		"enable_salt: false": "enable_salt: true", "inject_tool_delay: false": "inject_tool_delay: true",
		"target_concurrency: 1": "target_concurrency: 2", "[X-Session-ID]": "[X-Other]", `"on"`: `"off"`,
		"max_duration_ms: 14400000": "max_duration_ms: 5", "num_workers: 1": "num_workers: 2", "  path: own.jsonl\n": "",
		"scheduler_random_seed: 1": "scheduler_random_seed: -1", "report_dir": "report_dirs",
	} {
		_, err := endpoints.ReadConfig([]byte(strings.Replace(text, old, by, 1)))
		if err == nil {
			t.Errorf("%q is taken in place of %q", by, old)
		}
	}
}
