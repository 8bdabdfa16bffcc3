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

// Set is the sessions of a workload's parts on one device, by the parts' names.
type Set struct{ parts map[string]*part }

// part is a session that lets no more runs in than it takes at a time.
type part struct {
	backend.Session
	name  string
	turns chan struct{} // has room for the runs at a time: whoever put a value in may run
}

// Add adds the session of a part, which was opened for asked runs at a time; 0: as many as it takes. The set closes it.
func (s *Set) Add(name string, session backend.Session, asked int) {
	if s.parts == nil {
		s.parts = map[string]*part{}
	}
	most := atATime(session.Limits().Concurrency, asked)
	s.parts[name] = &part{Session: session, name: name, turns: make(chan struct{}, most)}
}

// names are those of the parts, sorted.
func (s *Set) names() []string { return slices.Sorted(maps.Keys(s.parts)) }

// Run implements backend.Session.
func (p *part) Run(ctx context.Context, in, out []backend.Tensor) error {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer backend.Await(ctx, p.wait()).End()
	return p.of(p.Session.Run(ctx, in, out))
}

func (p *part) wait() backend.Wait {
	if p.name == "" {
		return backend.Wait{For: "a run of the session"}
	}
	return backend.Wait{For: "a run of part " + p.name}
}

// of names the part that an error is of, where it has a name.
func (p *part) of(err error) error {
	if err == nil || p.name == "" {
		return err
	}
	return fmt.Errorf("part %s: %w", p.name, err)
}

// Limits are those of samples that go through all parts: as many at a time as the part that takes most of them, and no
// bound of the batch, which is about the rows of single runs.
func (s *Set) Limits() backend.Limits {
	var all backend.Limits
	preferring := true
	for _, p := range s.parts {
		l := p.Limits()
		preferring = preferring && l.Concurrency > 0
		all.Concurrency = max(all.Concurrency, l.Concurrency)
		all.PreferredBatch = least(all.PreferredBatch, l.PreferredBatch)
		all.Native = all.Native || l.Native
	}
	if !preferring {
		all.Concurrency = 0
	}
	return all
}

// Close closes the sessions.
func (s *Set) Close() error {
	var faults []error
	for _, name := range s.names() {
		faults = append(faults, s.parts[name].of(s.parts[name].Close()))
	}
	return errors.Join(faults...)
}

// Describe joins what the sessions say: what all agree on stands under its key, else under PART.KEY.
func (s *Set) Describe() backend.Info {
	all := backend.Info{Details: map[string]string{}}
	var infos []backend.Info
	for _, name := range s.names() {
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
	for i, name := range s.names() {
		for key, value := range infos[i].Details {
			if slices.ContainsFunc(infos, func(o backend.Info) bool { return o.Details[key] != value }) {
				key = name + "." + key
			}
			all.Details[key] = value
		}
	}
	return all
}

// Sets are the parts of a workload on each of several devices, or on one.
type Sets struct{ *crew[*Set] }

var (
	_ backend.Describer   = (*Sets)(nil)
	_ backend.Remote      = (*Sets)(nil)
	_ backend.LocalWorker = (*Sets)(nil)
)

// OpenSets opens the parts on each device with opener, as OpenSessions opens a session. A single device may be "": the
// backend's choice.
func OpenSets(
	ctx context.Context, c backend.Config, devices []string, opener func(context.Context, backend.Config) (*Set, error),
) (*Sets, error) {
	w, err := open(ctx, c, devices, opener)
	if err != nil {
		return nil, err
	}
	return &Sets{w}, nil
}

// Describe joins what the devices say, with the share of each where there are several.
func (s *Sets) Describe() backend.Info {
	if len(s.all) == 1 {
		return s.all[0].engine.Describe()
	}
	return s.crew.Describe()
}

// Nodes are the machines that the sessions are clients of, each once.
func (s *Sets) Nodes() []backend.Node {
	var all []backend.Node
	s.each(func(p *part) {
		r, ok := p.Session.(backend.Remote)
		if !ok {
			return
		}
		for _, n := range r.Nodes() {
			if !slices.ContainsFunc(all, func(o backend.Node) bool { return o.Address() == n.Address() }) {
				all = append(all, n)
			}
		}
	})
	return all
}

// LocalWork is what the sessions do on this machine.
func (s *Sets) LocalWork() []string {
	var all []string
	s.each(func(p *part) {
		if w, ok := p.Session.(backend.LocalWorker); ok {
			all = append(all, w.LocalWork()...)
		}
	})
	return all
}

// each calls f for all sessions of all devices.
func (s *Sets) each(f func(p *part)) {
	for _, m := range s.all {
		for _, name := range m.engine.names() {
			f(m.engine.parts[name])
		}
	}
}

// SetLane takes one batch of samples at a time through the parts on one device: Begin chooses the device, so that what
// one part keeps is where the next one takes it. It belongs to one goroutine; the runs between Begin and End may be
// made by several.
type SetLane struct {
	*Sets
	at      *member[*Set] // nil: outside of Begin and End
	runs    atomic.Int64
	samples int
}

// Lane returns a lane. Each worker has one.
func (s *Sets) Lane() *SetLane { return &SetLane{Sets: s} }

// Sessions are the parts as the lane's worker sees them, by name.
func (l *SetLane) Sessions() map[string]backend.Session {
	all := map[string]backend.Session{}
	for name := range l.all[0].engine.parts {
		all[name] = &laned{lane: l, name: name, stages: map[*part]backend.Stage{}}
	}
	return all
}

// Begin chooses the device for a batch of samples.
func (l *SetLane) Begin(samples int) {
	l.at, l.samples = l.begin(), samples
	l.runs.Store(0)
}

// Abandon is End for a batch that is not answered.
func (l *SetLane) Abandon() {
	l.samples = 0
	l.End()
}

// End counts the runs and samples of the batch as the device's.
func (l *SetLane) End() {
	l.end(l.at, int(l.runs.Load()), l.samples)
	l.at = nil
}

// laned is a part on the device that its lane has chosen; on the first one before that.
type laned struct {
	lane   *SetLane
	name   string
	stages map[*part]backend.Stage // of each device
}

func (s *laned) part() *part {
	if at := s.lane.at; at != nil {
		return at.engine.parts[s.name]
	}
	return s.lane.all[0].engine.parts[s.name]
}

func (s *laned) Inputs() []backend.TensorInfo  { return s.part().Inputs() }
func (s *laned) Outputs() []backend.TensorInfo { return s.part().Outputs() }
func (s *laned) Limits() backend.Limits        { return s.part().Limits() }

// Close does nothing: the set closes its sessions.
func (s *laned) Close() error { return nil }

// KeptIn implements backend.Keeper.
func (s *laned) KeptIn() any { return backend.KeptIn(s.part().Session) }

// Run waits for a turn of the part.
func (s *laned) Run(ctx context.Context, in, out []backend.Tensor) error {
	p := s.part()
	err := p.Run(ctx, in, out)
	if err == nil {
		s.lane.runs.Add(1)
	} else if at := s.lane.at; at != nil && at.name != "" {
		err = fmt.Errorf("device %s: %w", at.name, err)
	}
	return err
}

// Stage implements backend.Stager: the inputs lie in the memory of the device that the lane has chosen.
func (s *laned) Stage() backend.Stage {
	for _, m := range s.lane.all {
		if _, ok := m.engine.parts[s.name].Session.(backend.Stager); ok {
			return &stage{at: s.stage}
		}
	}
	return nil
}

// stage is that of the chosen device, nil where it has none.
func (s *laned) stage() backend.Stage {
	p := s.part()
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
