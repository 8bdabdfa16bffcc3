package retinanet

import (
	_ "embed" // manifest.json

	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/plugins/retinanet/model"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

func readManifest() (*manifest.Manifest, error) {
	return manifest.Read(manifestText, manifest.Embedded{
		Card:               model.Card().Card,
		Bytes:              model.Bytes,
		Samples:            scenes.Eval().Len(),
		PerformanceSamples: performanceSamples,
	})
}
