// Package rag is the retrieval benchmarks of a whole system, compatible with MLPerf Inference: e2e-rag-qna answers
// questions by rounds of search, reranking and language models, e2e-rag-db makes the database of passages that is
// searched.
//
// Embedder and reranker are parts of the model, on a backend as any; the language models are servers, which a client of
// the plugin's main asks, or inside the plugin the script of package standin.
//
// In: which files a run uses, texts through the parts, the way of a question and of a page, payloads, scorers. Out: the
// rounds (agent), the index (index), text of pages (preprocess/text/passages), files (datasets/frames), scores
// (accuracy/retrieval), requests to servers (a backend.GeneratorOpener).
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

// The models, and the parts that they have.
const (
	questionsModel = "e2e-rag-qna"
	pagesModel     = "e2e-rag-db"
	embedderPart   = "embedder"
	rerankerPart   = "reranker"
)

// New returns the benchmarks, whose language models and judges are asked by servers.
func New(servers backend.GeneratorOpener) sdk.Benchmark {
	b := serverOpener{servers}
	own := manifest.DatasetExport(export.EncyclopediaSets())
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: b.openWorkload, Score: b.openScorer, Params: []any{storeSettings{}, askSettings{}, vocabSettings{}},
		Export: own, Exports: map[string]manifest.DatasetExport{pagesModel: own},
		Samples: encyclopedia.QuestionCount,
	})
}

// serverOpener opens both benchmarks, whose models are asked by servers.
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
