package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// timedRun is a performance run with a result and a 99th percentile of 12.5 ms.
func timedRun(model, scenario, verdict, unit string, value float64) results.FoundRun {
	return results.FoundRun{Run: record.Run{
		Model: model, Scenario: scenario, Mode: "performance", Status: record.Complete, Verdict: verdict,
		Performance: &record.Performance{
			Metric:  record.Figure{Name: "result", Unit: unit, Value: figure.Number(value), Rounded: figure.Round(value)},
			Queries: 1, Latency: record.Latency{Count: 100, Percentiles: []record.Percentile{{P: 0.99, NS: 12_500_000}}},
		},
	}}
}

// machineSet are runs of three benchmarks: a good one, one on a stand-in, and one with an INVALID run.
func machineSet() results.Set {
	late := timedRun("late", "Server", "INVALID", "samples/s", 50)
	late.Reasons = []record.Reason{{Rule: "latency", Measured: "p99 14 ms", Needed: "10 ms"}}
	again := late
	again.Scenario = "Offline"
	return results.Set{
		Runs: []results.FoundRun{
			timedRun("good", "Offline", "VALID", "samples/s", 100), timedRun("good", "SingleStream", "VALID", "ms", 4),
			timedRun("made", "Offline", "VALID", "samples/s", 10), late, again,
		},
		Benchmarks: []record.Benchmark{
			{Name: "made", Models: []string{"made"}, StandIn: "random weights"}, {Name: "gone", Left: "no plugin has it"},
		},
	}
}

func TestMachine(t *testing.T) {
	reference := results.Set{Runs: []results.FoundRun{
		timedRun("good", "Offline", "VALID", "samples/s", 50), timedRun("good", "SingleStream", "VALID", "ms", 8),
	}}
	v := makeMachine(machineSet(), reference, "base")
	if v == nil || len(v.Groups) != 2 || len(v.Groups[0].Rows) != 2 || len(v.Left) != 1 {
		t.Fatalf("the machine: %+v", v)
	}
	late, good, made := v.Groups[0].Rows[0], v.Groups[0].Rows[1], v.Groups[1].Rows[0]
	if late.Name != "late" || late.Class != "bad" || len(late.Why) != 1 ||
		late.Why[0].String() != "Server performance, Offline performance: latency: p99 14 ms, needed 10 ms" {
		t.Errorf("a failure comes first, with its reason once: %+v", late)
	}
	if good.Class != "good" || made.Name != "made" || v.Groups[1].Title == "" {
		t.Errorf("good %+v, made %+v", good, made)
	}
	for i, f := range good.Figures {
		if f.Ratio != "2.00 times as fast" || f.Bar.Part != 100 || f.Bar.Target != 50 {
			t.Errorf("%d: %+v, bar %+v", i, f, f.Bar)
		}
	}
	if f := good.Figures[1]; f.Latency != "p99 12.5 ms" || good.Figures[0].Latency != "" {
		t.Errorf("latencies %q, %q", good.Figures[0].Latency, f.Latency)
	}
	if f := made.Figures[0]; f.Ratio != "" || f.Bar != nil {
		t.Errorf("without a reference: %+v", f)
	}
}

// TestMachineIsOne makes no table of a machine where the runs are not those of several models on one machine.
func TestMachineIsOne(t *testing.T) {
	set := machineSet()
	set.Runs = set.Runs[:2]
	if v := makeMachine(set, results.Set{}, ""); v != nil {
		t.Errorf("of one model: %+v", v)
	}
	set = machineSet()
	set.Runs[0].Place = &record.Place{}
	if v := makeMachine(set, results.Set{}, ""); v != nil {
		t.Errorf("of logs of a system: %+v", v)
	}
}

func TestMachinePage(t *testing.T) {
	var b bytes.Buffer
	if err := (Report{Set: machineSet(), Version: "v0"}).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		`aria-label="The machine"`, "Stand-ins: these figures", "gone: no plugin has it", `href="#run-1"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Index(text, "<bdi dir=\"auto\">late") > strings.Index(text, "<bdi dir=\"auto\">good") {
		t.Error("the failure is not first")
	}
}
