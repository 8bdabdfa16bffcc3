package sdk

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Runner is an optional interface of a Workload whose samples are not one row of a batch each: a volume, say, that goes
// through the model window by window. The sdk then calls neither Collate nor Postprocess, and gives each worker one
// sample at a time; Options.Batch is left to the workload.
type Runner interface {
	// NewRun returns what takes the samples of one worker through the session. It is called once per worker.
	NewRun(session backend.Session) SampleRun
}

// SampleRun takes samples through a session, one at a time. It belongs to one worker and may reuse its memory from
// sample to sample.
type SampleRun interface {
	// Run infers one sample, in as many runs of the session as it likes, one at a time, and appends its payload to p.
	// It returns soon after ctx ends.
	Run(ctx context.Context, sample Sample, p *Payloads) error
}
