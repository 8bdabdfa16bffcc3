// Package llm is the text-generation benchmark. Language models write summaries and answers, by greedy or beam search,
// and token latencies are measured.
//
// An ONNX model with a KV cache ("past") runs on any backend through the decoding of package generate. A backend that
// generates text itself, such as a server, needs no model file.
//
// In scope: prompt forms, answer limits, payloads and metrics of GPT-J, Llama 2 70B, Llama 3.1 8B and 405B, and Mixtral
// 8x7B, compatible with MLPerf Inference. Out of scope: decoding (package generate); tokenizers, data sets, scorers and
// running programs (their own packages).
package llm

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/articles"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/tokenizer.json
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{modelSettings{}, language.AnswerLengths{}, searchSettings{}},
		Export:  manifest.DatasetExport(export.ArticleSets()),
		Samples: articles.EvalCount,
	})
}

// openWorkload reads the tokenizer and the data set, and makes all prompts.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s, data := readSettings(r), openTexts(r)
	t, err := openTokenizer(s.Tokenizer)
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	p, err := makePrompts(ctx, &s, t, data.items)
	if err != nil {
		return nil, err
	}
	return sdk.Prompts(&language.PromptWorkload{PromptSettings: s.PromptSettings, File: r.File(), Coder: t, Prompts: p}),
		nil
}

// openScorer reads the references of the data set, and the tokenizer.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s, data := readSettings(r), openTexts(r)
	t, err := openTokenizer(s.Tokenizer)
	r.AddFault(err)
	split, err := openSplitter(s.PunktFolder)
	r.AddFault(err)
	run, err := s.Programs.OpenRunner(ctx)
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	names := make([]string, len(r.Model.Metrics))
	for i, m := range r.Model.Metrics {
		names[i] = m.Name
	}
	metric := newScoringEngine(data, s, t, split, run)
	log := scoring.Log{
		Samples: len(data.items), First: true, Exhibits: r.Exhibits, Gallery: textGallery{data.items, s.DType, t}.rateAnswer,
	}
	return scoring.New(scoring.Of(metric.Add, metric.scoreFigures), log, func(f textFigures, c scoring.Counts) (sdk.Score,
		error) {
		return makeScore(f, names, c), nil
	}), nil
}
