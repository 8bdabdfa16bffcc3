package workspace_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestRunPlan: a plan that is filled in is run point after point, and not again.
func TestRunPlan(t *testing.T) {
	server := httptest.NewServer(openaitest.New(openaitest.Options{Owner: "vllm", IDs: true}))
	defer server.Close()
	s := clitest.New(t)
	var set strings.Builder
	for i := range 4 {
		fmt.Fprintf(&set, `{"prompt":"question %d","output_tokens":4}`+"\n", i)
	}
	file, data := filepath.Join(s.Dir, "plan.yaml"), s.File("performance.jsonl", set.String())
	s.Want(0, s.Run("submission", "plan", "--model", "llama3_1-8b", "--c-max", "40", "--offline", "elected", "--out",
		file), "r40")
	run := []string{"submission", "run", file, "--rehearsal", "--shorten", "100000", "--out", s.Out()}
	s.Want(2, s.Run(run...), "fill in client.endpoint, client.performance_set of the plan")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer("http://SERVER:PORT", server.URL, "tokenizer: TOKENIZER",
		"tokenizer: meta/none\n  performance_set: "+data).Replace(string(text))
	if err := os.WriteFile(file, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run(run...), "a rehearsal: no check accepts these runs", "meta/none, is not a file here",
		"note: client.performance_set: performance.jsonl has 4 samples, and the official set of llama3_1-8b has 13368",
		"r1: 1 users, at least 5 super-passes", "r1: no accuracy run: client.accuracy_set of the plan: row 1 has no truth",
		"r40: done, ", s.Out()+": 7 of 7 points")
	s.Want(0, s.Run(run...), "r1 is there, and not measured again, but for its accuracy run", "7 of 7 points")
	s.Want(2, s.Run("submission", "run", file, "--rehearsal", "--out", s.Out()), "its shorten is 100000, not 1")
	s.Want(0, s.Run("submission", "run", file, "--dry-run"), "high_concurrency",
		"performance.jsonl has 4 samples", "note: client.accuracy_set: row 1 has no truth: want a column ground_truth or "+
			"highlights: accuracy runs are left out")
	for want, args := range map[string][]string{
		"only the official client's runs can be submitted": {file},
		"--scenario does not go with a plan of a curve":    {file, "--rehearsal", "--scenario", "Offline"},
		"want one plan, found 2 arguments":                 {file, file, "--rehearsal"},
		"--shorten is 0.5, want at least 1":                {file, "--rehearsal", "--shorten", "0.5"},
		"--client official needs --client-python":          {file, "--client", "official"},
		"--client is \"mine\", want official or plumbline": {file, "--client", "mine"},
		"--shorten is for a trial: add --rehearsal": {file, "--client", "official", "--client-python", "x",
			"--shorten", "2"},
		"--client-python goes with --client official":      {file, "--rehearsal", "--client-python", "x"},
		"client.tokenizer, by which the tokens":            {file, "--client", "official", "--client-python", "x"},
		"--shorten goes with a plan of a curve":            {"resnet50", "--rehearsal", "--shorten", "5"},
		"fill in client.endpoint, client.performance_set":  {agentic(t, s), "--rehearsal"},
		"the target cohort is \"2030-01-C0\", want one in": {s.File("late.yaml", cohort(filled)), "--rehearsal"},
		"points: want a list":                              {s.File("odd.yaml", "points: 7\n"), "--rehearsal"},
	} {
		s.Want(2, s.Run(append([]string{"submission", "run"}, args...)...), want)
	}
}

func cohort(plan string) string {
	return strings.Replace(plan, "target_cohort: 2026-12-C0", "target_cohort: 2030-01-C0", 1)
}

// agentic is a plan of an agentic model.
func agentic(t *testing.T, s *clitest.Shell) string {
	t.Helper()
	file := filepath.Join(s.Dir, "agentic.yaml")
	s.Want(0, s.Run("submission", "plan", "--model", "kimi-k3", "--c-max", "64", "--out", file))
	return file
}

// TestRunPlanAccuracy: the accuracy run of a point follows its performance run, with the benchmark's parameters.
func TestRunPlanAccuracy(t *testing.T) {
	var fields atomic.Pointer[string]
	mock := openaitest.New(openaitest.Options{Owner: "vllm", Step: time.Millisecond,
		Reply: func(ask *openaitest.Request) *openaitest.Reply {
			_, story, _ := strings.Cut(string(ask.Messages), "Article:\\n")
			story, _, _ = strings.Cut(story, ".")
			return &openaitest.Reply{Text: story + ". It rained."}
		}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			text := string(body)
			fields.Store(&text)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		mock.ServeHTTP(w, r)
	}))
	defer server.Close()
	s := clitest.New(t)
	var set strings.Builder
	for i := range 4 {
		fmt.Fprintf(&set, `{"article":"Story %d. Much more.","highlights":"Story %d. It rained."}`+"\n", i, i)
	}
	file := filepath.Join(s.Dir, "plan.yaml")
	s.Want(0, s.Run("submission", "plan", "--model", "llama3_1-8b", "--c-max", "40", "--offline", "elected", "--out",
		file), "r40")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer("http://SERVER:PORT", server.URL, "tokenizer: TOKENIZER",
		"tokenizer: none\n  performance_set: "+s.File("set.jsonl", set.String())).Replace(string(text))
	if err := os.WriteFile(file, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	said := s.Run("submission", "run", file, "--rehearsal", "--shorten", "100000", "--out", s.Out())
	s.Want(0, said, "note: client.accuracy_set: set.jsonl makes 4 requests, and the official accuracy run of llama3_1-8b "+
		"13368", "r1: accuracy: cnn_dailymail::llama3_8b: 4 answers in ", "rouge1 100.0, rouge2 100.0, rougeL 100.0",
		"r40: accuracy: ")
	for _, want := range []string{`"temperature":0.0`, `"top_p":1.0`, `"max_tokens":128`} {
		if body := *fields.Load(); !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	scores, err := os.ReadFile(filepath.Join(s.Out(), "r1", "accuracy", "accuracy_results.json"))
	if err != nil || !strings.Contains(string(scores), `"gen_num": 4`) {
		t.Errorf("%s, %v", scores, err)
	}
	s.Want(0, s.Run("submission", "run", file, "--rehearsal", "--shorten", "100000", "--out", s.Out()),
		"r40 is there, and not measured again\n")
}
