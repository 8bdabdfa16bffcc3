package process

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// awaitAnswer starts a wait for an answer of the process.
func (p *childProcess) awaitAnswer(ctx context.Context, to string) *backend.PendingWait {
	where := ""
	if p.device != "" {
		where = " on device " + p.device
	}
	return backend.StartWait(ctx, backend.WaitInfo{For: "the backend process's answer to " + to + where,
		PID: p.serverPID()})
}

// checkUnasked returns an error if the process has answered before a request. If answers do not name their requests,
// only this check prevents that a batch gets the answer to the previous one.
func (l *clientLane) checkUnasked() error {
	select {
	case extra := <-l.replies:
		if extra.err != nil {
			return l.session.child.explainError("run a batch", extra.err)
		}
		return fmt.Errorf("%w: the backend process answered what it was not asked%s, want one answer to each request",
			backend.ErrFailed, l.describeRequest(extra.response))
	default:
		return nil
	}
}

// describeRequest describes the request that an answer names, if it names one.
func (l *clientLane) describeRequest(r *backendpb.RunResponse) string {
	if !l.session.named {
		return ""
	}
	return fmt.Sprintf(" (request %d; the last was %d, and is answered)", r.Request, l.sent)
}

// checkRequestID returns an error if a reply names a request other than the last one.
func (l *clientLane) checkRequestID(r *backendpb.RunResponse) error {
	switch {
	case !l.session.named || r.Request == l.sent:
		return nil
	case r.Request == 0:
		return fmt.Errorf("%w: the backend process answered without the id of the request, want %d in the field request: "+
			"it has the capability %q",
			backend.ErrFailed, l.sent, requestIDs)
	}
	return fmt.Errorf("%w: the backend process answered request %d, want one answer to request %d, which is the one in "+
		"work on this stream",
		backend.ErrFailed, r.Request, l.sent)
}
