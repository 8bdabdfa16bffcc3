package process

import (
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// laneStage is a lane whose region the caller writes to: backend.Stage.
type laneStage struct {
	lane *clientLane
	// unreleased counts the outputs in the region that the caller has.
	unreleased atomic.Int64
}

// Stage returns a lane's region to collate in, nil where tensors go through the stream.
func (s *processSession) Stage() backend.Stage {
	if !s.shared {
		return nil
	}
	l := newLane(s, make(chan *clientLane, 1))
	g := &laneStage{lane: l}
	l.stage, l.memory.made = g, func(r *sharedRegion) { s.stages.addStage(g, r) }
	l.home <- l
	return g
}

// Input waits for the end of a Run that the caller has given up. Where the system has no region the
// memory is as any other.
func (g *laneStage) Input(i, n int) []byte {
	select {
	case l := <-g.lane.home:
		defer func() { l.home <- l }()
		return l.inputMemory(i, n)
	case <-g.lane.session.ctx.Done():
		return make([]byte, n)
	}
}

// inputMemory is n bytes for input i. A region that the process could not map is memory still.
func (l *clientLane) inputMemory(i, n int) []byte {
	if n > 0 {
		if data, err := l.memory.reserveInput(i, n); err == nil {
			return data
		}
	}
	return make([]byte, n)
}

// releaseOutput takes back one output that the caller had in the region.
func (g *laneStage) releaseOutput() { g.unreleased.Add(-1) }

// stageSet finds the stage of a batch by where its inputs are.
type stageSet struct {
	mu    sync.RWMutex
	spans []stageSpan
}

// stageSpan is the region of a stage, or one that it had.
type stageSpan struct {
	stage  *laneStage
	region *sharedRegion
}

func (s *stageSet) addStage(g *laneStage, r *sharedRegion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, stageSpan{g, r})
}

// stageOf is the stage in whose memory an input is, nil if none is in any.
func (s *stageSet) stageOf(in []backend.Tensor) *laneStage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.spans) == 0 {
		return nil
	}
	for i := range in {
		for _, p := range s.spans {
			if _, ok := p.region.offsetOf(in[i].Data); ok {
				return p.stage
			}
		}
	}
	return nil
}

// allStages are the stages that have or had a region, each once.
func (s *stageSet) allStages() []*laneStage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*laneStage
	seen := map[*laneStage]bool{}
	for _, p := range s.spans {
		if !seen[p.stage] {
			all, seen[p.stage] = append(all, p.stage), true
		}
	}
	return all
}
