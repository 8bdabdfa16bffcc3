package kserve

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/backends/kserve/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// datatypes are the protocol's names. BYTES, which holds texts, has no dtype: no benchmark needs it.
var datatypes = map[backend.DType]string{
	backend.Float32: "FP32", backend.Float16: "FP16", backend.BFloat16: "BF16", backend.Float64: "FP64",
	backend.Int8: "INT8", backend.Int16: "INT16", backend.Int32: "INT32", backend.Int64: "INT64",
	backend.Uint8: "UINT8", backend.Uint16: "UINT16", backend.Uint32: "UINT32", backend.Uint64: "UINT64",
	backend.Bool: "BOOL",
}

func datatype(d backend.DType) string { return datatypes[d] }

func parseDatatype(name string) (backend.DType, error) {
	for d, n := range datatypes {
		if n == name {
			return d, nil
		}
	}
	return backend.InvalidDType, fmt.Errorf("datatype %q is not supported", name)
}

// read takes the outputs of a response, in the session's order.
func (s *session) read(e *endpoint, r *oip.ModelInferResponse, out []backend.Tensor) error {
	received := make([]backend.Tensor, len(s.outputs))
	for i, want := range s.outputs {
		j := slices.IndexFunc(r.Outputs, func(o *oip.InferOutputTensor) bool { return o.Name == want.Name })
		if j < 0 {
			return fmt.Errorf("endpoint %s: %w: its answer has no output %q", e.url, backend.ErrTensors, want.Name)
		}
		t, err := tensor(r, j)
		if err != nil {
			return fmt.Errorf("endpoint %s: %w: output %q: %w", e.url, backend.ErrTensors, want.Name, err)
		}
		received[i] = t
	}
	if err := backend.CheckTensors("output", s.outputs, received); err != nil {
		return fmt.Errorf("endpoint %s: %w", e.url, err)
	}
	for i, t := range received {
		if out[i].Data != nil {
			if len(out[i].Data) < len(t.Data) {
				return fmt.Errorf("output %d: room for %d bytes, want %d", i, len(out[i].Data), len(t.Data))
			}
			t.Data = out[i].Data[:copy(out[i].Data, t.Data)]
		}
		out[i] = t
	}
	e.done.Add(1)
	return nil
}

// tensor is output j of a response: raw, or from the contents of its type.
func tensor(r *oip.ModelInferResponse, j int) (backend.Tensor, error) {
	o := r.Outputs[j]
	d, err := parseDatatype(o.Datatype)
	if err != nil {
		return backend.Tensor{}, err
	}
	t := backend.Tensor{Name: o.Name, DType: d, Shape: o.Shape}
	switch {
	case len(r.RawOutputContents) == len(r.Outputs):
		t.Data = r.RawOutputContents[j]
	case len(r.RawOutputContents) > 0:
		return t, fmt.Errorf("%d raw contents for %d outputs", len(r.RawOutputContents), len(r.Outputs))
	default:
		t.Data, err = contents(d, o.GetContents())
	}
	return t, err
}

// contents packs the elements of the field that holds a dtype.
func contents(d backend.DType, c *oip.InferTensorContents) ([]byte, error) {
	switch d {
	case backend.Float32:
		return backend.Bytes(c.GetFp32Contents()), nil
	case backend.Float64:
		return backend.Bytes(c.GetFp64Contents()), nil
	case backend.Int64:
		return backend.Bytes(c.GetInt64Contents()), nil
	case backend.Uint64:
		return backend.Bytes(c.GetUint64Contents()), nil
	case backend.Int32:
		return backend.Bytes(c.GetIntContents()), nil
	case backend.Uint32:
		return backend.Bytes(c.GetUintContents()), nil
	case backend.Int8:
		return narrow[int8](c.GetIntContents()), nil
	case backend.Int16:
		return narrow[int16](c.GetIntContents()), nil
	case backend.Uint8:
		return narrow[uint8](c.GetUintContents()), nil
	case backend.Uint16:
		return narrow[uint16](c.GetUintContents()), nil
	case backend.Bool:
		data := make([]byte, len(c.GetBoolContents()))
		for i, v := range c.GetBoolContents() {
			if v {
				data[i] = 1
			}
		}
		return data, nil
	}
	return nil, fmt.Errorf("%v must be in raw contents", d)
}

// narrow packs whole numbers into fewer bytes. Numbers out of range wrap, as they do at the server.
func narrow[T int8 | int16 | uint8 | uint16, W int32 | uint32](wide []W) []byte {
	v := make([]T, len(wide))
	for i, w := range wide {
		v[i] = T(w)
	}
	return backend.Bytes(v)
}
