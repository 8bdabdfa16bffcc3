// Package pair is a benchmark with a two-part model and a scorer that runs another model. Tests use it to check that
// every backend runs workloads of several models. It computes with small numbers that float32 represents exactly.
//
// The encoder turns the four numbers of a sample into h. Two steps of the decoder turn h and a state, initially zeros,
// into the answer, one float32. If the backend can keep outputs, it keeps the state. The scorer's judge computes the
// expected answer from the four numbers.
package pair

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// The names of the model's parts and of the scorer's part.
const (
	Encoder = "encoder"
	Decoder = "decoder"
	Judge   = "judge"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// datasetSize is the number of samples.
const datasetSize = 256

// width is the number of inputs of a sample, and hidden the number of the encoder's outputs.
const width, hidden = 4, 3

// ONNX returns the embedded file of a part.
func ONNX(part string) []byte {
	data, err := modelFiles.ReadFile("model/" + part + ".onnx")
	if err != nil {
		panic(fmt.Sprintf("pair has no part %q", part)) // a fault of the caller, because there are only three names
	}
	return data
}

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{tensorNames{}}, Samples: datasetSize,
	})
}

// tensorNames are the benchmark's parameters.
type tensorNames struct {
	Input string `param:"input"`
}

// openWorkload opens the samples of a run.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	var p tensorNames
	r.Bind(&p)
	encoder, decoder := r.Files[Encoder], r.Files[Decoder]
	encoder.Inputs, encoder.Outputs = rowTensor(p.Input, width), rowTensor("h", hidden)
	decoder.Inputs = slices.Concat(rowTensor("h", hidden), rowTensor("state", hidden))
	decoder.Outputs = slices.Concat(rowTensor("y", 1), rowTensor("state_out", hidden))
	return &pairWorkload{sampleCount(r), []sdk.Part{
		{Name: Encoder, Model: encoder}, {Name: Decoder, RunsPerSample: decoderSteps, Model: decoder},
	}}, nil
}

// sampleCount returns the number of samples of the request.
func sampleCount(r *manifest.Request) int {
	if r.Dataset != "" {
		r.AddFault(sdk.Data(fmt.Errorf("data set %s: this benchmark makes its own numbers", r.Dataset)))
	}
	return r.SampleCount(datasetSize, "samples")
}

// rowTensor describes a tensor with n numbers for each sample.
func rowTensor(name string, n int64) []backend.TensorInfo {
	return []backend.TensorInfo{{Name: name, DType: backend.Float32, Shape: []int64{-1, n}}}
}

type pairWorkload struct {
	n     int
	parts []sdk.Part
}

func (w *pairWorkload) Len() int               { return w.n }
func (w *pairWorkload) Parts() []sdk.Part      { return w.parts }
func (w *pairWorkload) Close() error           { return nil }
func (w *pairWorkload) WarmSample() sdk.Sample { return [width]float32{} }

func (w *pairWorkload) Load(_ context.Context, i int) (sdk.Sample, error) { return Input(i), nil }

// MaxBatch returns a small number, so that a few samples form several batches.
func (w *pairWorkload) MaxBatch() int { return 8 }

func (w *pairWorkload) NewRun(s sdk.Sessions) (sdk.Run, error) {
	encoder, decoder := s.Part(Encoder), s.Part(Decoder)
	memory := backend.CacheMemory(encoder)
	return &pairRun{encoder: encoder, decoder: decoder, keepOutputs: memory != nil &&
		memory == backend.CacheMemory(decoder)}, nil
}
