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

// bind checks the tensors at every endpoint: they must be the benchmark's, and alike.
func (s *session) bind(ctx context.Context, m backend.Model) error {
	var faults []error
	for i, e := range s.endpoints {
		inputs, outputs, err := s.describe(ctx, e, m)
		if err == nil && i > 0 && len(faults) == 0 {
			err = errors.Join(alike("input", inputs, s.inputs, s.endpoints[0]),
				alike("output", outputs, s.outputs, s.endpoints[0]))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("endpoint %s: %w", e.url, err))
		} else if i == 0 {
			s.inputs, s.outputs = inputs, outputs
			s.inputInfos, s.outputInfos = infos(inputs), infos(outputs)
		}
	}
	return errors.Join(faults...)
}

// describe asks an endpoint for the model's tensors. A server that does not know them is taken at the benchmark's word.
func (s *session) describe(ctx context.Context, e *endpoint, m backend.Model) (inputs, outputs []tensor, err error) {
	ctx, cancel := s.call(ctx)
	defer cancel()
	if about, err := e.rpc.ServerMetadata(ctx, &oip.ServerMetadataRequest{}); err == nil {
		s.called(shortened(strings.TrimSpace(about.Name+" "+about.Version), mostName))
	}
	r, err := e.rpc.ModelMetadata(ctx, &oip.ModelMetadataRequest{Name: s.settings.model, Version: s.settings.version})
	if err != nil {
		return nil, nil, explain(err)
	}
	inputs, errIn := bound("input", m.Inputs, r.Inputs)
	outputs, errOut := bound("output", m.Outputs, r.Outputs)
	return inputs, outputs, errors.Join(errIn, errOut)
}

// called notes what a server calls itself: each name once.
func (s *session) called(name string) {
	if name != "" && !slices.Contains(s.servers, name) {
		s.servers = append(s.servers, name)
	}
}

// bound finds the benchmark's tensors among the server's.
func bound(kind string, want []backend.TensorInfo, have []*oip.TensorMetadata) ([]tensor, error) {
	if len(have) == 0 {
		return believed(kind, want)
	}
	tensors := make([]tensor, len(have))
	for i, h := range have {
		d, err := parseDatatype(h.Datatype)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %q: %w", backend.ErrTensors, kind, h.Name, err)
		}
		tensors[i] = asWanted(wanted(want, i, h.Name), h, d)
	}
	index, err := backend.Bind(kind, want, infos(tensors))
	if err != nil {
		return nil, err
	}
	out := make([]tensor, len(index))
	for i, j := range index {
		out[i] = tensors[j]
	}
	return out, nil
}

// believed are the benchmark's tensors, where the server says nothing of its own.
func believed(kind string, want []backend.TensorInfo) ([]tensor, error) {
	out := make([]tensor, len(want))
	for i, w := range want {
		name, known := datatypes[w.DType]
		if !known || w.Name == "" {
			return nil, fmt.Errorf("%w: the server does not describe its %ss, and the benchmark does not name one or "+
				"its dtype: %v", backend.ErrTensors, kind, w)
		}
		out[i] = tensor{TensorInfo: w, datatype: name}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: neither the server nor the benchmark describes the %ss", backend.ErrTensors, kind)
	}
	return out, nil
}

// wanted is the benchmark's tensor that Bind will take name, the model's tensor i, for; an empty one if there is none.
func wanted(want []backend.TensorInfo, i int, name string) backend.TensorInfo {
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

// asWanted is a server's tensor as the benchmark sees it.
func asWanted(want backend.TensorInfo, have *oip.TensorMetadata, d backend.DType) tensor {
	shape, wantShape := have.Shape, want.Shape
	if have.Datatype == texts {
		wantShape = wantShape[:max(len(wantShape)-1, 0)]
	}
	shape = withoutOnes(shape, wantShape)
	t := tensor{datatype: have.Datatype, ones: len(have.Shape) - len(shape)}
	if have.Datatype == texts {
		shape = append(shape[:len(shape):len(shape)], -1)
	}
	t.TensorInfo = backend.TensorInfo{Name: have.Name, DType: d, Shape: shape}
	return t
}

// alike compares the tensors of an endpoint with those of the first: a batch may go to either.
func alike(kind string, have, first []tensor, e *endpoint) error {
	if slices.EqualFunc(have, first, tensor.equal) {
		return nil
	}
	return fmt.Errorf("%w: %ss %v, want %v as at endpoint %s", backend.ErrTensors, kind, infos(have), infos(first), e.url)
}
