package loadgen

import (
	"context"
	"errors"
)

// Progress holds the counters of a running test.
type Progress struct{}

// Snapshot reads the counters; any goroutine may call it.
func (p *Progress) Snapshot() ProgressSnapshot { return ProgressSnapshot{} }

// StartTest runs one test and returns when every issued sample is answered and the logs are written.
//
// Bad settings and a SUT that breaks the contract give an error; an INVALID run does not: its Result says why.
// When ctx ends, issuing stops, and outstanding samples are awaited for a short grace; what was measured is logged,
// marked as aborted, and returned beside the error (context.Cause of ctx is wrapped).
func StartTest(ctx context.Context, sut SUT, qsl QSL, s TestSettings, l LogSettings) (*Result, error) {
	return nil, errors.ErrUnsupported
}
