package dlrm

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is about the inputs. To write each prediction beside its label, as the log has it, is none: the label never leaves
// this machine, and the prediction stays what the server said.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, n int) []string {
	work := []string{"the offsets of the bags of indices are worked out"}
	if w.index != backend.Int32 {
		work = append(work, fmt.Sprintf("indices are converted to %v; parameter index=int32 is for models that take them as they are", w.index))
	}
	if w.layout != bags || n > 1 {
		work = append(work, "indices are copied table by table into the inputs")
	}
	return work
}
