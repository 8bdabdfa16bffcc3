// Package engine measures a server of language models without a benchmark. It sends requests according to a load,
// records each, and computes figures from the records.
//
// In scope: sending at due times and by users, warm-up, windows, points and sweeps. Out of scope: the wire protocol
// (the caller's Asker), requests (prompts), times (arrival), figures (metrics), limits (objective), curves (curve).
package engine

import (
	"context"

	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// Asker sends requests to a server. It must be safe for concurrent use.
type Asker interface {
	// Prepare encodes a request for the server before the measurement. The engine passes the result to Ask.
	Prepare(a *prompts.Ask) (Prepared, error)
	// Ask sends a request once. It records Sent, Events, Usage, End, Status, Fault, Server and Read in r, with times of
	// clock. It returns when the stream is closed, and does not use r afterwards. It records an end of ctx as
	// metrics.Cancelled; the engine may replace that status with the cause.
	Ask(ctx context.Context, p Prepared, clock Clock, r *metrics.Request)
}

// Answerer is an Asker that also returns the text of answers. Sessions that continue from the server's own answers
// require it. The text excludes reasoning; it is empty if there was no text.
type Answerer interface {
	Asker
	Answer(ctx context.Context, p Prepared, clock Clock, r *metrics.Request) (text string)
}

// Prepared is an encoded request. Only the Asker that made it knows its type.
type Prepared any

// Clock returns the nanoseconds since the start of a measurement.
type Clock interface{ Now() int64 }
