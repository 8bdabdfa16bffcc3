package llm

import (
	_ "embed" // manifest.json

	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
	"github.com/plumbline-ml/plumbline/plugins/llm/model"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

func readManifest() (*manifest.Manifest, error) {
	return manifest.Read(manifestText, manifest.Embedded{
		Card:    model.Card().Card,
		Bytes:   model.Bytes,
		Samples: articles.Eval().Len(),
	})
}
