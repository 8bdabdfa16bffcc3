package workspace_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	s.Want(0, s.Run(run...), "a rehearsal by this program's own client", "meta/none, is not a file here",
		"note: client.performance_set: performance.jsonl has 4 samples, and the official set of llama3_1-8b has 13368",
		"r1: 1 users, at least 5 super-passes",
		"r40: done, ", s.Out()+": 7 of 7 points")
	s.Want(0, s.Run(run...), "r1 is there, and not measured again", "7 of 7 points")
	s.Want(2, s.Run("submission", "run", file, "--rehearsal", "--out", s.Out()), "its shorten is 100000, not 1")
	s.Want(0, s.Run("submission", "run", file, "--dry-run"), "high_concurrency")
	for want, args := range map[string][]string{
		"only the official client's runs can be submitted": {file},
		"--scenario does not go with a plan of a curve":    {file, "--rehearsal", "--scenario", "Offline"},
		"want one plan, found 2 arguments":                 {file, file, "--rehearsal"},
		"--shorten is 0.5, want at least 1":                {file, "--rehearsal", "--shorten", "0.5"},
		"--client official needs --client-python":          {file, "--client", "official"},
		"--client is \"mine\", want official or plumbline": {file, "--client", "mine"},
		"--rehearsal and --shorten are of this program's own": {file, "--client", "official", "--client-python", "x",
			"--rehearsal"},
		"--client-python goes with --client official":      {file, "--rehearsal", "--client-python", "x"},
		"client.tokenizer, by which the tokens":            {file, "--client", "official", "--client-python", "x"},
		"--shorten goes with a plan of a curve":            {"resnet50", "--rehearsal", "--shorten", "5"},
		"kimi-k3 is agentic: this program's own client":    {agentic(t, s), "--rehearsal"},
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
