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

// releasedHandles contains the released handles of kept tensors that the process does not know yet.
type releasedHandles struct {
	mu       sync.Mutex
	released []uint64
}

func (h *releasedHandles) addReleased(handle uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = append(h.released, handle)
}

// dropAnswer releases the kept outputs of an answer to an abandoned batch.
func (h *releasedHandles) dropAnswer(r *backendpb.RunResponse) {
	for _, t := range r.Outputs {
		for _, handle := range t.Kept {
			h.addReleased(handle)
		}
	}
}

// takeReleased appends the released handles to to for the next request, and removes them from h.
func (h *releasedHandles) takeReleased(to []uint64) []uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	to = append(to, h.released...)
	h.released = h.released[:0]
	return to
}

// CacheMemory returns the process if it keeps outputs, otherwise nil.
func (s *processSession) CacheMemory() any {
	if !slices.Contains(s.response.Capabilities, keepsOutputs) {
		return nil
	}
	return s.child
}

// checkTensors checks the tensors of a run against the model's tensors and the process's handles.
func (s *processSession) checkTensors(in, out []backend.Tensor) error {
	if !backend.UsesHandles(in, out) {
		return backend.CheckTensors("input", s.inputs, in)
	}
	if err := backend.CheckHandles(s.CacheMemory(), nil, out); err != nil {
		return err
	}
	return backend.CheckTensorsOrHandles("input", s.CacheMemory(), s.inputs, in)
}

// referToKept makes an input of the request refer to kept tensors.
func referToKept(t *backendpb.Tensor, in *backend.Tensor) {
	t.Kept, t.Rows = t.Kept[:0], in.Rows
	for _, k := range in.Handles {
		t.Kept = append(t.Kept, k.Key().(uint64))
	}
}

// listKept sets the request's list of outputs to keep.
func (l *clientLane) listKept(out []backend.Tensor) {
	l.request.Keep = l.request.Keep[:0]
	for i := range out {
		if out[i].KeepOutput {
			l.request.Keep = append(l.request.Keep, uint32(i))
		}
	}
}

// keptOutput returns an output that the process has kept.
func (l *clientLane) keptOutput(t *backendpb.Tensor) (out backend.Tensor, err error) {
	if len(t.Kept) != 1 || t.Kept[0] == 0 {
		return out, fmt.Errorf("it was to be kept and came with handles %v, want one above 0", t.Kept)
	}
	p, handle := l.session.child, t.Kept[0]
	out.KeepOutput = true
	out.SetHandle(backend.NewOutputHandle(p, backend.DType(t.Dtype), t.Shape, handle,
		func() { p.kept.addReleased(handle) }))
	return out, nil
}
