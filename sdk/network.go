package sdk

import (
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// NodeInfo is a machine that runs the model, as its client sees it.
type NodeInfo struct {
	Address string // as the backend's options name it
	Name    string // as it calls itself; empty: it has none to tell
	Peer    string // the network address that answered, IP:PORT; empty: not known
	// RoundTripP50 and RoundTripP99 are percentiles of a small request and its answer, the node's work on it included.
	RoundTripP50, RoundTripP99 time.Duration
	BytesPerSecond             float64 // from here to the node
}

// ClientWorker is an optional interface of a Workload that says what it does, within the timed run, where its model
// runs on other machines. A workload without it is taken to do work there.
type ClientWorker interface {
	// ClientWork lists what Collate, Postprocess, AppendTokens or a Run do to samples and answers beyond handing them on
	// ("the greatest score is looked for (ArgMax)"); nothing where they only copy. inputs and outputs are the opened
	// model's, none of a backend.Generator's or of several parts; batch is how many samples share a request at most. It is
	// asked when the workload is open, and again at the end of the run, so that it can tell what showed meanwhile.
	ClientWork(inputs, outputs []backend.TensorInfo, batch int) []string
}
