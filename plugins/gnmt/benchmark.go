// Package gnmt is the translation benchmark GNMT on WMT16, English to German, and an embedded model with the same
// interface on sentences of two made-up languages.
//
// A sample is a sentence as word pieces. The encoder reads it once; a beam search like the reference's runs the decoder
// for many sentences together. The payload is the translation's text. Models of the Marian family translate plain text,
// with their own word pieces and transformers' search.
//
// In scope: the sentences and vocabularies of a run, the search's settings, payloads. Out of scope: the search
// (sdk/generate), vocabularies and pieces (preprocess/text), the metrics (accuracy/bleu), the backend.
package gnmt

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/translation"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/bpe.codes model/vocab.bpe.*
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{searchSettings{}}, Samples: translation.EvalCount,
	})
}

// openWorkload reads the sentences and the vocabularies.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r.Params)
	text := openSentences(r, s)
	f, err := openForm(r, s)
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Prompts(&translationWorkload{searchSettings: s, files: r.Files, sentences: text, form: f}), nil
}

// openScorer reads the reference translations.
func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r.Params)
	text := openSentences(r, s)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newScorer(text, s, r.Exhibits), nil
}
