// Package whisper is the speech-recognition benchmark of Whisper large-v3, and an embedded network with the same
// interface on generated speech.
//
// A sample is a clip of sound, so features, the encoder and the decoder's greedy search are timed. ONNX models run on
// any backend through the decoding of package generate; a transcription server needs no model file.
//
// In scope: the clips and vocabulary of a run, the prompt, limits, payloads. Out of scope: sound files and features
// (preprocess/audio), decoding (sdk/generate), vocabularies (preprocess/text), the data set's files
// (datasets/librispeech), the metric (accuracy/wer), the backend.
package whisper

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/tokens.tiktoken
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{modelSettings{}}, Dataset: repackClips, Samples: drawnPackCount,
	})
}

// openWorkload finds the clips and reads the vocabulary.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	all := openClips(ctx, r)
	v, err := openVocabulary(s.Tokenizer, s.firstSpecial())
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Prompts(&speechWorkload{modelSettings: s, files: r.Files, vocabulary: v, clips: all}), nil
}

// openScorer reads the transcripts.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r)
	all := openClips(ctx, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newTranscriptScorer(all, s.DType, r.Exhibits)
}
