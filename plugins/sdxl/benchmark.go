// Package sdxl is the text-to-image benchmark: the model stable-diffusion-xl on captions of COCO-2014, and an embedded
// network with the same interface on captions of generated scenes.
//
// A sample is a caption, as tokens. It goes through two text encoders, twenty steps of the UNet together with the
// negative prompt (embedded once), and the decoder of the VAE; the answer is the picture, three bytes a pixel.
//
// In scope: the captions, files and settings of a run, the networks as sessions, the pictures' payloads, scoring a log.
// Out of scope: denoising (diffusion, euler), the scores (score), tokenizers (preprocess/text/clip), files of the data
// set (datasets/coco2014), the choice of model files (sdk/manifest), the backend.
package sdxl

import (
	"context"
	"embed"

	"github.com/plumbline-ml/plumbline/internal/synthetic/captioned"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/*.json model/*.onnx model/merges.txt model/statistics.npz
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{generateSettings{}}, Samples: captioned.EvalCount,
	})
}

// openWorkload reads the captions, the latent and the configuration files of the networks.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	captions, latent := openCaptions(r), openLatent(r, s.Latents)
	c, err := readConfiguration(s.configFolder(r.Files[unetPart].Path), s.Steps)
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return sdk.Runs(newCaptionWorkload(r, s, c, captions, latent)), nil
}
