package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestMain(m *testing.M) {
	if os.Getenv("LOADGEN_ONLY_RUN_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The program, as a user runs it, prints a summary with a verdict for each scenario.
func TestProgramPrintsTheSummaries(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOADGEN_ONLY_RUN_MAIN=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range []string{"SUT name : doubler", "Scenario : SingleStream", "Scenario : Server", "Result is : ",
		"No errors encountered during test."} {
		if !bytes.Contains(out, []byte(line)) || bytes.Contains(out, []byte("ERROR")) {
			t.Errorf("the summaries lack %q:\n%s", line, out)
		}
	}
}

func TestDoublerKeepsTheContract(t *testing.T) {
	loadgentest.RunSuite(t, doubler{}, doubler{}, loadgentest.SuiteOptions{ServerQPS: 1e5})
}

func TestProgramIsShort(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n >= 40 {
		t.Errorf("main.go has %d lines: an own SUT takes less than 40", n)
	}
}
