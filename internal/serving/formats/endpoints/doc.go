// Package endpoints reads and writes the files of the endpoints harness of MLPerf (mlcommons/endpoints, version 0.1.0):
// the configuration, the summary, the report, the events, the accuracy and the audit of a run.
//
// In scope: the records and requests of a point or of a LoadGen run; configurations. Out of scope: measuring, and the
// submission rules for these files.
package endpoints

import "github.com/plumbline-ml/plumbline/internal/serving/formats"

// Run is a measured point with the additional data in the files of a benchmark's result.
type Run struct {
	formats.Run

	// Agentic contains the data of a replay of recorded conversations; nil: not a replay.
	Agentic *Agentic
	// LoadGenRun contains the data of a run by LoadGen; nil: not such a run.
	LoadGen *LoadGenRun
}
