// Package wan is the text-to-video benchmark: wan-2.2-t2v-a14b on the prompts of VBench. A server or a process makes
// the videos; without one, a drawing program stands in.
//
// In scope: prompts as requests, the log's entry of a video, its file name, VBench's results and the line for the
// checker, compatible with MLPerf Inference. Out of scope: requesting videos (videos), reading frames (frames), and
// VBench itself.
package wan

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/standin.json
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{videoSettings{}}, Samples: len(embeddedPrompts()),
		Export: manifest.DatasetExport{Sets: []string{embeddedSet}, Write: writePrompts, File: officialFile},
	})
}

// StandIn returns the drawing program that replaces a model, and its name as a backend.
func StandIn() (name string, b backend.Backend) { return videos.StandInName, videos.StandIn{} }

// VideoBackend returns the backend that requests videos from servers or from processes that it starts, and its name.
func VideoBackend() (name string, b backend.Backend) { return "video", videos.VideoBackend{} }

func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	prompts := openPrompts(r, s.request)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Prompts(newVideoWorkload(r, s, prompts)), nil
}

func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r)
	prompts := openPrompts(r, s.request)
	results := openResults(r, &s)
	if err := r.Err(); err != nil {
		return nil, err
	}
	scorer := newVideoScorer(r, s, prompts, results)
	log := scoring.Log{
		Samples: len(prompts), First: true, Within: true, Exhibits: r.Exhibits, Gallery: frameSheet{ctx, scorer}.rateVideo,
	}
	return scoring.New(scorer, log, scorer.scoreVideos), nil
}
