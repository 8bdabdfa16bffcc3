// Package rag contains the end-to-end retrieval benchmarks, compatible with MLPerf Inference. e2e-rag-qna answers
// questions by rounds of search, reranking and language models. e2e-rag-db builds the database of passages for the
// search.
//
// The embedder and the reranker are parts of the model and run on any backend. The language models are servers, called
// by a client in the plugin's main, or package standin's script in the plugin.
//
// In scope: the files of a run, passing texts through the parts, processing questions and pages, payloads, scorers. Out
// of scope: the rounds (agent), the index (index), text of pages (passages), files (datasets/frames),
// scores (accuracy/retrieval), requests to servers (a backend.GeneratorOpener).
package rag

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/vocab.txt
var modelFiles embed.FS

// Names of the models and of their parts.
const (
	questionsModel = "e2e-rag-qna"
	pagesModel     = "e2e-rag-db"
	embedderPart   = "embedder"
	rerankerPart   = "reranker"
)

// New returns the benchmarks. servers opens clients for the language models and judges.
func New(servers backend.GeneratorOpener) sdk.Benchmark {
	b := serverOpener{servers}
	own := manifest.DatasetExport(export.EncyclopediaSets())
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: b.openWorkload, Score: b.openScorer, Params: []any{storeSettings{}, questionSettings{}, vocabSettings{}},
		Export: own, Exports: map[string]manifest.DatasetExport{pagesModel: own},
		Samples: encyclopedia.QuestionCount,
	})
}

// serverOpener opens both benchmarks with the servers' clients.
type serverOpener struct{ servers backend.GeneratorOpener }

func (o serverOpener) openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	if r.Model.Name == questionsModel {
		return o.openQuestions(ctx, r)
	}
	return openPages(ctx, r)
}

func (o serverOpener) openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	if r.Model.Name == questionsModel {
		return o.openJudge(ctx, r)
	}
	return openDatabaseScorer(ctx, r)
}
