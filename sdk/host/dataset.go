package host

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// Dataset makes the plugin perform one of its model's DatasetActions. progress receives each progress line, and done
// describes the completed work for the user. When ctx ends, the work ends, but it may write until the plugin is closed.
// If the plugin has no such action, the error wraps sdk.ErrUsage.
func (p *Plugin) Dataset(
	ctx context.Context, r sdk.DatasetRequest, progress func(line string),
) (done string, err error) {
	able, err := p.hasCapability(ctx, wire.Dataset)
	if err != nil {
		return "", err
	}
	if !able {
		return "", sdk.Usage(fmt.Errorf("plugin %s does no work on data sets apart from runs (it lacks the capability %q)",
			p.name, wire.Dataset))
	}
	ctx, cancel := p.Context(ctx)
	defer cancel()
	stream, err := p.rpc.Dataset(ctx, convert.To[*pluginpb.DatasetRequest](r))
	for err == nil {
		var m *pluginpb.DatasetResponse
		if m, err = stream.Recv(); err != nil {
			break
		}
		done = m.GetDone()
		if line := m.GetProgress(); line != "" {
			progress(p.options.hideSecrets(line))
		}
	}
	switch {
	case errors.Is(err, io.EOF) && done != "":
		return p.options.hideSecrets(done), nil
	case errors.Is(err, io.EOF):
		return "", p.newFailure(KindProtocol, err, "work on a data set: it ended the call without saying what was done",
			faultHint)
	case ctx.Err() != nil:
		return "", fmt.Errorf("work on a data set: %w", context.Cause(ctx))
	}
	return "", p.callError("work on a data set", err)
}
