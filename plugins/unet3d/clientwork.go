package unet3d

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is never nothing: a model takes windows, and a sample is a volume.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"each volume is cut into overlapping windows, one request or more for a sample",
		"the scores of windows are weighted and added up, and the class of each voxel is looked for (ArgMax)",
	}
}
