package sdk

import "context"

// Runner is a Workload that passes its samples through the sessions itself. It is for samples that are more than one
// row of a batch (a volume, window by window) or that need several parts.
type Runner interface {
	// NewRun returns a Run for one worker. The sdk calls it once per worker.
	NewRun(sessions Sessions) (Run, error)
	// MaxBatch returns the maximum number of samples per Run; 0: the preference of the user or the backend. A Sizer
	// determines which samples share a Run.
	MaxBatch() int
}

// Run passes batches of samples through the sessions. It belongs to one worker and may reuse its memory for later
// batches.
type Run interface {
	// Run infers the samples with any number of session runs, and appends one payload for each to p, in order: with
	// p.Append, or all with p.AppendTokens. A session's Run waits while the session is at its limit of concurrent runs.
	// Run returns soon after ctx ends.
	Run(ctx context.Context, samples []Sample, p *Payloads) error
}

// Overlapper is an optional interface of a Runner that does its own work in addition to its sessions' runs.
type Overlapper interface {
	// ExtraRuns returns the number of Runs beyond the concurrent batches of the sessions, so that the workload's own
	// work (sampling, features) overlaps with inference.
	ExtraRuns() int
}
