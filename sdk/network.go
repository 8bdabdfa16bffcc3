package sdk

import (
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// NodeInfo describes a machine that runs the model, from its client's view.
type NodeInfo struct {
	Address string // as the backend's options name it
	Name    string // as reported by the machine; empty: it reported none
	Peer    string // the network address that answered, IP:PORT; empty: not known
	// RoundTripP50 and RoundTripP99 are percentiles of a small request and its answer, the node's work on it included.
	RoundTripP50, RoundTripP99 time.Duration
	BytesPerSecond             float64 // from here to the node
}

// ClientWorker is an optional interface of a Workload that lists its work within the timed run when its model runs on
// other machines. A workload without this interface is assumed to do such work.
type ClientWorker interface {
	// ClientWork lists what Collate, Postprocess, AppendTokens or a Run do to samples and answers beyond handing them
	// on ("the greatest score is looked for (ArgMax)"); nothing if they only copy. inputs and outputs are the opened
	// model's tensors, empty for a backend.Generator or several parts; batch is the maximum number of samples per
	// request. The sdk calls it when the workload is open and again at the end of the run, so that the list can include
	// later findings.
	ClientWork(inputs, outputs []backend.TensorInfo, batch int) []string
}
