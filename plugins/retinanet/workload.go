package retinanet

import (
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*retinanetWorkload)(nil)

// retinanetWorkload is the benchmark with one model file and one data set.
type retinanetWorkload struct {
	detectorBinding
	*pictures.PictureSamples
	file backend.Model
}

func newRetinanetWorkload(b detectorBinding, file backend.Model, set pictures.PictureSet) *retinanetWorkload {
	return &retinanetWorkload{b, pictures.NewPictureSamples(set, b.pictureInput()), b.completeModel(file)}
}

func (w *retinanetWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }
