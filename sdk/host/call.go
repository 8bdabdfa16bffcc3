package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk"
)

// deathChecks is how long a broken connection waits for the exit of the process, which explains more. The unit is
// checkInterval.
const deathChecks = 40

// callUnary makes one unary call. It returns immediately when the plugin fails, and converts statuses to errors.
func callUnary[Q, R any](
	ctx context.Context, p *Plugin, what string, method func(context.Context, Q, ...grpc.CallOption) (R, error), request Q,
) (R, error) {
	ctx, cancel := p.Context(ctx)
	defer cancel()
	defer p.unary.beginCall(what)()
	answer, err := method(ctx, request)
	if err == nil {
		return answer, nil
	}
	var none R
	if ctx.Err() != nil {
		return none, fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	return none, p.callError(what, err)
}

// watchedCall makes a call that LaunchOptions.AnswerTimeout limits.
func watchedCall[Q, R any](
	ctx context.Context, p *Plugin, what string, method func(context.Context, Q, ...grpc.CallOption) (R, error), request Q,
) (R, error) {
	defer p.calls.beginCall(what)()
	return callUnary(ctx, p, what, method, request)
}

// callError converts a status to an error.
func (p *Plugin) callError(what string, err error) error {
	s := status.Convert(err)
	if p.outOfFiles(s.Message()) {
		return p.overFiles(err, s.Message())
	}
	switch s.Code() {
	case codes.InvalidArgument:
		return sdk.Usage(errors.New(p.messageText(s.Message())))
	case codes.FailedPrecondition:
		return sdk.Data(errors.New(p.messageText(s.Message())))
	case codes.Unavailable, codes.Canceled:
		if cause := p.awaitFailure(); cause != nil {
			return cause
		}
	case codes.Unimplemented:
		return p.newFailure(KindProtocol, err, fmt.Sprintf("it does not know the call %q", what),
			"rebuild the plugin with this version's sdk")
	}
	p.process.awaitKept()
	return p.newFailure(KindFailed, err, fmt.Sprintf("%s: %s", what, s.Message()), "")
}

// awaitFailure waits for the plugin's failure and returns it. If the process may still be running, it waits only
// briefly. If the process has ended, it waits until the failure is known.
func (p *Plugin) awaitFailure() error {
	for range deathChecks {
		select {
		case <-p.failed.Done():
			return context.Cause(p.failed)
		case <-p.process.ended:
			<-p.failed.Done() // watchProcess closes it
			return context.Cause(p.failed)
		case <-time.After(checkInterval):
		}
	}
	return nil
}
