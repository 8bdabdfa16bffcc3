package kserve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// bindTensors checks the tensors at every endpoint. They must match the benchmark's and be equal at all endpoints.
func (s *kserveSession) bindTensors(ctx context.Context, m backend.Model) error {
	var faults []error
	for i, e := range s.endpoints {
		inputs, outputs, err := s.describeTensors(ctx, e, m)
		if err == nil && i > 0 && len(faults) == 0 {
			err = errors.Join(requireSameTensors("input", inputs, s.inputs, s.endpoints[0]),
				requireSameTensors("output", outputs, s.outputs, s.endpoints[0]))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("endpoint %s: %w", e.url, err))
		} else if i == 0 {
			s.inputs, s.outputs = inputs, outputs
			s.inputInfos, s.outputInfos = tensorInfos(inputs), tensorInfos(outputs)
		}
	}
	return errors.Join(faults...)
}

// describeTensors asks an endpoint for the model's tensors. If the server does not know them, it assumes the
// benchmark's.
func (s *kserveSession) describeTensors(ctx context.Context, e *serverEndpoint, m backend.Model) (inputs,
	outputs []boundTensor, err error) {
	ctx, cancel := s.callContext(ctx)
	defer cancel()
	if about, err := e.rpc.ServerMetadata(ctx, &oip.ServerMetadataRequest{}); err == nil {
		s.noteServerName(shortenText(strings.TrimSpace(about.Name+" "+about.Version), maxNameBytes))
	}
	r, err := e.rpc.ModelMetadata(ctx, &oip.ModelMetadataRequest{Name: s.settings.model, Version: s.settings.version})
	if err != nil {
		return nil, nil, explainError(err)
	}
	inputs, errIn := matchTensors("input", m.Inputs, r.Inputs)
	outputs, errOut := matchTensors("output", m.Outputs, r.Outputs)
	return inputs, outputs, errors.Join(errIn, errOut)
}

// noteServerName stores the name that a server reports, each name once.
func (s *kserveSession) noteServerName(name string) {
	if name != "" && !slices.Contains(s.serverNames, name) {
		s.serverNames = append(s.serverNames, name)
	}
}

// matchTensors finds the benchmark's tensors among the server's.
func matchTensors(kind string, want []backend.TensorInfo, have []*oip.TensorMetadata) ([]boundTensor, error) {
	if len(have) == 0 {
		return assumedTensors(kind, want)
	}
	tensors := make([]boundTensor, len(have))
	for i, h := range have {
		d, err := parseDatatype(h.Datatype)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %q: %w", backend.ErrTensors, kind, h.Name, err)
		}
		tensors[i] = adaptTensor(wantedTensor(want, i, h.Name), h, d)
	}
	index, err := backend.Bind(kind, want, tensorInfos(tensors))
	if err != nil {
		return nil, err
	}
	out := make([]boundTensor, len(index))
	for i, j := range index {
		out[i] = tensors[j]
	}
	return out, nil
}

// assumedTensors returns the benchmark's tensors, for servers that do not describe their own.
func assumedTensors(kind string, want []backend.TensorInfo) ([]boundTensor, error) {
	out := make([]boundTensor, len(want))
	for i, w := range want {
		name, known := datatypes[w.DType]
		if !known || w.Name == "" {
			return nil, fmt.Errorf("%w: the server does not describe its %ss, and the benchmark does not name one or "+
				"its dtype: %v", backend.ErrTensors, kind, w)
		}
		out[i] = boundTensor{TensorInfo: w, datatype: name}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: neither the server nor the benchmark describes the %ss", backend.ErrTensors, kind)
	}
	return out, nil
}

// wantedTensor returns the benchmark's tensor that Bind will match with the model's tensor i, called name; empty if
// there is none.
func wantedTensor(want []backend.TensorInfo, i int, name string) backend.TensorInfo {
	for _, w := range want {
		if w.Name == name || slices.Contains(w.Aliases, name) {
			return w
		}
	}
	if i < len(want) && want[i].Name == "" {
		return want[i]
	}
	return backend.TensorInfo{}
}

// adaptTensor returns a server's tensor in the benchmark's form.
func adaptTensor(want backend.TensorInfo, have *oip.TensorMetadata, d backend.DType) boundTensor {
	shape, wantShape := have.Shape, want.Shape
	if have.Datatype == bytesDatatype {
		wantShape = wantShape[:max(len(wantShape)-1, 0)]
	}
	shape = trimOnes(shape, wantShape)
	t := boundTensor{datatype: have.Datatype, extraOnes: len(have.Shape) - len(shape)}
	if have.Datatype == bytesDatatype {
		shape = append(shape[:len(shape):len(shape)], -1)
	}
	t.TensorInfo = backend.TensorInfo{Name: have.Name, DType: d, Shape: shape}
	return t
}

// requireSameTensors compares the tensors of an endpoint with those of the first one, because a batch may go to either.
func requireSameTensors(kind string, have, first []boundTensor, e *serverEndpoint) error {
	if slices.EqualFunc(have, first, boundTensor.equal) {
		return nil
	}
	return fmt.Errorf("%w: %ss %v, want %v as at endpoint %s", backend.ErrTensors, kind, tensorInfos(have),
		tensorInfos(first), e.url)
}
