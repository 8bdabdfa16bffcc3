package retinanet

import (
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// workload is the benchmark opened on one model file and one data set.
type workload struct {
	binding
	*pictures.Samples
	file backend.Model
}

func newWorkload(b binding, file backend.Model, set pictures.Set) *workload {
	return &workload{b, pictures.New(set, b.picture()), b.model(file)}
}

func (w *workload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }
