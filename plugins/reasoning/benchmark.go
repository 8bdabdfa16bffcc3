// Package reasoning is the benchmark of reasoning models, with questions of mathematics, sciences and programming and
// with long answers.
//
// A backend that generates text itself, such as a server, needs no model file. An ONNX model with a KV cache ("past")
// runs on any backend through the decoding of package generate.
//
// In scope: prompt forms, answer limits, sampling, the data sets of each run and the metrics of DeepSeek-R1 and
// gpt-oss-120b, compatible with MLPerf Inference. Out of scope: decoding (package generate); tokenizers, data sets and
// graders (their own packages).
package reasoning

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	synthetic "github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/tokenizer.json
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{modelSettings{}, language.AnswerLengths{}, samplingSettings{}},
		Export: manifest.DatasetExport(export.ReasoningSets()), Samples: len(synthetic.DeepSeek()),
	})
}

// openWorkload reads the tokenizer and the data set, and makes all prompts.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s, items := readSettings(r), openRows(r)
	t, err := openTokenizer(s.Tokenizer)
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	f := modelFamilyOf(r.Model.Name)
	r.AddFault(f.checkTokenizer(t))
	if err := r.Err(); err != nil {
		return nil, err
	}
	p, err := f.makePrompts(ctx, &s, t, items)
	if err != nil {
		return nil, err
	}
	w := &reasoningWorkload{&language.PromptWorkload{PromptSettings: s.PromptSettings, File: r.File(), Coder: t,
		Prompts: p}, f,
		s.drawsTokens()}
	return sdk.Prompts(w), nil
}

// openScorer reads the ground truth of the data set, and the tokenizer.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s, items := readSettings(r), openRows(r)
	t, err := openTokenizer(s.Tokenizer)
	r.AddFault(err)
	o, note := openGraders(ctx, &s, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	f := modelFamilyOf(r.Model.Name)
	decode, err := f.payloadDecoder(t)
	if err != nil {
		return nil, err
	}
	o.Script, o.Decode = f.officialScript(), decode
	return newScorer(&s, items, o, note, r.Exhibits), nil
}

// openTokenizer opens the tokenizer at path, or the embedded one.
func openTokenizer(path string) (language.TextTokenizer, error) {
	return language.OpenTokenizer(path, func() ([]byte, error) { return modelFiles.ReadFile("model/tokenizer.json") }, "")
}
