package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestMain(m *testing.M) {
	if os.Getenv("LOADGEN_TOKENS_RUN_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The program, as a user runs it, prints the summary and what it says of tokens.
func TestProgramPrintsTokenLatencies(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOADGEN_TOKENS_RUN_MAIN=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range []string{"SUT name : speller", "TTFT Early Stopping Result:", "TPOT Early Stopping Result:",
		"Completed tokens per second",
		"No errors encountered during test.", "99th percentile of the time to the first token"} {
		if !bytes.Contains(out, []byte(line)) {
			t.Errorf("%q is missing in:\n%s", line, out)
		}
	}
}

var few = loadgentest.QSL{Total: 30}

func TestSpellerKeepsTheContract(t *testing.T) {
	loadgentest.RunSuite(t, speller{}, few, loadgentest.SuiteOptions{ServerQPS: 1000, Tokens: true})
}

func TestTokensAreMeasured(t *testing.T) {
	s := testSettings()
	s.MinDuration, s.MinQueryCount = 0, 20
	r, err := loadgen.StartTest(t.Context(), speller{}, few, s, loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Tokens.Count; n != 3*r.SampleCount || r.Tokens.TTFT.Latency.Min < firstToken ||
		r.Tokens.TPOT.Latency.Min < nextToken {
		t.Errorf("%d tokens of %d samples, the first after %v, the next after %v", n, r.SampleCount,
			r.Tokens.TTFT.Latency.Min, r.Tokens.TPOT.Latency.Min)
	}
}
