// Package null is a benchmark without a model. The answer of each sample is its index as a float32, repeated for larger
// payloads. A run of it measures the cost of the plugin boundary.
package null

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// datasetSize is the number of samples. A float32 can represent each index exactly.
const datasetSize = 1 << 16

// indexBytes is the size of one index in a payload, as a float32.
const indexBytes = 4

// Benchmark is the null benchmark.
type Benchmark struct{}

// Describe describes the only model, null.
func (Benchmark) Describe() sdk.Description {
	return sdk.Description{
		Name: "null", Version: "1", Summary: "no model: measures the plugin boundary",
		Models: []sdk.ModelInfo{{
			Name: "null", Summary: "answers each sample with its index", LoadGenKey: "null", RulesKey: "null",
			Scenarios: loadgen.Scenarios(),
			Files: []sdk.ModelFile{{Name: "null", Embedded: true, Precision: "fp32", Licence: "Apache-2.0",
				Reference: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 100}}}},
			Datasets: []sdk.DatasetInfo{{Name: "indices", Embedded: true, Samples: datasetSize,
				PerformanceSampleCount: datasetSize}},
			Metrics: []sdk.MetricInfo{{Name: "accuracy", Unit: "%", Reference: 100, Target: 99, Share: 0.99}},
			Params: []sdk.ParamInfo{{Name: "payload", Default: strconv.Itoa(indexBytes),
				Help: "bytes of each answer: the index, repeated"}},
			Smoke: smokeSettings(),
		}},
	}
}

// smokeSettings returns settings for a run of a few seconds: counts of queries, durations and latencies in ms.
func smokeSettings() []sdk.SmokeSetting {
	return []sdk.SmokeSetting{
		{Scenario: loadgen.SingleStream, Key: "min_query_count", Value: "20000"},
		{Scenario: loadgen.SingleStream, Key: "target_latency", Value: "0.002"},
		{Scenario: loadgen.MultiStream, Key: "min_query_count", Value: "20000"},
		{Scenario: loadgen.MultiStream, Key: "target_latency", Value: "0.01"},
		{Scenario: loadgen.Server, Key: "min_duration", Value: "2000"},
		{Scenario: loadgen.Server, Key: "target_qps", Value: "5000"},
		{Scenario: loadgen.Server, Key: "target_latency", Value: "100"},
		{Scenario: loadgen.Offline, Key: "min_query_count", Value: "5000000"},
	}
}

// Open opens the indices below o.Count, or all if it is 0.
func (Benchmark) Open(_ context.Context, o sdk.Options) (sdk.Workload, error) {
	if o.Model != "" && o.Model != "null" {
		return nil, sdk.Usage(fmt.Errorf("unknown model %q, this plugin has null", o.Model))
	}
	if o.Count < 0 || o.Count > datasetSize {
		return nil, sdk.Usage(fmt.Errorf("count %d, want 0 to %d", o.Count, datasetSize))
	}
	o.Count = cmp.Or(o.Count, datasetSize)
	size, err := payloadSize(o.Params)
	if err != nil {
		return nil, err
	}
	return &nullWorkload{n: o.Count, size: size}, nil
}

// payloadSize parses the option payload.
func payloadSize(params map[string]string) (int, error) {
	text, ok := params["payload"]
	if !ok {
		return indexBytes, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < indexBytes || n%indexBytes != 0 {
		return 0, sdk.Usage(fmt.Errorf("payload %q, want a number of bytes that is a multiple of %d", text, indexBytes))
	}
	return n, nil
}

// OpenScorer returns a scorer for the share of answers that are equal to their sample's index.
func (Benchmark) OpenScorer(context.Context, sdk.ScoreOptions) (sdk.Scorer, error) {
	right := 0
	add := func(sample uint64, answer []byte) error {
		if len(answer) < indexBytes || len(answer)%indexBytes != 0 {
			return fmt.Errorf("a payload of %d bytes, want a multiple of %d", len(answer), indexBytes)
		}
		if sample >= datasetSize {
			return fmt.Errorf("sample %d, there are %d", sample, datasetSize)
		}
		if allEqual(answer, float32(sample)) {
			right++
		}
		return nil
	}
	metric := scoring.Of(add, func() (int, error) { return right, nil })
	return scoring.New(metric, scoring.Log{First: true}, scoreShare), nil
}

type nullWorkload struct {
	n    int
	size int // size of a payload in bytes
}

func (w *nullWorkload) Len() int               { return w.n }
func (w *nullWorkload) Close() error           { return nil }
func (w *nullWorkload) WarmSample() sdk.Sample { return float32(0) }

func (w *nullWorkload) Parts() []sdk.Part {
	values := []backend.TensorInfo{{Name: "values", DType: backend.Float32, Shape: []int64{-1}}}
	return []sdk.Part{{Model: backend.Model{Name: "null", Inputs: values, Outputs: values}}}
}

func (w *nullWorkload) Load(_ context.Context, i int) (sdk.Sample, error) { return float32(i), nil }

func (w *nullWorkload) Collate(samples []sdk.Sample, b *sdk.Batch) error {
	values := backend.View[float32](b.Input(0, int64(len(samples))))
	for i, s := range samples {
		values[i] = s.(float32)
	}
	return nil
}

func (w *nullWorkload) Postprocess(outputs []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	data := outputs[0].Data
	if len(data) != indexBytes*len(samples) {
		return fmt.Errorf("%d bytes of output for %d samples", len(data), len(samples))
	}
	for i := range samples {
		index := data[indexBytes*i : indexBytes*i+indexBytes]
		if w.size > indexBytes {
			index = bytes.Repeat(index, w.size/indexBytes)
		}
		p.Append(index)
	}
	return nil
}

// allEqual reports whether data consists of repetitions of index.
func allEqual(data []byte, index float32) bool {
	for ; len(data) > 0; data = data[indexBytes:] {
		if math.Float32frombits(binary.LittleEndian.Uint32(data)) != index {
			return false
		}
	}
	return true
}

func scoreShare(right int, c scoring.Counts) (sdk.Score, error) {
	share := 100 * float64(right) / float64(max(c.Samples, 1))
	return sdk.Score{
		Metrics:      []sdk.Metric{{Name: "accuracy", Unit: "%", Value: share}},
		OfficialText: fmt.Sprintf("accuracy=%.3f%%", share),
	}, nil
}
