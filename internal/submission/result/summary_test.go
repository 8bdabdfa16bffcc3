package result

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// rows are a SingleStream result, an Offline one inferred from it, and one with power.
var rows = []Row{
	{Organization: "Lab", Division: "closed", Platform: "box", Model: "resnet50", MLPerfModel: "resnet",
		Scenario: "SingleStream", Logged: "SingleStream", Result: "71.167025", Units: "Latency (ms)",
		Accuracy: "acc: 76.460", Location: "closed/Lab/results/box/resnet50/SingleStream/performance/run_1"},
	{Organization: "Lab", Division: "closed", Platform: "box", Model: "resnet50", MLPerfModel: "resnet",
		Scenario: "Offline", Logged: "SingleStream", Result: "14.30445", Units: "Samples/s", Inferred: true,
		Accuracy: "acc: 76.460", Location: "closed/Lab/results/box/resnet50/Offline/performance/run_1"},
	{Organization: "Lab", Division: "closed", Platform: "<b>&box", Model: "llama3.1-8b", Scenario: "Interactive",
		Logged: "Server", Result: "1e-05", Units: "Tokens/s", HasPower: true, DesignPower: "1750",
		Accuracy: "ROUGE1: 38.7792  GEN_LEN: 8167644", Location: "c/performance/run_1"},
	{Scenario: "Interactive", Result: "110.0", Units: "Watts", HasPower: true, Location: "c/performance/run_1"},
}

func TestResults(t *testing.T) {
	list := Results(rows)
	if len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	if list[0].InferredFrom != "" || list[1].InferredFrom != "SingleStream" || list[2].InferredFrom != "" {
		t.Errorf("%+v", list)
	}
	if want := (Figure{Text: "14.30445", Rounded: "14.304", Unit: "Samples/s"}); list[1].Result != want {
		t.Errorf("%+v, want %+v", list[1].Result, want)
	}
	if p := list[2].Power; p == nil || *p != (Figure{Text: "110.0", Rounded: "110.00", Unit: "Watts"}) {
		t.Errorf("%+v", p)
	}
	want := []Figure{{"ROUGE1", "38.7792", "38.779", ""}, {"GEN_LEN", "8167644", "8167600", ""}}
	if !reflect.DeepEqual(list[2].Accuracy, want) {
		t.Errorf("%+v", list[2].Accuracy)
	}
	if list[0].Folder != "closed/Lab/results/box/resnet50/SingleStream" {
		t.Error(list[0].Folder)
	}
}

func TestWriters(t *testing.T) {
	s := Summary{Round: "v6.1", Verdict: "errors", Results: Results(rows),
		Without: []Without{{Folder: "closed/Lab/x", Reasons: []string{"performance: <too short>"}}}}
	var page, table, text bytes.Buffer
	if err := s.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;b&gt;&amp;box", "14.304<", ">14.30445<", "inferred from SingleStream",
		"has errors", "performance: &lt;too short&gt;", "110.00 Watts"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in %s", want, &page)
		}
	}
	for _, outside := range []string{"http:", "https:", "src=", "<b>"} {
		if strings.Contains(page.String(), outside) {
			t.Errorf("%q in the page", outside)
		}
	}
	if err := s.WriteTable(&table); err != nil || !strings.Contains(table.String(), "14.30445") ||
		!strings.Contains(table.String(), "Offline (inferred from SingleStream)") {
		t.Errorf("%s (%v)", &table, err)
	}
	if err := s.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var again Summary
	if err := json.Unmarshal(text.Bytes(), &again); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%s (%v)", &text, err)
	}
}

func TestWriteCSV(t *testing.T) {
	var text bytes.Buffer
	if err := WriteCSV(&text, rows); err != nil {
		t.Fatal(err)
	}
	read, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(read) != 5 || len(read[0]) != 31 || !reflect.DeepEqual(read[2], rows[1].Fields()) {
		t.Errorf("%v (%v)", read, err)
	}
}
