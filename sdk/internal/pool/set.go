package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// PartSet contains the sessions of a workload's parts on one device, by the parts' names.
type PartSet struct{ parts map[string]*limitedSession }

// limitedSession is a session that limits its concurrent runs.
type limitedSession struct {
	backend.Session
	name  string
	turns chan struct{} // semaphore for concurrent runs
}

// Add adds the session of a part, which was opened for asked concurrent runs; 0: its maximum. The set closes the
// session.
func (s *PartSet) Add(name string, session backend.Session, asked int) {
	if s.parts == nil {
		s.parts = map[string]*limitedSession{}
	}
	most := concurrentRuns(session.Limits().Concurrency, asked)
	s.parts[name] = &limitedSession{Session: session, name: name, turns: make(chan struct{}, most)}
}

// partNames returns the names of the parts, sorted.
func (s *PartSet) partNames() []string { return slices.Sorted(maps.Keys(s.parts)) }

// Run implements backend.Session.
func (p *limitedSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer backend.StartWait(ctx, p.waitInfo()).End()
	return p.wrapError(p.Session.Run(ctx, in, out))
}

func (p *limitedSession) waitInfo() backend.WaitInfo {
	if p.name == "" {
		return backend.WaitInfo{For: "a run of the session"}
	}
	return backend.WaitInfo{For: "a run of part " + p.name}
}

// wrapError adds the name of the part, if it has one, to an error.
func (p *limitedSession) wrapError(err error) error {
	if err == nil || p.name == "" {
		return err
	}
	return fmt.Errorf("part %s: %w", p.name, err)
}

// Limits returns the limits of samples that pass through all parts. The concurrency is that of the part with the
// highest one. There is no limit of the batch, because such limits concern the rows of single runs.
func (s *PartSet) Limits() backend.Limits {
	var all backend.Limits
	preferring := true
	for _, p := range s.parts {
		l := p.Limits()
		preferring = preferring && l.Concurrency > 0
		all.Concurrency = max(all.Concurrency, l.Concurrency)
		all.PreferredBatch = minLimit(all.PreferredBatch, l.PreferredBatch)
		all.Native = all.Native || l.Native
	}
	if !preferring {
		all.Concurrency = 0
	}
	return all
}

// Close closes the sessions.
func (s *PartSet) Close() error {
	var faults []error
	for _, name := range s.partNames() {
		faults = append(faults, s.parts[name].wrapError(s.parts[name].Close()))
	}
	return errors.Join(faults...)
}

// Describe combines the descriptions of the sessions. Details that are equal for all have their own key; others have
// the key PART.KEY.
func (s *PartSet) Describe() backend.Info {
	all := backend.Info{Details: map[string]string{}}
	var infos []backend.Info
	for _, name := range s.partNames() {
		info := backend.Info{}
		if d, ok := s.parts[name].Session.(backend.Describer); ok {
			info = d.Describe()
		}
		infos = append(infos, info)
		all.Version = cmp.Or(all.Version, info.Version)
		for _, device := range info.Devices {
			if !slices.Contains(all.Devices, device) {
				all.Devices = append(all.Devices, device)
			}
		}
		for _, share := range info.Shares {
			if name != "" {
				share.Name = name + ": " + share.Name
			}
			all.Shares = append(all.Shares, share)
		}
	}
	for i, name := range s.partNames() {
		for key, value := range infos[i].Details {
			if slices.ContainsFunc(infos, func(o backend.Info) bool { return o.Details[key] != value }) {
				key = name + "." + key
			}
			all.Details[key] = value
		}
	}
	return all
}

// PartSets contains the parts of a workload on each of one or more devices.
type PartSets struct{ *devicePool[*PartSet] }

var (
	_ backend.Describer   = (*PartSets)(nil)
	_ backend.Remote      = (*PartSets)(nil)
	_ backend.LocalWorker = (*PartSets)(nil)
)

// OpenPartSets opens the parts on each device with opener, like OpenSessions. A single device may be "", which means
// the backend's choice.
func OpenPartSets(
	ctx context.Context, c backend.Config, devices []string, opener func(context.Context, backend.Config) (*PartSet,
		error),
) (*PartSets, error) {
	w, err := openAll(ctx, c, devices, opener)
	if err != nil {
		return nil, err
	}
	return &PartSets{w}, nil
}

// Describe combines the descriptions of the devices. If there are several, it adds the share of each.
func (s *PartSets) Describe() backend.Info {
	if len(s.members) == 1 {
		return s.members[0].engine.Describe()
	}
	return s.devicePool.Describe()
}

// Nodes returns the machines of which the sessions are clients, each once.
func (s *PartSets) Nodes() []backend.RemoteNode {
	var all []backend.RemoteNode
	s.withEachPart(func(p *limitedSession) {
		r, ok := p.Session.(backend.Remote)
		if !ok {
			return
		}
		for _, n := range r.Nodes() {
			if !slices.ContainsFunc(all, func(o backend.RemoteNode) bool { return o.Address() == n.Address() }) {
				all = append(all, n)
			}
		}
	})
	return all
}

// LocalWork returns the work of the sessions on this machine.
func (s *PartSets) LocalWork() []string {
	var all []string
	s.withEachPart(func(p *limitedSession) {
		if w, ok := p.Session.(backend.LocalWorker); ok {
			all = append(all, w.LocalWork()...)
		}
	})
	return all
}

// withEachPart calls f for all sessions of all devices.
func (s *PartSets) withEachPart(f func(p *limitedSession)) {
	for _, m := range s.members {
		for _, name := range m.engine.partNames() {
			f(m.engine.parts[name])
		}
	}
}

// PartLane processes one batch of samples at a time with all parts on one device. Begin chooses the device, so each
// part finds the tensors that another part has kept. One goroutine uses a lane, but several may make the runs between
// Begin and End.
type PartLane struct {
	*PartSets
	device  *poolMember[*PartSet] // nil: outside Begin and End
	runs    atomic.Int64
	samples int
}

// Lane returns a lane. Each worker has one.
func (s *PartSets) Lane() *PartLane { return &PartLane{PartSets: s} }

// Sessions returns the parts for the lane's worker, by name.
func (l *PartLane) Sessions() map[string]backend.Session {
	all := map[string]backend.Session{}
	for name := range l.members[0].engine.parts {
		all[name] = &laneSession{lane: l, name: name, stages: map[*limitedSession]backend.Stage{}}
	}
	return all
}

// Begin chooses the device for a batch of samples.
func (l *PartLane) Begin(samples int) {
	l.device, l.samples = l.beginRun(), samples
	l.runs.Store(0)
}

// Abandon replaces End for a batch that is not answered.
func (l *PartLane) Abandon() {
	l.samples = 0
	l.End()
}

// End counts the batch's runs and samples for the device.
func (l *PartLane) End() {
	l.endRun(l.device, int(l.runs.Load()), l.samples)
	l.device = nil
}

// laneSession is a part on the device that its lane has chosen. Before Begin it uses the first device.
type laneSession struct {
	lane   *PartLane
	name   string
	stages map[*limitedSession]backend.Stage // by device
}

func (s *laneSession) currentPart() *limitedSession {
	if at := s.lane.device; at != nil {
		return at.engine.parts[s.name]
	}
	return s.lane.members[0].engine.parts[s.name]
}

func (s *laneSession) Inputs() []backend.TensorInfo  { return s.currentPart().Inputs() }
func (s *laneSession) Outputs() []backend.TensorInfo { return s.currentPart().Outputs() }
func (s *laneSession) Limits() backend.Limits        { return s.currentPart().Limits() }

// Close does nothing, because the set closes its sessions.
func (s *laneSession) Close() error { return nil }

// CacheMemory implements backend.OutputCache.
func (s *laneSession) CacheMemory() any { return backend.CacheMemory(s.currentPart().Session) }

// Run waits for a turn of the part and runs the batch.
func (s *laneSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	p := s.currentPart()
	err := p.Run(ctx, in, out)
	if err == nil {
		s.lane.runs.Add(1)
	} else if at := s.lane.device; at != nil && at.name != "" {
		err = fmt.Errorf("device %s: %w", at.name, err)
	}
	return err
}

// Stage implements backend.Stager. The inputs are in the memory of the device that the lane has chosen.
func (s *laneSession) Stage() backend.Stage {
	for _, m := range s.lane.members {
		if _, ok := m.engine.parts[s.name].Session.(backend.Stager); ok {
			return &laneStage{current: s.currentStage}
		}
	}
	return nil
}

// currentStage returns the stage of the chosen device, or nil if it has none.
func (s *laneSession) currentStage() backend.Stage {
	p := s.currentPart()
	known, made := s.stages[p]
	if made {
		return known
	}
	if stager, ok := p.Session.(backend.Stager); ok {
		known = stager.Stage()
	}
	s.stages[p] = known
	return known
}
