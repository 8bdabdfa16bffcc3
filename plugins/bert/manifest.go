package bert

import (
	_ "embed" // manifest.json

	"github.com/plumbline-ml/plumbline/plugins/bert/model"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

func readManifest() (*manifest.Manifest, error) {
	card := model.Card()
	return manifest.Read(manifestText, manifest.Embedded{Card: card.Card, Bytes: model.Bytes, Samples: card.EvalFeatures})
}
