package llm

import (
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// seen is what only answers can tell.
type seen struct {
	text atomic.Bool // one came without token ids
	cut  atomic.Bool // one went on behind its end token
}

// ClientWork is nothing where token ids go over and come back: prompts are tokenised before the run, untimed, as the rules want
// it of the library of samples.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	var work []string
	if w.tokenizer == nil {
		work = append(work, "prompts are sent as text; the network division's are token ids (parameter tokenizer)")
	}
	if w.seen.text.Load() {
		work = append(work, "answers that come as text are taken apart into tokens; let the server report token ids")
	}
	if w.seen.cut.Load() {
		work = append(work, "answers are cut at their end token")
	}
	return work
}
