package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// Backends returns the descriptions of the plugin's backends: devices, options and libraries. It opens no model. It
// returns an empty list for a plugin without this call, built with an older sdk or without the sdk.
func (p *Plugin) Backends(ctx context.Context) ([]sdk.BackendInfo, error) {
	r, err := callUnary(ctx, p, "describe", p.rpc.Describe, &pluginpb.DescribeRequest{Backends: true})
	if err != nil {
		return nil, err
	}
	return convert.To[[]sdk.BackendInfo](r.GetBackends()), nil
}

// requireDevices returns an error if the plugin would ignore the requested devices.
func (p *Plugin) requireDevices(ctx context.Context, devices []string) error {
	if len(devices) == 0 {
		return nil
	}
	if able, err := p.hasCapability(ctx, wire.Devices); able || err != nil {
		return err
	}
	return sdk.Usage(fmt.Errorf("device %s: plugin %s knows no devices (capability %q); rebuild it with this version's "+
		"sdk, or leave the device out",
		strings.Join(devices, ", "), p.name, wire.Devices))
}

// hasCapability reports whether the plugin has a capability.
func (p *Plugin) hasCapability(ctx context.Context, capability string) (bool, error) {
	r, err := callUnary(ctx, p, "describe", p.rpc.Describe, &pluginpb.DescribeRequest{})
	return slices.Contains(r.GetCapabilities(), capability), err
}
