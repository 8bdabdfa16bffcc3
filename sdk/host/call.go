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

// deathLooks is how long a broken connection waits for the news that the process has ended, which says more.
const deathLooks = 40

// callUnary makes one unary call. It ends at once when the plugin fails, and turns statuses into errors.
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

// watchedCall makes a call that is held to the limit of LaunchOptions.AnswerTimeout.
func watchedCall[Q, R any](
	ctx context.Context, p *Plugin, what string, method func(context.Context, Q, ...grpc.CallOption) (R, error), request Q,
) (R, error) {
	defer p.calls.beginCall(what)()
	return callUnary(ctx, p, what, method, request)
}

// callError makes an error of a status.
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

// awaitFailure waits for the plugin's failure, and returns it: a moment where its process may live on, and until it is
// known where that has ended.
func (p *Plugin) awaitFailure() error {
	for range deathLooks {
		select {
		case <-p.failed.Done():
			return context.Cause(p.failed)
		case <-p.process.ended:
			<-p.failed.Done() // watchProcess sees to it
			return context.Cause(p.failed)
		case <-time.After(look):
		}
	}
	return nil
}
