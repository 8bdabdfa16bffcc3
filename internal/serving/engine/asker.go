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
	// Prepare writes a request as the server wants it: before the measurement. What it returns is given to Ask.
	Prepare(a *prompts.Ask) (Prepared, error)
	// Ask sends a request, and records in r, by clock, what comes: Sent, Events, Usage, End, Status, Fault, Server, Read.
	// It returns when the stream is closed; r is not touched after that. It tries once. An end of ctx is recorded as
	// metrics.Cancelled; the engine knows better why.
	Ask(ctx context.Context, p Prepared, clock Clock, r *metrics.Request)
}

// Answerer is an Asker that also returns the text of answers, as sessions that continue from the server's own answers
// require. The text is empty if there was none, and excludes reasoning.
type Answerer interface {
	Asker
	Answer(ctx context.Context, p Prepared, clock Clock, r *metrics.Request) (text string)
}

// Prepared is an encoded request. Only the Asker that made it knows its type.
type Prepared any

// Clock returns the nanoseconds since the start of a measurement.
type Clock interface{ Now() int64 }
