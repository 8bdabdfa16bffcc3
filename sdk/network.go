package sdk

import (
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// NodeInfo describes a machine that runs the model, from its client's view.
type NodeInfo struct {
	Address string // as in the backend's options
	Name    string // as reported by the machine; empty: not reported
	Peer    string // the network address that answered, IP:PORT; empty: not known
	// RoundTripP50 and RoundTripP99 are percentiles of the time of a small request and its answer, including the node's
	// work.
	RoundTripP50, RoundTripP99 time.Duration
	BytesPerSecond             float64 // to the node
}

// ClientWorker is an optional interface of a Workload that lists its work within the timed run when its model runs on
// other machines. A workload without this interface is assumed to do such work.
type ClientWorker interface {
	// ClientWork lists the work of Collate, Postprocess, AppendTokens or a Run on samples and answers, apart from passing
	// them on ("it searches for the greatest score (ArgMax)"). It returns nil if they only copy. inputs and outputs are
	// the open model's tensors, and empty for a backend.Generator or several parts. batch is the maximum number of samples
	// per request. The sdk calls it when the workload is open and again at the end of the run, so the list can include
	// later findings.
	ClientWork(inputs, outputs []backend.TensorInfo, batch int) []string
}
