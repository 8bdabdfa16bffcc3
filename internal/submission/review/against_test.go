package review

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// host is a description of a machine.
func host(processor, accelerators string) facts {
	return facts{"host_processor_model_name": processor, "accelerators_per_node": accelerators, "number_of_nodes": "1"}
}

// TestSameSystems: a system is the other round's of the same name, or spelling, or the only one of the same hardware.
func TestSameSystems(t *testing.T) {
	theirs := map[string]facts{"box": host("P1", "8"), "Box_A": host("P2", "8"), "rack-1": host("P3", "4"),
		"rack-2": host("P3", "4"), "node": host("P4", "2"), "silent": {}}
	var others []tree.System
	for _, name := range []string{"Box_A", "box", "node", "rack-1", "rack-2", "silent"} {
		others = append(others, tree.System{Place: tree.Place{System: name}})
	}
	for _, c := range []struct {
		name   string
		own    facts
		is, by string
	}{
		{"box", host("P9", "1"), "box", "folder"},
		{"BOX", host("P9", "1"), "box", "spelling"},
		{"box-a", nil, "Box_A", "spelling"},
		{"boxA", nil, "Box_A", "spelling"},
		{"other", host("P4", "2"), "node", "description"},
		{"other", host("p4", "2"), "node", "description"},
		{"other", host("P4", "4"), "", ""},
		{"other", host("P3", "4"), "", ""}, // there are two
		{"rack-1", host("P3", "4"), "rack-1", "folder"},
		{"other", nil, "", ""},
		{"other", facts{}, "", ""}, // two descriptions that say nothing are not one machine
	} {
		o, by := findCounterpart(tree.System{Place: tree.Place{System: c.name}}, c.own, others, theirs)
		if o.System != c.is || by != c.by {
			t.Errorf("%s: %q by %q, want %q by %q", c.name, o.System, by, c.is, c.by)
		}
	}
}

// TestPairs: what moved, by how much, whether that is better, and why nothing is compared.
func TestPairs(t *testing.T) {
	rate := func(v float64) check.Result { return check.Result{Path: "r", Metric: v, Unit: "Tokens/s"} }
	latency := func(v float64) check.Result { return check.Result{Path: "r", Metric: v, Unit: "Latency (ms)"} }
	inferred := check.Result{Path: "r", Inferred: true}
	for _, c := range []struct {
		is, was check.Result
		want    string
	}{
		{rate(110), rate(100), "+10.0 %, better"}, {rate(90), rate(100), "-10.0 %, worse"},
		{rate(100), rate(100), ": equal"}, {latency(90), latency(100), "-10.0 %, better"},
		{latency(110), latency(100), "+10.0 %, worse"}, {latency(100), latency(100), ": equal"},
		{rate(100), latency(100), "not compared, the other round has Latency (ms)"},
		{rate(0), rate(100), "not compared, no result in this round"},
		{rate(100), rate(0), "not compared, no result in the other round"},
		{inferred, rate(100), "not compared, inferred"}, {rate(100), inferred, "not compared, inferred"},
	} {
		if text := newPair(c.is, c.was, counterpart{by: "folder"}).String(); !strings.Contains(text, c.want) {
			t.Errorf("got %s, want %s", text, c.want)
		}
	}
	p := newPair(check.Result{LoadGen: "6"}, check.Result{LoadGen: "5"},
		counterpart{by: "folder", differs: host("P1\n", "8").differences(
			facts{"host_processor_model_name": "P2", "accelerators_per_node": "8", "submitter": "x", "framework": "y"})})
	want := []Difference{{"LoadGen", "6", "5"}, {"host_processor_model_name", "P1\n", "P2"}}
	if !slices.Equal(p.Differs, want) || strings.Contains(p.String(), "\n") {
		t.Errorf("got %+v: %s", p.Differs, p)
	}
}

// newTree writes a tree of results: folder, rate. Each system has a description.
func newTree(t *testing.T, round, framework string, rates map[string]float64) *tree.Tree {
	t.Helper()
	root := t.TempDir()
	put := func(name string, text []byte) {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for folder, rate := range rates {
		var log []byte
		for _, e := range []mllog.DetailEntry{{Key: "loadgen_version", Value: round[1:]},
			{Key: "effective_scenario", Value: "Offline"}, {Key: "result_samples_per_second", Value: rate}} {
			log = mllog.AppendDetail(log, e)
		}
		put(folder+"/performance/run_1/"+tree.DetailLog, log)
		parts := strings.Split(folder, "/")
		text, err := json.Marshal(map[string]any{"framework": framework, "accelerators_per_node": 8})
		if err != nil {
			t.Fatal(err)
		}
		put(fmt.Sprintf("%s/%s/systems/%s.json", parts[0], parts[1], parts[3]), text)
	}
	found, err := tree.Open(root, round)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { found.Close() })
	return found
}

// TestCompare sets two rounds side by side: benchmarks by the rules' names, systems of the same submitter and division.
func TestCompare(t *testing.T) {
	now := newTree(t, "v6.1", "new", map[string]float64{
		"closed/Lab/results/box/resnet50/Offline": 200, "closed/Lab/results/box/3d-unet-99/Offline": 101,
		"closed/Lab/results/new/resnet/Offline": 1, "closed/Lob/results/box/resnet/Offline": 1,
		"open/Lab/results/box/resnet/Offline": 1,
	})
	then := newTree(t, "v5.1", "old", map[string]float64{
		"closed/Lab/results/BOX/resnet/offline": 100, "closed/Lab/results/BOX/3d-unet-99/Offline": 100,
		"closed/Lab/results/BOX/bert-99/Offline": 100,
	})
	report, err := check.Run(t.Context(), now, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Compare(t.Context(), now, report, then, Scope{})
	if err != nil || a.Round != "v5.1" || a.Alone != 3 || len(a.Pairs) != 2 {
		t.Fatalf("got %+v, %v", a, err)
	}
	p := a.Pairs[0]
	if p.Result != "closed/Lab/results/box/resnet50/Offline" || p.Other != "closed/Lab/results/BOX/resnet/offline" ||
		p.Is != 200 || p.Was != 100 || *p.ChangePercent != 100 || p.SameBy != "spelling" ||
		!slices.Equal(p.Differs, []Difference{{"LoadGen", "6.1", "5.1"}, {"framework", "new", "old"}}) {
		t.Errorf("the first pair is %+v", p)
	}
	if a, err = Compare(t.Context(), now, report, then, Scope{Submitter: "Lob"}); err != nil || a.Alone != 1 ||
		len(a.Pairs) != 0 {
		t.Errorf("of one submitter: %+v, %v", a, err)
	}
}
