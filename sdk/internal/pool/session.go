package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Session is a model on several devices.
type Session struct {
	*devicePool[backend.Session]
}

var (
	_ backend.Session   = (*Session)(nil)
	_ backend.Describer = (*Session)(nil)
)

// OpenSessions opens the model on each device with opener. It passes c with the device and its part of c.Concurrency.
// All sessions must have the same inputs and outputs; otherwise the error names the device.
func OpenSessions(
	ctx context.Context, c backend.Config, devices []string,
	opener func(context.Context, backend.Config) (backend.Session, error),
) (*Session, error) {
	w, err := openAll(ctx, c, devices, opener)
	if err != nil {
		return nil, err
	}
	s := &Session{w}
	if err := s.checkAgreement(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// checkAgreement compares the tensors of every device with those of the first.
func (s *Session) checkAgreement() error {
	first := s.members[0]
	var faults []error
	for _, m := range s.members[1:] {
		for _, side := range []struct {
			kind      string
			got, want []backend.TensorInfo
		}{{"input", m.engine.Inputs(), first.engine.Inputs()}, {"output", m.engine.Outputs(), first.engine.Outputs()}} {
			if !slices.EqualFunc(side.got, side.want, sameTensor) {
				faults = append(faults, fmt.Errorf("%w: device %s has the %ss %v, %s has %v; the devices of one run must agree",
					backend.ErrTensors, m.name, side.kind, side.got, first.name, side.want))
			}
		}
	}
	return errors.Join(faults...)
}

func sameTensor(a, b backend.TensorInfo) bool {
	return a.Name == b.Name && a.DType == b.DType && slices.Equal(a.Shape, b.Shape)
}

// Inputs returns the inputs, which are the same on each device.
func (s *Session) Inputs() []backend.TensorInfo { return s.members[0].engine.Inputs() }

// Outputs returns the outputs, which are the same on each device.
func (s *Session) Outputs() []backend.TensorInfo { return s.members[0].engine.Outputs() }

// Run executes one batch on one device. It counts the rows of the first input as samples. A SessionLane counts them
// exactly.
func (s *Session) Run(ctx context.Context, in, out []backend.Tensor) error {
	l := SessionLane{Session: s}
	l.Begin(backend.Rows(in))
	defer l.End()
	return l.Run(ctx, in, out)
}

// SessionLane is a Session for one goroutine that knows the samples of its runs. All runs between Begin and End use the
// same device. A sample with several runs therefore stays on one device, and a batch is collated in the memory of the
// device that runs it. There may be more lanes than concurrent runs: lanes between Begin and Run prepare the next
// batches.
type SessionLane struct {
	*Session
	device           *poolMember[backend.Session] // nil: outside Begin and End
	batches, samples int                          // counts since Begin
	stages           map[*poolMember[backend.Session]]backend.Stage
}

// Lane returns a new lane.
func (s *Session) Lane() *SessionLane {
	return &SessionLane{Session: s, stages: map[*poolMember[backend.Session]]backend.Stage{}}
}

// Begin chooses the device for a number of samples. End must follow.
func (l *SessionLane) Begin(samples int) { l.device, l.batches, l.samples = l.beginRun(), 0, samples }

// Run executes one batch on the device that Begin chose. Outside Begin and End it uses any device.
func (l *SessionLane) Run(ctx context.Context, in, out []backend.Tensor) error {
	if l.device == nil {
		return l.Session.Run(ctx, in, out)
	}
	if l.stages != nil { // otherwise the caller limits the concurrent runs
		select {
		case l.device.slots <- struct{}{}:
			defer func() { <-l.device.slots }()
		case <-ctx.Done():
			l.samples = 0
			return ctx.Err()
		}
	}
	defer backend.StartWait(ctx, l.device.waitInfo).End()
	if err := l.device.engine.Run(ctx, in, out); err != nil {
		l.samples = 0 // failed samples are not answered
		return fmt.Errorf("device %s: %w", l.device.name, err)
	}
	l.batches++
	return nil
}

// Abandon replaces End if the work could not be prepared.
func (l *SessionLane) Abandon() {
	l.samples = 0
	l.End()
}

// End counts the runs since Begin.
func (l *SessionLane) End() {
	l.endRun(l.device, l.batches, l.samples)
	l.device = nil
}
