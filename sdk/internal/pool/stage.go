package pool

import "github.com/plumbline-ml/plumbline/sdk/backend"

// Stage returns memory for the inputs of one batch. It is the memory of the device that Begin has chosen. nil means
// that no device has such memory.
func (l *SessionLane) Stage() backend.Stage {
	for _, m := range l.members {
		if _, ok := m.engine.(backend.Stager); ok {
			return &laneStage{current: l.currentStage}
		}
	}
	return nil
}

// laneStage is the memory of the device that a lane has chosen.
type laneStage struct {
	current func() backend.Stage // returns the stage of the chosen device, or nil
	own     [][]byte             // by input, for a device without its own memory
}

// Input implements backend.Stage.
func (s *laneStage) Input(i, n int) []byte {
	if at := s.current(); at != nil {
		return at.Input(i, n)
	}
	for len(s.own) <= i {
		s.own = append(s.own, nil)
	}
	if cap(s.own[i]) < n {
		s.own[i] = make([]byte, n)
	}
	return s.own[i][:n]
}

// currentStage returns the lane's memory on its current device, or nil if the device has none.
func (l *SessionLane) currentStage() backend.Stage {
	if l.device == nil {
		return nil
	}
	s, made := l.stages[l.device]
	if made {
		return s
	}
	if stager, ok := l.device.engine.(backend.Stager); ok {
		s = stager.Stage()
	}
	l.stages[l.device] = s
	return s
}
