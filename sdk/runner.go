package sdk

import "context"

// Runner is a Workload that takes its samples through the sessions itself: samples that are more than one row of a
// batch (a volume, window by window), or that go through several parts.
type Runner interface {
	// NewRun returns what takes the samples of one worker through the sessions. It is called once per worker.
	NewRun(sessions Sessions) (Run, error)
	// MaxBatch is how many samples a Run takes at a time at most; 0: as many as the user or the backend prefers. A Sizer
	// says which samples share a Run.
	MaxBatch() int
}

// Run takes batches of samples through the sessions. It belongs to one worker and may reuse its memory from batch to
// batch.
type Run interface {
	// Run infers the samples, in as many runs of the sessions as it likes, and appends one payload for each to p, in
	// order: with p.Append, or all with p.AppendTokens. A session's Run waits while the session has as many under way as
	// it takes. It returns soon after ctx ends.
	Run(ctx context.Context, samples []Sample, p *Payloads) error
}

// Overlapper is an optional interface of a Runner that has more to do than to wait for its sessions.
type Overlapper interface {
	// ExtraRuns is how many more Runs there are than batches that the sessions take at a time, so that the own work of
	// some (sampling, features) overlaps with inference of others.
	ExtraRuns() int
}
