package resnet50

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// ClientWork is nothing for a model whose output is class numbers without an offset: they are written in the log's type.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	var work []string
	if w.scores {
		work = append(work, "the class with the greatest score is looked for (ArgMax); parameter answer=class is for models that answer with the class")
	}
	if w.offset != 0 {
		work = append(work, fmt.Sprintf("%d is subtracted from each class; parameter offset=0 is for models that number the classes from 0", w.offset))
	}
	return work
}
