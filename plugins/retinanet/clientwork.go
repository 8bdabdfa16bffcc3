package retinanet

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is never nothing: no form of model answers with the rows of the log.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	work := []string{"boxes, scores and labels are gathered into a row for each detection"}
	if w.corners.pixels {
		work = append(work, "boxes are divided by the size of the picture")
	}
	if !w.corners.yFirst {
		work = append(work, "the corners of boxes are put into another order")
	}
	if w.threshold > 0 || w.count != "" {
		work = append(work, "detections that do not count are dropped")
	}
	return work
}
