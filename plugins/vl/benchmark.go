// Package vl is the vision-language benchmark, qwen3-vl-235b-a22b on the product catalogue. A model receives a
// product's picture, title and description with a list of categories, and answers with a JSON object.
//
// A backend that generates text itself, such as a server, needs no model file. The embedded model is a small network
// that classifies pictures and texts of generated products and answers by a template (reader.go).
//
// In scope: the requests of both official programs, made before the run; answers and their metrics, compatible with
// MLPerf Inference. Out of scope: reading catalogues (datasets/products), scoring (accuracy/products), the official
// words of prompts (the user's files).
package vl

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{chatSettings{}},
		Export: manifest.DatasetExport(export.ProductSets()), Samples: drawn.EvalCount,
	})
}

// openWorkload opens the catalogue and makes all requests.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	c := openCatalogue(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	n := r.SampleCount(c.Len(), "products")
	if err := r.Err(); err != nil {
		return nil, err
	}
	all, err := makeChats(ctx, c, &s, n)
	if err != nil {
		return nil, err
	}
	w := &productWorkload{
		chatSettings: s, chats: all, catalogue: c, file: completeModel(r.File()), fields: s.Form.requestFields(r.Scenario),
		officialSize: officialSize(r.Model),
	}
	return sdk.Prompts(w), nil
}

// openScorer reads the ground truth of the products.
func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r)
	c := openCatalogue(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	truths, err := c.Truths(r.SampleCount(c.Len(), "products"))
	if err != nil {
		return nil, sdk.Data(err)
	}
	of := newProductScorer(truths, s.Form)
	log := scoring.Log{Samples: len(truths), Exhibits: r.Exhibits, Gallery: productGallery{c, truths}.rateAnswer}
	return scoring.New(of, log, of.scoreProducts), nil
}

// officialSize returns the number of products in a model's official catalogue.
func officialSize(m *manifest.ModelEntry) int {
	for _, d := range m.ModelInfo.Datasets {
		if !d.Embedded {
			return d.Samples
		}
	}
	return 0
}
