package serving_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// TestNoGoodAnswer: a measurement without one good answer ends with code 5, however few requests it has, whichever way
// it was asked for, and each time that it is looked at again.
func TestNoGoodAnswer(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	for _, c := range []struct {
		kind, flags string
		fault       openaitest.Fault
	}{
		{"http_500", "--concurrency 1 --requests 3", openaitest.Fault{Status: 500}},
		{"http_429", "--concurrency 1,2 --requests 12", openaitest.Fault{Status: 429}},
		{"cut", "--rate 500 --requests 19", openaitest.Fault{Cut: true, After: 1}},
		{"empty", "--max --requests 5", openaitest.Fault{Empty: true}},
		{"error", "--concurrency 2 --requests 5 --window steady", openaitest.Fault{Error: "out of memory"}},
		{"error", "--stages 500:10ms --requests 2", openaitest.Fault{Event: "{broken"}},
		{"http_503", "--rate 1,2 --requests 2 --warmup 0 --retry 1", openaitest.Fault{Status: 503}},
	} {
		url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, Fault: func(int64) openaitest.Fault { return c.fault }})
		code := bench(s, url, append(strings.Fields(c.flags), "--out", "out", "--force", "--fail-if", "ttft.p99 > 1s",
			"--fail-if", "tokens_per_second < 1", "--fail-if", "failed > 1%",
			"--junit", "junit.xml", "--markdown", "summary.md")...)
		s.Want(5, code, "the server fails", c.kind, "no good answer", "has no value", "failed: failed > 1%",
			"the first request failed")
		testfile.RequireText(t, `<testsuite name="fail-if" tests="3" failures="3"`, "junit.xml")
		testfile.RequireText(t, "### Points\n\n| ", "summary.md")
		f := readSweep(t, "out")
		if f.ExitCode != 5 || f.Outcome == "VALID" || f.Points[0].Verdict != "FAILED" || f.Best != nil || len(f.Holds) > 0 {
			t.Errorf("%s: code %d, %s, %s", c.flags, f.ExitCode, f.Outcome, f.Points[0].Verdict)
		}
	}
	url := serve(t, openaitest.Options{Fault: func(int64) openaitest.Fault { return openaitest.Fault{Status: 500} }})
	for range 2 { // the second time the point is there
		s.Want(5, bench(s, url, "--concurrency", "2", "--requests", "6", "--out", "again"), "the server fails at 2 users")
	}
	s.Want(2, bench(s, url, "--concurrency", "2", "--requests", "6", "--out", "again", "--fail-if", "ttft.p98 > 1s"),
		`unknown metric "ttft.p98"`)
	s.Want(5, bench(s, url, "--requests", "6", "--find", "concurrency", "--slo", "p99 ttft < 1s", "--out", "found"))
	s.File("config.yaml", `type: online
model_params: {name: mock, max_new_tokens: 4}
datasets: [{path: own.jsonl}]
settings:
  load_pattern: {type: concurrency, target_concurrency: 2}
endpoint_config: {endpoints: ["`+url+`"]}
`)
	s.File("own.jsonl", "{\"prompt\": \"one\"}\n{\"prompt\": \"two\"}\n")
	s.Want(5, s.Run("bench", "config.yaml", "--requests", "6", "--quiet", "--out", "configured"), "the server fails")
	write(t, "mix.yaml", "defaults: {isl: 8, osl: 4, requests: 6, warmup: 0}\nruns:\n- {bench: "+url+", concurrency: 2}\n")
	for range 2 {
		s.Want(5, s.Run("run", "mix.yaml", "--quiet", "--fail-if", "ttft.p50 > 9s"))
	}
}

// TestMergedFailures: the shares of a server that answers nothing come to a measurement that failed.
func TestMergedFailures(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	dirs := shares(t, url, 2, "--concurrency", "2", "--requests", "6")
	s := clitest.New(t)
	t.Chdir(s.Dir)
	for _, dir := range dirs { // as if the server had refused each
		path := filepath.Join(dir, "users-2", "requests.jsonl")
		text := strings.ReplaceAll(file(t, path), `"status":"ok"`, `"status":"refused"`)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Want(6, s.Run("bench", "merge", dirs[0], dirs[1]), "users-2/requests.jsonl has ", "and had ")
	for _, dir := range dirs { // as if they were written so
		f := readSweep(t, dir)
		f.Points[0].Files = nil
		if err := f.Write(filepath.Join(dir, sweepfile.Name)); err != nil {
			t.Fatal(err)
		}
	}
	s.Want(5, s.Run("bench", "merge", dirs[0], dirs[1], "--fail-if", "ttft.p50 > 9s"), "the server fails", "has no value")
	if f := readSweep(t, "bench-1"); f.ExitCode != 5 || f.Points[0].Verdict != "FAILED" {
		t.Errorf("code %d, %s", f.ExitCode, f.Points[0].Verdict)
	}
}
