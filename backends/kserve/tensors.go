package kserve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// datatypes contains the protocol's names of dtypes, except texts (see bytes.go).
var datatypes = map[backend.DType]string{
	backend.Float32: "FP32", backend.Float16: "FP16", backend.BFloat16: "BF16", backend.Float64: "FP64",
	backend.Int8: "INT8", backend.Int16: "INT16", backend.Int32: "INT32", backend.Int64: "INT64",
	backend.Uint8: "UINT8", backend.Uint16: "UINT16", backend.Uint32: "UINT32", backend.Uint64: "UINT64",
	backend.Bool: "BOOL",
}

// parseDatatype returns the dtype that a benchmark sees for a datatype.
func parseDatatype(name string) (backend.DType, error) {
	if name == bytesDatatype {
		return backend.Uint8, nil
	}
	for d, n := range datatypes {
		if n == name {
			return d, nil
		}
	}
	return backend.InvalidDType, fmt.Errorf("datatype %q is not supported", name)
}

// boundTensor is an input or output in the benchmark's and in the server's form.
type boundTensor struct {
	backend.TensorInfo
	datatype string
	// extraOnes is the number of additional dimensions of size 1 at the end of the server's shape. Servers that use the
	// first dimension as the batch must declare [N] as [N,1].
	extraOnes int
}

func (t boundTensor) equal(u boundTensor) bool {
	return t.Name == u.Name && t.datatype == u.datatype && t.extraOnes == u.extraOnes && slices.Equal(t.Shape, u.Shape)
}

func tensorInfos(ts []boundTensor) []backend.TensorInfo {
	all := make([]backend.TensorInfo, len(ts))
	for i, t := range ts {
		all[i] = t.TensorInfo
	}
	return all
}

// makeRequest returns a request that refers to the inputs. It must be sent before they change.
func (s *kserveSession) makeRequest(in []backend.Tensor) *oip.ModelInferRequest {
	r := &oip.ModelInferRequest{ModelName: s.settings.model, ModelVersion: s.settings.version}
	for i := range in {
		t := s.inputs[i]
		shape, data := in[i].Shape, in[i].Data
		if t.datatype == bytesDatatype {
			shape, data = packTexts(shape, data)
		}
		for range t.extraOnes {
			shape = append(shape[:len(shape):len(shape)], 1)
		}
		r.Inputs = append(r.Inputs, &oip.InferInputTensor{Name: t.Name, Datatype: t.datatype, Shape: shape})
		r.RawInputContents = append(r.RawInputContents, data)
	}
	for _, o := range s.outputs {
		r.Outputs = append(r.Outputs, &oip.InferRequestedOutputTensor{Name: o.Name})
	}
	return r
}

// readOutputs reads the outputs of a response in the session's order. The error lists every fault.
func (s *kserveSession) readOutputs(r *oip.ModelInferResponse, out []backend.Tensor) error {
	if n := len(r.RawOutputContents); n > 0 && n != len(r.Outputs) {
		return fmt.Errorf("%w: %d raw contents for %d outputs", backend.ErrTensors, n, len(r.Outputs))
	}
	received := make([]backend.Tensor, len(s.outputs))
	var faults []error
	for i, want := range s.outputs {
		t, err := findOutput(r, want)
		if err != nil {
			faults = append(faults, fmt.Errorf("output %q: %w", want.Name, err))
		}
		received[i] = t
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: %w", backend.ErrTensors, errors.Join(faults...))
	}
	if err := backend.CheckTensors("output", s.outputInfos, received); err != nil {
		return err
	}
	return deliverOutputs(received, out)
}

// deliverOutputs copies into the buffers that the caller allocated and returns the other outputs as they are.
func deliverOutputs(received, out []backend.Tensor) error {
	for i, t := range received {
		if out[i].Data != nil {
			if len(out[i].Data) < len(t.Data) {
				return fmt.Errorf("output %d: room for %d bytes, want %d", i, len(out[i].Data), len(t.Data))
			}
			t.Data = out[i].Data[:copy(out[i].Data, t.Data)]
		}
		out[i] = t
	}
	return nil
}

// findOutput finds a tensor in a response, in the raw contents or in the contents of its type.
func findOutput(r *oip.ModelInferResponse, want boundTensor) (backend.Tensor, error) {
	j := slices.IndexFunc(r.Outputs, func(o *oip.InferOutputTensor) bool { return o.Name == want.Name })
	if j < 0 {
		return backend.Tensor{}, fmt.Errorf("the answer does not have it, but has %q", outputNames(r))
	}
	o := r.Outputs[j]
	t := backend.Tensor{Name: o.Name, Shape: o.Shape}
	if o.Datatype != want.datatype {
		return t, fmt.Errorf("it is %s, want %s", o.Datatype, want.datatype)
	}
	err := checkShape(o.Shape)
	if err != nil {
		return t, err
	}
	t.DType = want.DType
	if len(r.RawOutputContents) > 0 {
		t.Data = r.RawOutputContents[j]
	} else if t.Data, err = packContents(o.Datatype, o.GetContents()); err != nil {
		return t, err
	}
	if want.datatype == bytesDatatype {
		t.Shape, t.Data, err = unpackTexts(o.Shape, t.Data, want.Shape)
	} else {
		t.Shape = trimOnes(o.Shape, want.Shape)
	}
	return t, err
}

// checkShape rejects shapes whose number of elements is invalid.
func checkShape(shape []int64) error {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return fmt.Errorf("its shape is %v", shape)
		}
		n *= max(d, 1)
	}
	return nil
}

func outputNames(r *oip.ModelInferResponse) []string {
	names := make([]string, len(r.Outputs))
	for i, o := range r.Outputs {
		names[i] = o.Name
	}
	return names
}

// trimOnes removes additional dimensions of size 1 at the end. It returns a shape with other additional dimensions
// unchanged.
func trimOnes(shape, want []int64) []int64 {
	if want == nil || len(shape) <= len(want) || slices.ContainsFunc(shape[len(want):],
		func(d int64) bool { return d != 1 }) {
		return shape
	}
	return shape[:len(want)]
}
