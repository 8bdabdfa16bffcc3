package curves_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestPlan: a plan is made, edited, checked, and becomes the client's configurations.
func TestPlan(t *testing.T) {
	s := clitest.New(t)
	file, configs := filepath.Join(s.Dir, "plan.yaml"), filepath.Join(s.Dir, "configs")
	s.Want(0, s.Run("submission", "plan", "--model", "gpt-oss-120b", "--c-max", "512", "--out", file),
		"scheduler_rng_seed 10487924139932647040", "for the cohort 2026-12-C0", "ultra_low_concurrency  1 to 32",
		"12 min 30 s  42.6/s  yes", "Offline: all samples", "At least 2 h 5 min in all", "r1 takes 8 h 53 min of that")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("submission", "plan", "--check", file), "At least 2 h 5 min in all")
	s.Want(2, s.Run("submission", "plan", "--model", "kimi-k3", "--c-max", "64", "--out", file), "is there already")
	edit := func(from, to string) string {
		t.Helper()
		if !strings.Contains(string(text), from) {
			t.Fatalf("%q is not in the plan", from)
		}
		return s.File("edited.yaml", strings.Replace(string(text), from, to, 1))
	}
	for _, c := range []struct {
		code           int
		from, to, want string
	}{
		{3, "concurrency: 241", "concurrency: 565", "error: r565: the concurrency is out of range, want 1 to 564\n"},
		{3, "concurrency: 4\n", "concurrency: 12\n", "error: no point lies in low_concurrency: want one of 2 to 9\n"},
		{3, "model: gpt-oss-120b", "model: GPT-OSS-120B", `error: the model is "GPT-OSS-120B", write gpt-oss-120b`},
		{3, "region: low_latency", "region: low_latency\n  offline: elected",
			"error: 2 points are Offline, want one: r1, r6396"},
		{3, "target_cohort: 2026-12-C0", "target_cohort: 2026-12-C1",
			`error: the target cohort is "2026-12-C1", want one in`},
		{0, "passes: 5", "passes: 4", "warning: r1: 4 passes make no steady window"},
		{0, "passes: 5", "passes: 9", "At least 2 h 3 min 45 s in all"},
		{2, "passes: 5", "passes: some", `points.0.passes: want a whole number from 1 to 10000, found "some"`},
		{2, "passes: 5", "passses: 5", "points.0.passses: no such key"},
	} {
		s.Want(c.code, s.Run("submission", "plan", edit(c.from, c.to)), c.want)
	}
	s.Want(0, s.Run("submission", "plan", file, "--client-configs", configs),
		"fill in client.endpoint, client.tokenizer, client.performance_set of the plan")
	s.Want(2, s.Run("submission", "plan", file, "--client-configs", configs), "r1.yaml is there already")
	filled := edit("http://SERVER:PORT", "http://127.0.0.1:8000")
	s.Want(0, s.Run("submission", "plan", filled, "--client-configs", configs+"2"), "client.performance_set")
	config, err := os.ReadFile(filepath.Join(configs+"2", "r512.yaml"))
	if err != nil || !strings.Contains(string(config), "- \"http://127.0.0.1:8000\"\n") {
		t.Errorf("%v\n%s", err, config)
	}
	if all, _ := filepath.Glob(filepath.Join(configs, "*")); len(all) != 8 {
		t.Errorf("the configurations are %v", all)
	}
}

// TestPlanRefuses: command lines that make no plan.
func TestPlanRefuses(t *testing.T) {
	s := clitest.New(t)
	for want, args := range map[string][]string{
		"want --model, or the file of a plan":           {},
		"want --c-max, a server's address, or":          {"--model", "kimi-k3"},
		"C_max is 16, want more than 32":                {"--model", "kimi-k3", "--c-max", "16"},
		"--c-min is 0, want at least 1":                 {"--model", "kimi-k3", "--c-max", "64", "--c-min", "0"},
		"--points is -3, want at least 1":               {"--model", "kimi-k3", "--c-max", "64", "--points", "-3"},
		"40 points, want 7 to 32":                       {"--model", "kimi-k3", "--c-max", "64", "--points", "40"},
		"write llama3_1-8b":                             {"--model", "llama3.1-8b", "--c-max", "64"},
		"needs --model":                                 {"http://127.0.0.1:1"},
		"--probe is 0s, want more than 0":               {"http://127.0.0.1:1", "--model", "kimi-k3", "--probe", "0s"},
		"--model does not go with a plan that is there": {"plan.yaml", "--model", "kimi-k3"},
		"--out does not go with a plan that is there":   {"--check", "plan.yaml", "--out", "x"},
		"want one plan: --check or an argument":         {"plan.yaml", "--check", "plan.yaml"},
		"want one plan, found 2 arguments":              {"a.yaml", "b.yaml"},
		"no such file":                                  {filepath.Join(s.Dir, "none.yaml")},
		"the file is empty":                             {s.File("empty.yaml", "")},
		"is not a regular file":                         {s.Dir},
		`offline is "none", want dedicated or elected`:  {"--model", "deepseek-r1", "--c-max", "64", "--offline", "none"},
		"fewer than C_max, 5000: want elected": {"--model", "deepseek-r1", "--c-max", "5000",
			"--offline", "dedicated"},
		`the target cohort is "2026-09-C1", want one in`: {"--model", "kimi-k3", "--c-max", "64", "--cohort", "2026-09-C1"},
		"is agentic: its curve has no Offline point":     {"--model", "kimi-k3", "--c-max", "64", "--offline", "elected"},
		"too near to C_min, 32: no concurrency is left":  {"--model", "kimi-k3", "--c-max", "33", "--c-min", "32"},
	} {
		s.Want(2, s.Run(append([]string{"submission", "plan"}, args...)...), want)
	}
}

// TestPlanOfAServer: C_max is found by asking the server, whose address the plan has.
func TestPlanOfAServer(t *testing.T) {
	server := httptest.NewServer(openaitest.New(openaitest.Options{Owner: "vllm", IDs: true, Slots: 8,
		First: time.Millisecond}))
	defer server.Close()
	s := clitest.New(t)
	file := filepath.Join(s.Dir, "plan.yaml")
	s.Want(0, s.Run("submission", "plan", server.URL, "--model", "gpt-oss-120b", "--probe", "50ms", "--out", file),
		"33 users: ", "C_max ", "med_concurrency")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "endpoint: "+server.URL+"\n") {
		t.Errorf("%v\n%s", err, text)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s.Want(6, s.Run("submission", "plan", gone.URL, "--model", "gpt-oss-120b"), "nothing listens at")
}
