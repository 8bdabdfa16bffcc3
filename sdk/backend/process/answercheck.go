package process

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// awaitAnswer notes that an answer of the process is awaited.
func (p *childProcess) awaitAnswer(ctx context.Context, to string) *backend.PendingWait {
	where := ""
	if p.device != "" {
		where = " on device " + p.device
	}
	return backend.StartWait(ctx, backend.WaitInfo{For: "the backend process's answer to " + to + where,
		PID: p.serverPID()})
}

// checkUnasked returns an error where the process has answered before it was asked. It is all that keeps the next
// batch from the answer to the one before where answers have no names.
func (l *clientLane) checkUnasked() error {
	select {
	case extra := <-l.replies:
		if extra.err != nil {
			return l.session.child.explainError("run a batch", extra.err)
		}
		return fmt.Errorf("%w: the backend process answered what it was not asked%s, want one answer to each request",
			backend.ErrFailed, l.nameOf(extra.response))
	default:
		return nil
	}
}

// nameOf says which request an answer names, where it can.
func (l *clientLane) nameOf(r *backendpb.RunResponse) string {
	if !l.session.named {
		return ""
	}
	return fmt.Sprintf(" (request %d; the last was %d, and is answered)", r.Request, l.sent)
}

// checkRequestID returns an error where a reply is not the answer to the last request, as far as answers have names.
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
