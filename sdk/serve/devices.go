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

// checkDevices says what is wrong with the devices of a request, before anything is opened.
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

// ownOptions says with which options a backend without a choice of devices is told where to run, if it has any.
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

// sessionSource is a backend, and the sessions that it has opened: of a workload's own, of each of its devices, or of
// its generators, which hide them.
type sessionSource struct {
	backend backend.Backend

	mu       sync.Mutex
	sessions []placedSession
}

// placedSession is a session of a part, on a device.
type placedSession struct {
	backend.Session
	part, device string
}

// openSession opens the model on the one device, on each of several, or where the backend chooses.
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
		return nil, fmt.Errorf("open %s: %w", modelOf(m, c), ofBackend(err))
	}
	if opened == nil {
		return nil, fmt.Errorf("%w: its Open returned neither a session nor an error", backend.ErrFailed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, placedSession{opened, c.Part, c.Device})
	return opened, nil
}

// sessionsOn are the sessions that are open on a device.
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

// sessionOf is a session of a part, nil where there is none.
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

// modelOf names a model for messages, and its part.
func modelOf(m backend.Model, c backend.Config) string {
	name := "model " + cmp.Or(m.Name, m.Path)
	if c.Part != "" {
		return "part " + c.Part + ", " + name
	}
	return name
}

// onDeviceText names the device of something, if there is a choice.
func onDeviceText(device string) string {
	if device == "" {
		return ""
	}
	return " on device " + device
}

// onDevice names the device that failed to open.
func onDevice(device string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("device %s: %w", device, err)
}

// openGenerators opens a generator as sessionSource.openSession opens a session.
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

// sharedWork is work that several devices share: what counts as done begins anew after the warm-up.
type sharedWork interface{ Restart() }

// deviceShares is what each of several devices, or servers, has done.
func deviceShares(engine any) []backend.WorkShare {
	if d, ok := engine.(backend.Describer); ok {
		return d.Describe().Shares
	}
	return nil
}

// backendInfos asks every backend of the binary what it is.
func (r backendRegistry) backendInfos() []sdk.BackendInfo {
	all := make([]sdk.BackendInfo, len(r))
	for i, b := range r {
		all[i] = sdk.BackendInfo{Name: b.name, Info: b.backendInfo()}
	}
	return all
}

// backendInfo is what the backend says of itself; one that panics says so.
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
		info.Devices = nil // there is none to choose
	}
	return info
}
