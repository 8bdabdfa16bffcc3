package unet3d

import (
	_ "embed" // manifest.json

	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/plugins/unet3d/model"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

func readManifest() (*manifest.Manifest, error) {
	return manifest.Read(manifestText, manifest.Embedded{
		Card:    model.Card().Card,
		Bytes:   model.Bytes,
		Samples: volumes.Eval().Len(),
	})
}
