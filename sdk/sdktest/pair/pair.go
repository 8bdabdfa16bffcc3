// Package pair is a benchmark whose model has two parts, and whose scorer has a model of its own: the tests show with
// it that every backend runs workloads of several models. It computes with small numbers, which float32 holds exactly.
//
// The encoder turns the four numbers of a sample into h; two steps of the decoder turn h and a state, zeros at first,
// into the answer, one float32. The state stays with the backend where it keeps outputs. The scorer's judge says from
// the four numbers what the answer should be.
package pair

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// The parts of the model, and that of the scorer.
const (
	Encoder = "encoder"
	Decoder = "decoder"
	Judge   = "judge"
)

//go:embed encoder.onnx decoder.onnx judge.onnx
var models embed.FS

// embedded is the name of the embedded files.
const embedded = "embedded-fp32"

// datasetSize is the number of samples.
const datasetSize = 256

// width is how many numbers a sample has, and hidden how many the encoder makes of them.
const width, hidden = 4, 3

// ONNX is the embedded file of a part.
func ONNX(part string) []byte {
	data, err := models.ReadFile(part + ".onnx")
	if err != nil {
		panic(fmt.Sprintf("pair has no part %q", part)) // a fault of the caller's, who names one of three
	}
	return data
}

// Benchmark is the benchmark of two parts.
type Benchmark struct{}

// Describe describes the one model, pair.
func (Benchmark) Describe() sdk.Description {
	return sdk.Description{
		Name: "pair", Version: "1", Summary: "a model of two parts, for tests",
		Models: []sdk.ModelInfo{{
			Name: "pair", Summary: "an encoder and a decoder of small numbers",
			LoadGenKey: "pair", RulesKey: "pair", Scenarios: loadgen.Scenarios(),
			Parts: []sdk.PartInfo{{Name: Encoder, Note: "x to h"}, {Name: Decoder, Note: "a step"}},
			Files: []sdk.ModelFile{
				{Name: embedded, Part: Encoder, Embedded: true, Precision: "fp32", Licence: "Apache-2.0", Reference: exact()},
				{Name: embedded, Part: Decoder, Embedded: true, Precision: "fp32", Licence: "Apache-2.0", Reference: exact()},
			},
			Datasets: []sdk.DatasetInfo{
				{Name: "numbers", Embedded: true, Samples: datasetSize, PerformanceSampleCount: datasetSize},
			},
			ScorerParts: []sdk.PartInfo{{Name: Judge, Note: "x to the answer"}},
			ScorerFiles: []sdk.ModelFile{{Name: embedded, Part: Judge, Embedded: true, Precision: "fp32",
				Licence: "Apache-2.0"}},
			Metrics: []sdk.MetricInfo{{Name: "accuracy", Unit: "%", Reference: 100, Target: 99, Share: 0.99}},
			Smoke:   smoke(),
		}},
	}
}

// exact is the accuracy of the embedded files.
func exact() []sdk.Metric { return []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 100}} }

// smoke are settings for a run of seconds: durations and latencies in ms.
func smoke() []sdk.SmokeSetting {
	return []sdk.SmokeSetting{
		{Scenario: loadgen.SingleStream, Key: "min_duration", Value: "300"},
		{Scenario: loadgen.SingleStream, Key: "target_latency", Value: "0.01"},
		{Scenario: loadgen.MultiStream, Key: "min_duration", Value: "300"},
		{Scenario: loadgen.MultiStream, Key: "target_latency", Value: "0.1"},
		{Scenario: loadgen.Server, Key: "min_duration", Value: "2000"},
		{Scenario: loadgen.Server, Key: "target_qps", Value: "300"},
		{Scenario: loadgen.Server, Key: "target_latency", Value: "60000"},
		{Scenario: loadgen.Offline, Key: "min_duration", Value: "1"},
		{Scenario: loadgen.Offline, Key: "min_query_count", Value: "4096"},
	}
}

// Open opens the samples below o.Count; all where it is 0.
func (Benchmark) Open(_ context.Context, o sdk.Options) (sdk.Workload, error) {
	opened := &workload{n: o.Count, parts: parts()}
	if o.Count < 0 || o.Count > datasetSize {
		return nil, sdk.Usage(fmt.Errorf("count %d, want 0 to %d", o.Count, datasetSize))
	}
	if o.Count == 0 {
		opened.n = datasetSize
	}
	if o.ModelFile != "" && o.ModelFile != embedded {
		return nil, sdk.Usage(fmt.Errorf("model file %s, want %s or one file for each part", o.ModelFile, embedded))
	}
	if err := opened.choose(o.PartFiles); err != nil {
		return nil, err
	}
	return opened, nil
}

// choose takes the files of the parts; without any, the embedded ones.
func (w *workload) choose(files map[string]string) error {
	var missing []string
	for i := range w.parts {
		m := &w.parts[i].Model
		if m.Path = files[w.parts[i].Name]; m.Path != "" {
			m.Name, m.Bytes = filepath.Base(m.Path), nil
		} else if len(files) > 0 {
			missing = append(missing, w.parts[i].Name)
		}
	}
	if len(missing) > 0 {
		return sdk.Usage(errors.New("no model file for part " + strings.Join(missing, ", ")))
	}
	return nil
}

// parts are the two, with their embedded files.
func parts() []sdk.Part {
	return []sdk.Part{
		{
			Name: Encoder,
			Model: backend.Model{
				Name: embedded, Bytes: ONNX(Encoder), Inputs: rows("x", width), Outputs: rows("h", hidden),
			},
		},
		{
			Name: Decoder, RunsPerSample: steps,
			Model: backend.Model{
				Name: embedded, Bytes: ONNX(Decoder), Inputs: slices.Concat(rows("h", hidden), rows("state", hidden)),
				Outputs: slices.Concat(rows("y", 1), rows("state_out", hidden)),
			},
		},
	}
}

// rows describes a tensor of so many numbers for each sample.
func rows(name string, n int64) []backend.TensorInfo {
	return []backend.TensorInfo{{Name: name, DType: backend.Float32, Shape: []int64{-1, n}}}
}

type workload struct {
	n     int
	parts []sdk.Part
}

func (w *workload) Len() int               { return w.n }
func (w *workload) Parts() []sdk.Part      { return w.parts }
func (w *workload) Close() error           { return nil }
func (w *workload) WarmSample() sdk.Sample { return [width]float32{} }

func (w *workload) Load(_ context.Context, i int) (sdk.Sample, error) { return Input(i), nil }

// MaxBatch is small, so that a few samples make several batches.
func (w *workload) MaxBatch() int { return 8 }

func (w *workload) NewRun(s sdk.Sessions) (sdk.Run, error) {
	encoder, decoder := s.Part(Encoder), s.Part(Decoder)
	memory := backend.KeptIn(encoder)
	return &run{encoder: encoder, decoder: decoder, keep: memory != nil && memory == backend.KeptIn(decoder)}, nil
}
