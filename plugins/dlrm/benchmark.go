// Package dlrm is the recommendation benchmark. DLRM v1 and v2 predict the click-through rate of user-item pairs on
// Criteo's click logs, compatible with MLPerf Inference's dlrm and dlrm-v2.
//
// A sample is a group of 100 to 700 consecutive pairs, as defined by the rules. Options.Batch and every batch size in a
// result count pairs, not samples.
//
// In scope: grouping pairs into samples, filling a model's tensors, payloads, the scorer. Out of scope: the choice of a
// model file (sdk/manifest), reading click logs (datasets/criteo), drawing them (internal/synthetic/clicks), AUC
// (accuracy/auc).
package dlrm

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{clickBinding{}, payloadForm{}, clickSource{}},
		Export: manifest.DatasetExport(export.ClickSets()), Samples: drawnSamples,
	})
}

// openWorkload opens the data set and groups its pairs.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	b, s := bindTensors(r.Params), readSource(r)
	if r.Batch < 0 {
		r.AddFault(sdk.Usage(fmt.Errorf("batch = %d, want 0 (the benchmark's choice) or more: it counts pairs", r.Batch)))
	}
	log, err := s.openLog()
	r.AddFault(err)
	if err := r.Err(); err != nil {
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return nil, err
	}
	w, err := openClickWorkload(ctx, b, s, log)
	return sdk.Batches(w), err
}

// openScorer opens the data set's labels but no model. If the log contains the labels and no data set is named, it
// opens nothing.
func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	f, s := readForm(r.Params), readSource(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newAUCScorer(f, s)
}
