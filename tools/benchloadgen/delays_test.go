package main

import (
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestIssueDelays(t *testing.T) {
	dir := t.TempDir()
	s := workload{scenario: loadgen.Server}.newSettings(100)
	s.ServerTargetQPS = 1e4
	r, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, sampleLibrary, s,
		loadgen.LogSettings{OutDir: dir, EnableTrace: true})
	if err != nil {
		t.Fatal(err)
	}
	delays, err := readDelays(dir)
	if err != nil || len(delays) != 100 {
		t.Fatalf("%d delays, %v", len(delays), err)
	}
	if got, want := percentileMicros(delays, 0.5), float64(r.IssueDelay.Percentiles[0].Latency)/1e3; got != want {
		t.Errorf("p50 %v us, want %v", got, want)
	}
	if _, err := readDelays(t.TempDir()); err == nil {
		t.Error("no error without a trace log")
	}
}
