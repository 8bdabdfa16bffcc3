package serving_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// quick are flags of a point that is over soon.
func quick(more ...string) []string {
	return append(strings.Fields("--isl 8 --osl 4 --requests 20 --warmup 2 --window all --quiet"), more...)
}

// bench runs harness bench in the shell's folder.
func bench(s *clitest.Shell, url string, more ...string) int {
	s.T.Helper()
	return s.Run(append(append([]string{"bench", url}, quick()...), more...)...)
}

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readSweep(t *testing.T, dir string) *sweepfile.Sweep {
	t.Helper()
	f, err := sweepfile.Read(filepath.Join(dir, sweepfile.Name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBench measures one point, and looks at all that it leaves.
func TestBench(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.Want(0, bench(s, url, "--concurrency", "4", "--label", "mine", "--note", "a remark"), "mock at "+url+"/v1 (vllm",
		"8 in, 4 out, seed 1", "USERS", "FAILED", "no LoadGen scenario: closed loop. 4 users wait for answers",
		filepath.Join("bench-1", "index.html"))
	f := readSweep(t, "bench-1")
	if len(f.Points) != 1 || !f.Complete || f.Label != "mine" || f.ExitCode != 0 {
		t.Fatalf("%+v", f)
	}
	d, err := record.Read(filepath.Join("bench-1", "users-4", record.FileName))
	if err != nil || len(d.Runs) != 1 {
		t.Fatal(err)
	}
	r := d.Runs[0]
	if p := r.Serving; p == nil || p.Load.Value != 4 || p.Figures.FailedTotal() != 0 || p.Ended != "requests" ||
		p.Client == nil || p.Stationarity == nil || r.Status != record.Complete || r.Model != "mock" ||
		r.Stated.Note != "a remark" || r.System.CPU == "" || len(r.Command) < 5 {
		t.Errorf("%+v", r)
	}
	lines, err := os.Open(filepath.Join("bench-1", "users-4", requests.JSONLName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lines.Close() }() // opened for reading
	all, err := requests.Read(lines)
	if err != nil {
		t.Fatal(err)
	}
	counted, warm := 0, 0
	for i := range all {
		m := metrics.MeasureRequest(&all[i], metrics.FigureRules{})
		if m.WarmUp {
			warm++
		} else if counted++; m.Found != metrics.OK || m.Out != 4 || m.First < m.Sent || m.Last > m.End {
			t.Errorf("%+v", m)
		}
	}
	if counted != 20 || warm != 2 {
		t.Errorf("%d requests and %d before, want 20 and 2", counted, warm)
	}
	for _, name := range []string{requests.ParquetName, requests.GapsName} {
		if file(t, filepath.Join("bench-1", "users-4", name)) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	curve, err := os.Open(filepath.Join("bench-1", sweepfile.CSVName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = curve.Close() }()
	if rows, err := sweepfile.ReadCSV(curve); err != nil || len(rows) != 1 || rows[0].Value != 4 {
		t.Errorf("%+v, %v", rows, err)
	}
	if text := file(t, filepath.Join("bench-1", "index.html")); !strings.Contains(text, "4 users") {
		t.Errorf("the page does not show the point:\n%s", text)
	}
	s.Want(0, s.Run("report", "bench-1", "--text"), "4 users")
	s.Want(0, bench(s, url, "--max", "--json"), `"schema": "plumbline.serving"`, `"by": "maximum"`)
	if _, err := os.Stat(filepath.Join("bench-2", "maximum", record.FileName)); err != nil {
		t.Error(err)
	}
}

// TestLoads: every kind of load can be asked for from the command line.
func TestLoads(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.File("own.jsonl", `{"prompt": "a", "timestamp": 0, "output_length": 3}
{"prompt": "b", "timestamp": 1, "output_length": 3}
`)
	for _, c := range []struct{ flags, folder, says string }{
		{"--rate 500", "rate-500", "500/s"},
		{"--rate 500 --arrival constant", "rate-500", "no LoadGen scenario: constant arrivals"},
		{"--rate 500 --arrival gamma --burstiness 0.5", "rate-500", "gamma arrivals"},
		{"--rate 500 --concurrency 2", "rate-500", "at most 2 under way"},
		{"--rate 500 --ramp 100:10ms", "rate-500", "a rate with a ramp"},
		{"--stages 500:10ms,1000:10ms", "rate", "rates in stages"},
		{"--concurrency 2 --think 1ms", "users-2", "closed loop"},
		{"--concurrency 1", "users-1", "One user waits for answers"},
		{"--concurrency 2 --window all --stream off --api completions --vocabulary 100..999", "users-2", "completions"},
		{"--max", "maximum", "maximum"},
		{"--data own.jsonl --replay --speed 10", "replay", "replay of a trace"},
		{"--data own.jsonl --concurrency 2 --api chat --header x-team=blue --body temperature=0.5", "users-2", "own.jsonl"},
	} {
		args := strings.Fields("--osl 4 --requests 20 --warmup 0 --quiet --out out --force " + c.flags)
		if strings.Contains(c.flags, "--data") {
			args = args[2:]
		} else {
			args = append(args, "--isl", "8")
		}
		if s.Want(0, s.Run(append([]string{"bench", url}, args...)...), c.says); t.Failed() {
			t.Fatal(c.flags)
		}
		if got := readSweep(t, "out").Points; len(got) != 1 || got[0].Dir != c.folder || got[0].Serving.Figures.OK == 0 {
			t.Errorf("%s: %d points, want one in %s: %+v", c.flags, len(got), c.folder, got)
		}
	}
}

// TestLoadGen: LoadGen sends, judges and logs.
func TestLoadGen(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	for _, c := range []struct{ flags, folder, scenario string }{
		{"--rate 500", "rate-500", "Server"}, {"--max", "maximum", "Offline"}, {"--concurrency 1", "users-1", "SingleStream"},
	} {
		s.Want(0, bench(s, url, append(strings.Fields(c.flags), "--loadgen", "--out", c.scenario)...), "LoadGen, "+c.scenario)
		d, err := record.Read(filepath.Join(c.scenario, c.folder, record.FileName))
		if err != nil || len(d.Runs) != 1 {
			t.Fatalf("%d runs, error %v", len(d.Runs), err)
		}
		s.Want(0, s.Run("report", c.scenario, "--text"))
		if said := s.Stdout.String(); strings.Contains(said, "31536000000") ||
			c.scenario == "Server" && !strings.Contains(said, "no limit") {
			t.Errorf("a limit that nobody set:\n%s", said)
		}
		r := d.Runs[0]
		if r.Performance == nil || r.Scenario != c.scenario || r.Serving.Figures.OK != 20 || r.Serving.Label != "" {
			t.Errorf("%s: %+v", c.flags, r)
		}
		for _, name := range []string{"mlperf_log_summary.txt", "mlperf_log_detail.txt", "series.json"} {
			if file(t, filepath.Join(c.scenario, c.folder, name)) == "" {
				t.Errorf("%s: %s is empty", c.flags, name)
			}
		}
	}
	s.Want(2, bench(s, url, "--concurrency", "4", "--loadgen"), "--loadgen: no LoadGen scenario: closed loop")
	s.Want(2, bench(s, url, "--rate", "4", "--loadgen", "--retry", "1"), "--loadgen and --retry 1")
}

// TestAlso writes what vLLM and endpoints would, too, and measures by the configuration that it wrote.
func TestAlso(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.Want(0, bench(s, url, "--concurrency", "2", "--also", "vllm"))
	s.File("own.jsonl", "{\"question\": \"What is 2+2?\"}\n")
	s.Want(0, s.Run("bench", url, "--data", "own.jsonl", "--column", "prompt=question", "--osl", "4", "--requests", "8",
		"--concurrency", "2", "--quiet", "--also", "endpoints", "--out", "written"))
	s.Want(0, s.Run("bench", filepath.Join("written", "users-2", "config.yaml"), "--quiet", "--out", "again"), "2  ")
	if text := file(t, filepath.Join("written", "users-2", "config.yaml")); !strings.Contains(text, "temperature: 0") ||
		!strings.Contains(text, "max_new_tokens: 4") {
		t.Errorf("no temperature, or not the most tokens:\n%s", text)
	}
	var summary struct {
		Reasons map[string]int `json:"finish_reason_counts"`
	}
	text := file(t, filepath.Join("written", "users-2", "performance", "result_summary.json"))
	if err := json.Unmarshal([]byte(text), &summary); err != nil || summary.Reasons["length"] != 8 {
		t.Errorf("%v, %v, want 8 of length", summary.Reasons, err)
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(file(t, filepath.Join("bench-1", "users-2", "vllm.json"))), &doc); err != nil ||
		doc["completed"] != 20.0 {
		t.Errorf("%v, %v", doc["completed"], err)
	}
	s.Want(2, bench(s, url, "--also", "vlm"), `did you mean "vllm"`)
}

// TestSecretsOfBench: keys and headers are in nothing that is written or printed.
func TestSecretsOfBench(t *testing.T) {
	url := serve(t, openaitest.Options{Key: "sesame-default", IDs: true, Owner: "vllm"})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.Env["OPENAI_API_KEY"], s.Env["SALT"] = "sesame-default", "sesame-salt"
	s.Want(0, bench(s, url, "--concurrency", "2", "--header", "x-team=sesame-header", "--backend-secret",
		"body.metadata=env:SALT", "--body", `api_key="sesame-body"`))
	s.WantHidden([]string{"sesame-default", "sesame-header", "sesame-salt", "sesame-body"}, "bench-1")
	s.Want(2, bench(s, url, "--body", "api_key=sesame-body", "--header", "x-team"), "--body")
	s.WantHidden([]string{"sesame-body"})
	if text := file(t, filepath.Join("bench-1", sweepfile.Name)); !strings.Contains(text, "x-team=(secret)") {
		t.Errorf("%s", text)
	}
}

// TestConfigOfEndpoints takes over a configuration of mlcommons/endpoints; flags beside it win.
func TestConfigOfEndpoints(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.File("own.jsonl", "{\"prompt\": \"one\"}\n{\"prompt\": \"two\"}\n")
	s.File("config.yaml", `type: online
model_params: {name: mock, max_new_tokens: 4}
datasets: [{path: own.jsonl}]
settings:
  load_pattern: {type: concurrency, target_concurrency: 32}
endpoint_config: {endpoints: ["`+url+`"]}
`)
	s.Want(0, s.Run("bench", "config.yaml", "--concurrency", "2", "--requests", "20", "--duration", "10m", "--quiet"),
		"own.jsonl", "USERS")
	f := readSweep(t, "bench-1")
	if len(f.Points) != 1 || f.Points[0].Dir != "users-2" || f.Asked.Data != "own.jsonl" ||
		f.Points[0].Serving.Figures.OK == 0 || f.Asked.Seed != 42 {
		t.Errorf("%+v", f)
	}
	s.Want(0, s.Run("bench", "config.yaml", "--rate", "500", "--requests", "20", "--quiet"), "RATE")
	if f = readSweep(t, "bench-2"); len(f.Points) != 1 || f.Points[0].Dir != "rate-500" ||
		f.Points[0].Serving.Load.Cap != 0 || strings.Contains(strings.Join(f.Flags, " "), "--duration") {
		t.Errorf("the load of the file counts beside the one that was given: %q, %+v", f.Flags, f.Points[0].Serving.Load)
	}
	s.File("other.yaml", "model: m\n")
	s.Want(2, s.Run("bench", "other.yaml"), "neither a configuration of mlcommons/endpoints", "nor a suite")
	s.Want(2, s.Run("bench", "none.yaml"), "none.yaml")
	s.File("bomb.yaml", "a: &a {x: 1}\n"+strings.Repeat("a: &a {<<: [*a, *a]}\n", 40))
	s.Want(2, s.Run("bench", "bomb.yaml", "--dry-run"), "bomb.yaml: ")
}
