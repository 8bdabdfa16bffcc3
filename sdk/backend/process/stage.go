package process

import (
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// laneStage implements backend.Stage: a lane whose region the caller writes to.
type laneStage struct {
	lane *clientLane
	// unreleased is the number of outputs in the region that the caller has not released.
	unreleased atomic.Int64
}

// Stage returns a lane's region for collating, or nil if tensors go through the stream.
func (s *processSession) Stage() backend.Stage {
	if !s.shared {
		return nil
	}
	l := newLane(s, make(chan *clientLane, 1))
	g := &laneStage{lane: l}
	l.stage, l.memory.onNewRegion = g, func(r *sharedRegion) { s.stages.addStage(g, r) }
	l.idleLanes <- l
	return g
}

// Input implements backend.Stage. It first waits for the end of an abandoned Run. On systems without regions it returns
// ordinary memory.
func (g *laneStage) Input(i, n int) []byte {
	select {
	case l := <-g.lane.idleLanes:
		defer func() { l.idleLanes <- l }()
		return l.inputMemory(i, n)
	case <-g.lane.session.ctx.Done():
		return make([]byte, n)
	}
}

// inputMemory returns n bytes for input i. It is valid memory even if the process could not map the region.
func (l *clientLane) inputMemory(i, n int) []byte {
	if n > 0 {
		if data, err := l.memory.reserveInput(i, n); err == nil {
			return data
		}
	}
	return make([]byte, n)
}

// releaseOutput releases one output in the region.
func (g *laneStage) releaseOutput() { g.unreleased.Add(-1) }

// stageSet finds the stage of a batch by the addresses of its inputs.
type stageSet struct {
	mu    sync.RWMutex
	spans []stageSpan
}

// stageSpan is a current or former region of a stage.
type stageSpan struct {
	stage  *laneStage
	region *sharedRegion
}

func (s *stageSet) addStage(g *laneStage, r *sharedRegion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, stageSpan{g, r})
}

// findStage returns the stage whose memory contains an input, or nil.
func (s *stageSet) findStage(in []backend.Tensor) *laneStage {
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

// allStages returns the stages that have or had a region, each once.
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
