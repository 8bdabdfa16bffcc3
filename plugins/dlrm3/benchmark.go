// Package dlrm3 is the benchmark of streamed recommendation, dlrm-v3. A model that reads histories in order (HSTU)
// rates candidates for users whose histories grow from period to period.
//
// A sample is a request with a user, a history and candidates. Samples are issued in the reference's order instead of
// LoadGen's (sdk.SampleOrderer), because the periods of a stream must follow one another.
//
// In scope: the order of requests, filling a model's tensors, payloads of both modes, compatible with MLPerf
// Inference's; the scorer. Out of scope: the choice of a model file (sdk/manifest), reading streamed data sets
// (datasets/streaming), drawing them (internal/synthetic/preferences), the scores (accuracy/entropy).
package dlrm3

import (
	"context"
	"embed"
	"errors"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
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
		Open: openWorkload, Score: openScorer, Params: []any{streamSource{}},
		Export: manifest.DatasetExport(export.PreferenceSets()), Samples: drawnRequests,
	})
}

// openWorkload opens the data set and orders its requests.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSource(r)
	set, err := s.openSet()
	r.AddFault(err)
	beside, err := openTables(s.Tables)
	r.AddFault(err)
	if err := r.Err(); err != nil {
		if set != nil {
			err = errors.Join(err, set.Close())
		}
		return nil, errors.Join(err, beside.Close())
	}
	w := &streamWorkload{
		set: set, streamSource: s, tables: beside, file: bindModel(r.File(), beside), scored: r.Use == sdk.UseAccuracy,
	}
	err = beside.checkSizes(s.Stream.Items, set)
	if err == nil && s.Check {
		err = sdk.Data(set.CheckRequests(ctx))
	}
	if err == nil {
		w.order, err = s.orderRequests(set, r.Use)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return sdk.Runs(w), nil
}

// openScorer returns a scorer for the log, which contains the labels. If a data set is named, it reads the number of
// requests from it.
func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSource(r)
	own := &entropyScorer{}
	if s.Dataset != "" {
		r.AddFault(s.expectRequests(own))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return scoring.New(own, scoring.Log{Exhibits: r.Exhibits, Gallery: rateRequest}, own.scoreEntropy), nil
}
