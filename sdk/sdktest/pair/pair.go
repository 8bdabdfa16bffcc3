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
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// The parts of the model, and that of the scorer.
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

// width is how many numbers a sample has, and hidden how many the encoder makes of them.
const width, hidden = 4, 3

// ONNX is the embedded file of a part.
func ONNX(part string) []byte {
	data, err := modelFiles.ReadFile("model/" + part + ".onnx")
	if err != nil {
		panic(fmt.Sprintf("pair has no part %q", part)) // a fault of the caller's, who names one of three
	}
	return data
}

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: open, Score: score, Samples: datasetSize,
	})
}

// open opens the samples of a run.
func open(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	encoder, decoder := r.Files[Encoder], r.Files[Decoder]
	encoder.Inputs, encoder.Outputs = rows(r.Params.Text("input"), width), rows("h", hidden)
	decoder.Inputs = slices.Concat(rows("h", hidden), rows("state", hidden))
	decoder.Outputs = slices.Concat(rows("y", 1), rows("state_out", hidden))
	return &workload{samples(r), []sdk.Part{
		{Name: Encoder, Model: encoder}, {Name: Decoder, RunsPerSample: steps, Model: decoder},
	}}, nil
}

// samples is how many are meant.
func samples(r *manifest.Request) int {
	if r.Dataset != "" {
		r.Fault(sdk.Data(fmt.Errorf("data set %s: this benchmark makes its own numbers", r.Dataset)))
	}
	return r.First(datasetSize, "samples")
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
