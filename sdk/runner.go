package sdk

import "context"

// Runner is a Workload that takes its samples through the sessions itself: samples that are more than one row of a
// batch (a volume, window by window), or that go through several parts.
type Runner interface {
	// NewRun returns a Run for one worker. The sdk calls it once per worker.
	NewRun(sessions Sessions) (Run, error)
	// MaxBatch returns the maximum number of samples per Run; 0: the preference of the user or the backend. A Sizer
	// determines which samples share a Run.
	MaxBatch() int
}

// Run takes batches of samples through the sessions. It belongs to one worker and may reuse its memory from batch to
// batch.
type Run interface {
	// Run infers the samples, in as many runs of the sessions as it likes, and appends one payload for each to p, in
	// order: with p.Append, or all with p.AppendTokens. A session's Run waits while the session is at its limit of
	// concurrent runs. Run returns soon after ctx ends.
	Run(ctx context.Context, samples []Sample, p *Payloads) error
}

// Overlapper is an optional interface of a Runner that does work of its own in addition to its sessions' runs.
type Overlapper interface {
	// ExtraRuns returns the number of Runs beyond the concurrent batches of the sessions, so that the workload's own
	// work (sampling, features) overlaps with inference.
	ExtraRuns() int
}
