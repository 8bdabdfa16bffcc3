package bert

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is never nothing: models have two outputs, and the log one row of pairs.
func (w *workload) ClientWork(inputs, _ []backend.TensorInfo, n int) []string {
	work := []string{fmt.Sprintf("start and end logits are gathered into pairs, with %d behind the feature's end", absent)}
	if w.pads(inputs, n) {
		work = append(work, "features are padded to one length")
	}
	for _, in := range inputs {
		if in.DType != backend.Int64 {
			work = append(work, fmt.Sprintf("token ids, masks and segments are converted to %v", in.DType))
			break
		}
	}
	return work
}

// pads tells whether a request may hold a feature that is shorter than its row.
func (w *workload) pads(inputs []backend.TensorInfo, n int) bool {
	if n > 1 || w.padded > 0 || w.fixed.Load() {
		return true
	}
	return len(inputs) > 0 && len(inputs[0].Shape) == 2 && inputs[0].Shape[1] > 0
}
