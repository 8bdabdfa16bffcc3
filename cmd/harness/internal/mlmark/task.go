// Package mlmark contains MLMark's tasks: their requests, and the computation of their scores from measurements. These
// are not official MLMark scores.
//
// Input: configurations in MLMark's JSON form, times, accuracies. Output: scores, a table and CSV. Other packages run
// the tasks.
package mlmark

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// Mode is the quantity that a task measures.
type Mode string

// The modes. A task has one.
const (
	Throughput Mode = "throughput"
	Latency    Mode = "latency"
	Accuracy   Mode = "accuracy"
)

// Modes lists the modes.
func Modes() []string { return []string{string(Throughput), string(Latency), string(Accuracy)} }

// Task is one task with its effective parameters.
type Task struct {
	Target      string `json:"target,omitempty"` // target in the configuration; empty: none
	Workload    string `json:"workload"`         // "resnet50", "mobilenet", "ssdmobilenet", else the model's name
	Model       string `json:"model"`            // Plumbline's name
	Mode        Mode   `json:"mode"`
	Hardware    string `json:"hardware"`
	Precision   string `json:"precision"`
	Batch       int    `json:"batch"`
	Concurrency int    `json:"concurrency"`
	Iterations  int    `json:"iterations"`
	// Notes lists deviations from the request or from MLMark's rules.
	Notes []string `json:"notes,omitempty"`
}

// TaskParam is a parameter of a task as text.
type TaskParam struct{ Name, Value string }

// ParamNames lists the parameters of a task.
func ParamNames() []string {
	return []string{"hardware", "precision", "batch", "concurrency", "iterations"}
}

// The limits of parameters, and the minimum number of iterations in MLMark's rules.
const (
	maxParam           = 256
	minRuledIterations = 1024
	maxIterations      = 10_000_000
)

var (
	hardware   = []string{"cpu", "gpu", "fpga", "npu", "myriad", "hddl", "tpu"}
	precisions = []string{"fp32", "fp16", "int8"}
)

// workloads maps our models to MLMark's workloads.
var workloads = map[string]string{"resnet50": "resnet50", "mobilenet": "mobilenet", "ssd-mobilenet": "ssdmobilenet"}

// IsMLMarkWorkload reports whether the workload is one of MLMark's.
func (t Task) IsMLMarkWorkload() bool { return workloads[t.Model] != "" }

// AccuracyScore converts a metric of the benchmark to a score. ok is false if MLMark has no score for it.
func (t Task) AccuracyScore(metric, unit string, value float64) (s TaskScore, ok bool) {
	if !t.IsMLMarkWorkload() {
		return TaskScore{metric, value, unit}, true
	}
	name := map[string]string{
		"resnet50 accuracy": "Top1", "resnet50 top5": "Top5", "mobilenet accuracy": "Top1", "mobilenet top5": "Top5",
		"ssdmobilenet mlmark_map": "mAP",
	}[t.Workload+" "+metric]
	return TaskScore{name, value, unit}, name != ""
}

// WorkloadModel returns our name of one of MLMark's workloads.
func WorkloadModel(workload string) (string, error) {
	var known []string
	for model, name := range workloads {
		if name == workload {
			return model, nil
		}
		known = append(known, name)
	}
	slices.Sort(known)
	return "", suggest.Unknown("workload", workload, known)
}

// NewTask returns a task for a model. Its error reports all faults.
func NewTask(model, mode string, params []TaskParam) (Task, error) {
	t := Task{
		Workload: workloads[model], Model: model, Mode: Mode(mode), Hardware: "cpu", Precision: "fp32", Batch: 1,
		Concurrency: 1, Iterations: 1,
	}
	t.Workload = cmp.Or(t.Workload, model)
	var faults []error
	if !slices.Contains(Modes(), mode) {
		faults = append(faults, fmt.Errorf("mode: %w", suggest.Unknown("mode", mode, Modes())))
	}
	for _, param := range params {
		faults = append(faults, t.setParam(param))
	}
	if err := errors.Join(faults...); err != nil {
		return t, err
	}
	t.forceDefaults()
	return t, nil
}

func (t *Task) setParam(p TaskParam) error {
	switch p.Name {
	case "hardware":
		t.Hardware = p.Value
		return requireOneOf(p, hardware)
	case "precision":
		t.Precision = p.Value
		return requireOneOf(p, precisions)
	case "batch":
		return parseNumber(p, maxParam, &t.Batch)
	case "concurrency":
		return parseNumber(p, maxParam, &t.Concurrency)
	case "iterations":
		return parseNumber(p, maxIterations, &t.Iterations)
	}
	return suggest.Unknown("parameter of a task", p.Name, append(ParamNames(), "mode"))
}

func requireOneOf(p TaskParam, all []string) error {
	if slices.Contains(all, p.Value) {
		return nil
	}
	return fmt.Errorf("%s: %w", p.Name, suggest.Unknown(p.Name, p.Value, all))
}

func parseNumber(p TaskParam, maxValue int, to *int) error {
	v, err := strconv.Atoi(p.Value)
	if err != nil || v < 1 || v > maxValue {
		return fmt.Errorf("%s: %q: want a whole number from 1 to %d", p.Name, p.Value, maxValue)
	}
	*to = v
	return nil
}

// forceDefaults sets the parameters that the mode fixes, and adds a note for each change.
func (t *Task) forceDefaults() {
	force := func(name string, v *int) {
		if *v != 1 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s %d is 1 in mode %s", name, *v, t.Mode))
			*v = 1
		}
	}
	if t.Mode != Throughput {
		force("batch", &t.Batch)
		force("concurrency", &t.Concurrency)
	}
	switch {
	case t.Mode == Accuracy:
		force("iterations", &t.Iterations)
	case t.Iterations < minRuledIterations:
		t.Notes = append(t.Notes, fmt.Sprintf("%d iterations: MLMark's rules ask for at least %d", t.Iterations,
			minRuledIterations))
	}
}

// String returns the name of the task: "resnet50 throughput fp32 batch 1".
func (t Task) String() string {
	return strings.Join([]string{t.Workload, string(t.Mode), t.Precision, "batch", strconv.Itoa(t.Batch)}, " ")
}
