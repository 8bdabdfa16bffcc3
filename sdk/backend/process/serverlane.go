package process

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// serverLane is the state of one stream in the backend process.
type serverLane struct {
	findModel       func(number uint32) (*servedModel, error)
	kept            *keptTensors
	model           *servedModel // set by the first Attach
	inputs, outputs []int        // indices of the stream's tensors in the model
	region          []byte       // nil: no region is mapped
	out             []backend.Tensor
}

// handleRequest executes the request of a message.
func (l *serverLane) handleRequest(ctx context.Context, r *backendpb.RunRequest) *backendpb.RunResponse {
	l.kept.releaseHandles(r.Release)
	if r.Attach != nil {
		attached, err := l.attachRegion(r.Attach)
		if err != nil {
			return &backendpb.RunResponse{Error: err.Error()}
		}
		return &backendpb.RunResponse{Attached: attached}
	}
	if l.model == nil {
		return &backendpb.RunResponse{Error: "a batch came before Attach"}
	}
	outputs, err := l.runBatch(ctx, r)
	if err != nil {
		return &backendpb.RunResponse{Error: err.Error()}
	}
	return &backendpb.RunResponse{Outputs: outputs}
}

func (l *serverLane) attachRegion(a *backendpb.Attach) (*backendpb.Attached, error) {
	m, err := l.findModel(a.ModelNumber)
	if err != nil {
		return nil, err
	}
	l.model = m
	if l.inputs, err = tensorOrder("input", a.Inputs, m.session.Inputs()); err != nil {
		return nil, err
	}
	if l.outputs, err = tensorOrder("output", a.Outputs, m.session.Outputs()); err != nil {
		return nil, err
	}
	if n := len(m.session.Inputs()); len(l.inputs) != n {
		return nil, fmt.Errorf("%w: %d inputs are attached, the model has %d", backend.ErrTensors, len(l.inputs), n)
	}
	l.unmapRegion()
	if a.Region == nil {
		return &backendpb.Attached{}, nil
	}
	if l.region, err = mapRegion(a.Region.Path, a.Region.Size); err != nil {
		return &backendpb.Attached{Why: err.Error()}, nil
	}
	return &backendpb.Attached{Shared: true}, nil
}

// tensorOrder returns the indices of names among a model's tensors.
func tensorOrder(kind string, names []string, have []backend.TensorInfo) ([]int, error) {
	index := make([]int, len(names))
	for i, name := range names {
		index[i] = slices.IndexFunc(have, func(t backend.TensorInfo) bool { return t.Name == name })
		if index[i] < 0 {
			return nil, fmt.Errorf("%w: %s %q is missing", backend.ErrTensors, kind, name)
		}
	}
	return index, nil
}

// runBatch runs a batch. It writes outputs into the region while there is room.
func (l *serverLane) runBatch(ctx context.Context, r *backendpb.RunRequest) ([]*backendpb.Tensor, error) {
	if len(r.Inputs) != len(l.inputs) {
		return nil, fmt.Errorf("%w: %d inputs, want the %d that were attached", backend.ErrTensors,
			len(r.Inputs), len(l.inputs))
	}
	used := &tensorUses{}
	defer l.kept.endUses(used)
	in := make([]backend.Tensor, len(l.inputs))
	for i, t := range r.Inputs {
		j := l.inputs[i]
		var err error
		if in[j], err = l.inputTensor(t, used); err != nil {
			return nil, fmt.Errorf("%w: input %d: %w", backend.ErrTensors, i, err)
		}
		in[j].Name = l.model.session.Inputs()[j].Name
	}
	l.out = make([]backend.Tensor, len(l.model.session.Outputs()))
	for _, i := range r.Keep {
		if int(i) >= len(l.outputs) {
			return nil, fmt.Errorf("%w: output %d is to be kept, %d are attached", backend.ErrTensors, i, len(l.outputs))
		}
		l.out[l.outputs[i]].KeepOutput = true
	}
	if err := l.model.runModel(ctx, in, l.out); err != nil {
		return nil, err
	}
	return l.placeOutputs(r.OutputOffset), nil
}

// inputTensor returns a tensor of a request: its elements from the message or the region, or kept tensors.
func (l *serverLane) inputTensor(t *backendpb.Tensor, used *tensorUses) (in backend.Tensor, err error) {
	in.DType, in.Shape, in.Data = backend.DType(t.Dtype), t.Shape, t.Data
	switch {
	case len(t.Kept) > 0:
		in.Handles, err = l.kept.acquireTensors(t.Kept, used)
		if len(t.Rows) > 0 {
			in.Rows = t.Rows
		}
	case t.Size > 0:
		in.Data, err = regionPart(l.region, t)
	}
	return in, err
}

// placeOutputs copies outputs that fit into the region from offset on.
func (l *serverLane) placeOutputs(offset uint64) []*backendpb.Tensor {
	outputs := make([]*backendpb.Tensor, len(l.outputs))
	for i, j := range l.outputs {
		o := l.out[j]
		t := &backendpb.Tensor{Dtype: backendpb.DType(o.DType), Shape: o.Shape}
		outputs[i] = t
		if o.KeepOutput {
			t.Kept = []uint64{l.kept.addKept(o.Handles[0])}
			l.out[j].Free = nil // do not release it with the others
			continue
		}
		n := uint64(len(o.Data))
		if offset == 0 || n == 0 || offset > uint64(len(l.region)) || n > uint64(len(l.region))-offset {
			t.Data = o.Data
			continue
		}
		copy(l.region[offset:], o.Data)
		t.Offset, t.Size = offset, n
		offset += uint64(alignSize(int(n)))
	}
	return outputs
}

// releaseOutputs releases the outputs of the last batch after they were sent.
func (l *serverLane) releaseOutputs() {
	for i := range l.out {
		l.out[i].Release()
	}
	l.out = nil
}

func (l *serverLane) unmapRegion() {
	if l.region != nil {
		_ = unmapRegion(l.region)
		l.region = nil
	}
}
