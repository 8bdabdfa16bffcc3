package process

import (
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// keepsOutputs is the capability of a process that keeps outputs.
const keepsOutputs = "keep"

// handles are those of what a process keeps that nobody takes any more, and that it has not been told of.
type handles struct {
	mu       sync.Mutex
	released []uint64
}

func (h *handles) release(handle uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = append(h.released, handle)
}

// drop releases what an answer that nobody wants any more has kept.
func (h *handles) drop(r *backendpb.RunResponse) {
	for _, t := range r.Outputs {
		for _, handle := range t.Kept {
			h.release(handle)
		}
	}
}

// takeReleased returns them, for a request to tell, appended to to.
func (h *handles) takeReleased(to []uint64) []uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	to = append(to, h.released...)
	h.released = h.released[:0]
	return to
}

// KeptIn is the process, where it keeps outputs.
func (s *session) KeptIn() any {
	if !slices.Contains(s.response.Capabilities, keepsOutputs) {
		return nil
	}
	return s.child
}

// check compares the tensors of a run with what the model takes and the process keeps.
func (s *session) check(in, out []backend.Tensor) error {
	if !backend.Keeps(in, out) {
		return backend.CheckTensors("input", s.inputs, in)
	}
	if err := backend.CheckKept(s.KeptIn(), nil, out); err != nil {
		return err
	}
	return backend.CheckTensorsKept("input", s.KeptIn(), s.inputs, in)
}

// refer makes an input of the request stand for what is kept.
func refer(t *backendpb.Tensor, in *backend.Tensor) {
	t.Kept, t.Rows = t.Kept[:0], in.Rows
	for _, k := range in.Kept {
		t.Kept = append(t.Kept, k.Own().(uint64))
	}
}

// keep lists the outputs that the process is to keep.
func (l *lane) keep(out []backend.Tensor) {
	l.request.Keep = l.request.Keep[:0]
	for i := range out {
		if out[i].Keep {
			l.request.Keep = append(l.request.Keep, uint32(i))
		}
	}
}

// held is an output that the process has kept.
func (l *lane) held(t *backendpb.Tensor) (out backend.Tensor, err error) {
	if len(t.Kept) != 1 || t.Kept[0] == 0 {
		return out, fmt.Errorf("it was to be kept and came with handles %v, want one above 0", t.Kept)
	}
	p, handle := l.session.child, t.Kept[0]
	out.Keep = true
	out.Hold(backend.NewKept(p, backend.DType(t.Dtype), t.Shape, handle, func() { p.kept.release(handle) }))
	return out, nil
}
