package dlrm

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is nothing for a sample by itself that lies in memory as the model takes it. To write each prediction beside its
// label, as the log has it, is none: the label never leaves this machine, and the prediction stays what the server said.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, n int) []string {
	switch {
	case !w.shares():
		return []string{"indices and the offsets of their bags are copied or converted; parameters layout=bags and index=int32 are for models that take them as they are"}
	case n > 1:
		return []string{"samples are joined table by table, and the offsets of their bags are worked out"}
	}
	return nil
}
