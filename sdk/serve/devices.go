package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// checkDevices checks the devices of a request before anything is opened.
func checkDevices(name string, b backend.Backend, o sdk.Options) error {
	if len(o.Devices) == 0 || b == nil {
		return nil
	}
	chooser, ok := b.(backend.DeviceChooser)
	if !ok {
		return sdk.Usage(fmt.Errorf("device %s: backend %s does not let a run choose its device%s",
			strings.Join(o.Devices, ", "), name, ownOptions(b)))
	}
	var faults []error
	for i, device := range o.Devices {
		switch {
		case device == "":
			faults = append(faults, errors.New("a device without a name"))
		case slices.Contains(o.Devices[:i], device):
			faults = append(faults, fmt.Errorf("device %s is named twice: it takes several batches at a time as it is", device))
		}
	}
	if n := len(o.Devices); o.Sessions > 0 && o.Sessions < n && o.Scenario != loadgen.SingleStream {
		faults = append(faults, fmt.Errorf("%d sessions for %d devices, want one for each at least", o.Sessions, n))
	}
	if err := errors.Join(faults...); err != nil {
		return sdk.Usage(err)
	}
	if err := chooser.CheckDevices(o.Devices, o.BackendOptions); err != nil {
		return fmt.Errorf("backend %s: %w", name, err)
	}
	return nil
}

// ownOptions returns a phrase that lists the options of a backend without a choice of devices, because they determine
// where it runs. It returns "" if there are no options.
func ownOptions(b backend.Backend) string {
	d, ok := b.(backend.Describer)
	if !ok {
		return ""
	}
	var names []string
	for _, o := range d.Describe().Options {
		names = append(names, o.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return "; where it runs is up to its own options: " + strings.Join(names, ", ")
}

// sessionSource is a backend and the sessions that it has opened: those of the workload, of each of its devices, or of
// its generators, which do not expose them.
type sessionSource struct {
	backend backend.Backend

	mu       sync.Mutex
	sessions []placedSession
}

// placedSession is a session of a part on a device.
type placedSession struct {
	backend.Session
	part, device string
}

// openSession opens the model on a single device, on several devices, or on the backend's choice.
func (s *sessionSource) openSession(
	ctx context.Context, m backend.Model, c backend.Config, devices []string,
) (backend.Session, error) {
	if len(devices) == 0 {
		return s.openOnDevice(ctx, m, c)
	}
	if len(devices) == 1 {
		c.Device = devices[0]
		one, err := s.openOnDevice(ctx, m, c)
		return one, onDevice(c.Device, err)
	}
	several, err := pool.OpenSessions(ctx, c, devices, func(ctx context.Context, c backend.Config) (backend.Session,
		error) {
		return s.openOnDevice(ctx, m, c)
	})
	if err != nil {
		return nil, err
	}
	return several, nil
}

func (s *sessionSource) openOnDevice(ctx context.Context, m backend.Model, c backend.Config) (opened backend.Session,
	err error) {
	defer batch.RecoverPanic(&err, func() string { return "the backend's Open" })
	c.Siblings = s.sessionsOn(c.Device)
	defer backend.StartWait(ctx, backend.WaitInfo{For: "the backend's Open" + onDeviceText(c.Device)}).End()
	if opened, err = s.backend.Open(ctx, m, c); err != nil {
		return nil, fmt.Errorf("open %s: %w", modelOf(m, c), markBackendError(err))
	}
	if opened == nil {
		return nil, fmt.Errorf("%w: its Open returned neither a session nor an error", backend.ErrFailed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, placedSession{opened, c.Part, c.Device})
	return opened, nil
}

// sessionsOn returns the open sessions on a device.
func (s *sessionSource) sessionsOn(device string) []backend.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []backend.Session
	for _, l := range s.sessions {
		if l.device == device {
			all = append(all, l.Session)
		}
	}
	return all
}

// sessionOf returns a session of a part, or nil if there is none.
func (s *sessionSource) sessionOf(part string) backend.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.sessions {
		if l.part == part {
			return l.Session
		}
	}
	return nil
}

// modelOf describes a model and its part for messages.
func modelOf(m backend.Model, c backend.Config) string {
	name := "model " + cmp.Or(m.Name, m.Path)
	if c.Part != "" {
		return "part " + c.Part + ", " + name
	}
	return name
}

// onDeviceText returns the device as the end of a phrase, or "" if there is no choice of devices.
func onDeviceText(device string) string {
	if device == "" {
		return ""
	}
	return " on device " + device
}

// onDevice adds the device that failed to open to an error.
func onDevice(device string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("device %s: %w", device, err)
}

// openGenerators opens generators like sessionSource.openSession opens sessions.
func openGenerators(
	ctx context.Context, c backend.Config, devices []string,
	open func(context.Context, backend.Config) (backend.Generator, error),
) (backend.Generator, error) {
	if len(devices) == 0 {
		return open(ctx, c)
	}
	if len(devices) == 1 {
		c.Device = devices[0]
		g, err := open(ctx, c)
		return g, onDevice(c.Device, err)
	}
	g, err := pool.OpenGenerators(ctx, c, devices, open)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// sharedWork is work that several devices share. Restart resets the counts after the warm-up.
type sharedWork interface{ Restart() }

// deviceShares returns the work of each of several devices or servers.
func deviceShares(engine any) []backend.WorkShare {
	if d, ok := engine.(backend.Describer); ok {
		return d.Describe().Shares
	}
	return nil
}

// backendInfos returns the descriptions of all backends in the binary.
func (r backendRegistry) backendInfos() []sdk.BackendInfo {
	all := make([]sdk.BackendInfo, len(r))
	for i, b := range r {
		all[i] = sdk.BackendInfo{Name: b.name, Info: b.backendInfo()}
	}
	return all
}

// backendInfo returns the description of the backend. If the backend panics, the description says so.
func (b namedBackend) backendInfo() (info backend.Info) {
	var fault error
	defer func() {
		if fault != nil {
			info = backend.Info{Details: map[string]string{"fault": fault.Error()}}
		}
	}()
	defer batch.RecoverPanic(&fault, func() string { return "Describe of backend " + b.name })
	if d, ok := b.backend.(backend.Describer); ok {
		info = d.Describe()
	}
	if _, ok := b.backend.(backend.DeviceChooser); !ok {
		info.Devices = nil // there are no devices to choose from
	}
	return info
}
