package mlmark

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

const config = `[{"target": "tensorflow", "workload": "ssdmobilenet",
  "params": {"hardware": "gpu", "precision": "fp16", "mode": "throughput", "batch": 8, "concurrency": 2,
  "iterations": 2048}},
 {"target": "tensorrt", "workload": "resnet50", "params": {"batch": 4, "iterations": 1024}}]`

func TestParseConfig(t *testing.T) {
	tasks, err := ParseConfig([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	want := []Task{
		{"tensorflow", "ssdmobilenet", "ssd-mobilenet", Throughput, "gpu", "fp16", 8, 2, 2048, nil},
		{"tensorrt", "resnet50", "resnet50", Throughput, "cpu", "fp32", 4, 1, 1024, []string{"no mode is given: throughput"}},
	}
	if !reflect.DeepEqual(tasks, want) {
		t.Errorf("tasks\n%+v, want\n%+v", tasks, want)
	}
}

func TestConfigsAreReadStrictly(t *testing.T) {
	task := func(params string) string {
		return `[{"target": "t", "workload": "resnet50", "params": ` + params + `}]`
	}
	for text, want := range map[string]string{
		`{}`: "a JSON array", `[]`: "no task", `[] []`: "something follows", `[{"target": "t"}]`: "are all needed",
		`[{"target": "t", "workload": "resnet50", "params": {}, "x": 1}]`: `unknown field "x"`,
		`[{"target": "t", "workload": "resnet101", "params": {}}]`:        `unknown workload "resnet101"`,
		task(`{"batch_size": 1}`):                                         `unknown parameter of a task "batch_size"`,
		task(`{"batch": "1"}`):                                            "want a number",
		task(`{"batch": 1.5}`):                                            "whole number",
		task(`{"batch": 257}`):                                            "from 1 to 256",
		task(`{"iterations": 0}`):                                         "from 1 to",
		task(`{"mode": "speed"}`):                                         `unknown mode "speed"`,
		task(`{"mode": 4}`):                                               `unknown mode "4"`,
		task(`{"hardware": "abacus"}`):                                    `unknown hardware "abacus"`,
		task(`{"precision": "fp8"}`):                                      `unknown precision "fp8"`,
	} {
		if _, err := ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	_, err := ParseConfig([]byte(`[{"target": "t", "workload": "a", "params": {"batch": 0}}, {"workload": "b"}]`))
	for _, want := range []string{`task 1: unknown workload "a"`, "batch: ", "task 2: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}

func TestModesForceParameters(t *testing.T) {
	params := []TaskParam{{"batch", "4"}, {"concurrency", "2"}, {"iterations", "2000"}}
	for mode, want := range map[Mode][3]int{Throughput: {4, 2, 2000}, Latency: {1, 1, 2000}, Accuracy: {1, 1, 1}} {
		task, err := NewTask("resnet50", string(mode), params)
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int{task.Batch, task.Concurrency, task.Iterations}
		forced := 0
		for i, v := range []int{4, 2, 2000} {
			if got[i] != v {
				forced++
			}
		}
		if got != want || len(task.Notes) != forced {
			t.Errorf("%s: %v with notes %q, want %v", mode, got, task.Notes, want)
		}
	}
}

// The times are numpy.percentile([...], 95) of the same.
func TestTimes(t *testing.T) {
	var each []time.Duration
	for _, ms := range []float64{10, 12, 11, 50, 13, 9, 14} {
		each = append(each, time.Duration(ms*float64(time.Millisecond)))
	}
	scores := TimeScores(Task{Batch: 2, Iterations: 7}, 700*time.Millisecond, each)
	if scores[0] != (TaskScore{"throughput", 20, "fps"}) {
		t.Errorf("%+v, want 14 samples in 0.7 s", scores[0])
	}
	if math.Abs(scores[1].Value-39.2) > 1e-9 || scores[1].Units != "ms" {
		t.Errorf("%+v, want 39.2 ms", scores[1])
	}
}

// The texts are those of numpy.format_float_positional(v, precision=3, fractional=False).
func TestFormat(t *testing.T) {
	for v, want := range map[float64]string{
		123.456: "123.", 1234.5: "1230.", 0.5: "0.5", 99.95: "100.", 0.001234: "0.00123", 12.3: "12.3", 7: "7.",
		1e6: "1000000.", 97.1: "97.1", 0: "0.", -1: "-1.",
	} {
		if got := FormatScore(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	task, err := NewTask("resnet50", "latency", []TaskParam{{"iterations", "1024"}})
	if err != nil {
		t.Fatal(err)
	}
	results := []TaskResult{{task, "ort", TimeScores(task, 2*time.Second, []time.Duration{time.Millisecond})}}
	var table, text strings.Builder
	if err := WriteTable(&table, results); err != nil {
		t.Fatal(err)
	}
	want := `Target          Workload        H/W   Prec  Batch Conc. Metric          Score Units
-----------------------------------------------------------------------------------
ort             resnet50        cpu   fp32      1     1 throughput       512.   fps
ort             resnet50        cpu   fp32      1     1 latency            1.    ms
`
	if table.String() != want {
		t.Errorf("table\n%s\nwant\n%s", table.String(), want)
	}
	if err := WriteCSV(&text, results); err != nil {
		t.Fatal(err)
	}
	rows := "ort,resnet50,cpu,fp32,1,1,throughput,512,fps\nort,resnet50,cpu,fp32,1,1,latency,1,ms\n"
	if !strings.HasSuffix(text.String(), rows) {
		t.Errorf("CSV\n%s", text.String())
	}
}

func TestAccuracyScores(t *testing.T) {
	for model, want := range map[string][]string{
		"resnet50": {"Top1", "Top5"}, "mobilenet": {"Top1", "Top5"}, "ssd-mobilenet": {"mAP"},
		"bert-99": {"accuracy", "top5", "mlmark_map"},
	} {
		task, err := NewTask(model, "accuracy", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, metric := range []string{"accuracy", "top5", "mlmark_map"} {
			if s, ok := task.AccuracyScore(metric, "%", 5); ok {
				got = append(got, s.Metric)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %q, want %q", model, got, want)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add(config)
	f.Add(`[{"target": "t", "workload": "mobilenet", "params": {"mode": "accuracy", "batch": 1e2}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := ParseConfig([]byte(text))
		if err != nil {
			return
		}
		for _, task := range tasks {
			if task.Batch < 1 || task.Batch > maxParam || task.Iterations < 1 || task.Model == "" || task.Target == "" {
				t.Errorf("%+v", task)
			}
		}
	})
}
