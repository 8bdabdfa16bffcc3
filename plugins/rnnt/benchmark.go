// Package rnnt is the speech-recognition benchmark RNN-T on LibriSpeech, and an embedded model with the same interface
// on generated speech.
//
// A sample is a waveform. Its features are computed within the timed run. The encoder reads them, for several samples
// together if this cannot change any answer. Greedy decoding runs the prediction network and the joint network for all
// samples of a batch in step.
//
// In scope: the clips of a run, the model's three parts and their interfaces, decoding, payloads. Out of scope: the
// choice of model files (sdk/manifest), features (preprocess/audio), the data set's files (datasets/librispeech), the
// metric (accuracy/wer), the backend.
package rnnt

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{runSettings{}, clipSource{}, logSettings{}},
		Export:  manifest.DatasetExport(export.SpeechSets()),
		Samples: speech.EvalCount,
	})
}

// openWorkload finds the clips and names the tensors of the model's parts.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s, set := readSettings(r), openClips(ctx, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Runs(newSpeechWorkload(s, r.Files, set, r.Batch)), nil
}

// openScorer reads the transcripts.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	var l logSettings
	set := openClips(ctx, r)
	r.Bind(&l, option.ReaderFunc("dtype", wer.DTypes().Parse))
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newTranscriptScorer(set, l.DType, r.Exhibits)
}
