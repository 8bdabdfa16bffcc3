package bert

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is nothing for a model that takes int64 features of any length, one at a time, and answers with the log's pairs for
// all of its positions.
func (w *workload) ClientWork(inputs, outputs []backend.TensorInfo, n int) []string {
	var work []string
	switch {
	case len(w.outputs) == 2:
		work = append(work, fmt.Sprintf("start and end logits are gathered into pairs, with %d behind the feature's end; "+
			"parameter outputs=NAME is for models with one output of pairs", absent))
	case len(outputs) != 1 || len(outputs[0].Shape) != 3 || outputs[0].Shape[1] != length:
		work = append(work, fmt.Sprintf("pairs of %d are put behind the feature's end where the model answers with fewer than %d", absent, length))
	}
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
