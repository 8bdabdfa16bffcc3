package process

import (
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// stage is a lane whose region the caller writes to: backend.Stage.
type stage struct {
	lane *lane
	// unreleased counts the outputs in the region that the caller has.
	unreleased atomic.Int64
}

// Stage returns a lane's region to collate in, nil where tensors go through the stream.
func (s *session) Stage() backend.Stage {
	if !s.shared {
		return nil
	}
	l := newLane(s, make(chan *lane, 1))
	g := &stage{lane: l}
	l.stage, l.memory.made = g, func(r *region) { s.stages.add(g, r) }
	l.home <- l
	return g
}

// Input waits for the end of a Run that the caller has given up. Where the system has no region the
// memory is as any other.
func (g *stage) Input(i, n int) []byte {
	select {
	case l := <-g.lane.home:
		defer func() { l.home <- l }()
		return l.input(i, n)
	case <-g.lane.session.ctx.Done():
		return make([]byte, n)
	}
}

// input is n bytes for input i. A region that the process could not map is memory still.
func (l *lane) input(i, n int) []byte {
	if n > 0 {
		if data, err := l.memory.input(i, n); err == nil {
			return data
		}
	}
	return make([]byte, n)
}

// release takes back one output that the caller had in the region.
func (g *stage) release() { g.unreleased.Add(-1) }

// stages finds the stage of a batch by where its inputs are.
type stages struct {
	mu    sync.RWMutex
	spans []span
}

// span is the region of a stage, or one that it had.
type span struct {
	stage  *stage
	region *region
}

func (s *stages) add(g *stage, r *region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, span{g, r})
}

// of is the stage in whose memory an input is, nil if none is in any.
func (s *stages) of(in []backend.Tensor) *stage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.spans) == 0 {
		return nil
	}
	for i := range in {
		for _, p := range s.spans {
			if _, ok := p.region.offset(in[i].Data); ok {
				return p.stage
			}
		}
	}
	return nil
}

// all are the stages that have or had a region, each once.
func (s *stages) all() []*stage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*stage
	seen := map[*stage]bool{}
	for _, p := range s.spans {
		if !seen[p.stage] {
			all, seen[p.stage] = append(all, p.stage), true
		}
	}
	return all
}
