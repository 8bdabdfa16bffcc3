package kserve

import (
	"bytes"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestEveryDatatypeComesBack sends a tensor of each datatype to a server that returns it, in raw and typed contents.
func TestEveryDatatypeComesBack(t *testing.T) {
	for d, name := range datatypes {
		for _, typed := range []bool{false, true} {
			half := d == backend.Float16 || d == backend.BFloat16
			if half && typed {
				continue // typed contents do not support the datatype
			}
			t.Run(name, func(t *testing.T) {
				data := make([]byte, 3*d.Size())
				for i := range data {
					data[i] = byte(7*i + 1)
					if d == backend.Bool {
						data[i] = byte(i & 1)
					}
				}
				in := []backend.Tensor{{Name: "x", DType: d, Shape: []int64{3}, Data: data}}
				out := echoed(t, &server{typed: typed, model: echoModel(name, -1)}, d, []int64{-1}, in)
				if out.DType != d || !bytes.Equal(out.Data, data) {
					t.Errorf("%v %x came back as %v %x", d, data, out.DType, out.Data)
				}
			})
		}
	}
}

// echoModel has one tensor, x, as input and output.
func echoModel(datatype string, shape ...int64) *oip.ModelMetadataResponse {
	x := []*oip.TensorMetadata{{Name: "x", Datatype: datatype, Shape: shape}}
	return &oip.ModelMetadataResponse{Name: "doubler", Inputs: x, Outputs: x}
}

// echoed runs one batch at a server with an echoModel. The caller requires x with the given dtype and shape.
func echoed(t *testing.T, srv *server, d backend.DType, shape []int64, in []backend.Tensor) backend.Tensor {
	t.Helper()
	x := []backend.TensorInfo{{Name: "x", DType: d, Shape: shape}}
	options := map[string]string{"url": serve(t, srv, "").address}
	s, err := Backend{}.Open(t.Context(), backend.Model{Name: "doubler", Inputs: x, Outputs: x},
		backend.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]backend.Tensor, 1)
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return out[0]
}

func TestContentsRefuse(t *testing.T) {
	c := &oip.InferTensorContents{IntContents: []int32{1, 300}, UintContents: []uint32{70000}}
	for datatype, want := range map[string]string{
		"FP16": "raw contents", "BF16": "raw contents", "INT8": "element 1 is 300", "UINT16": "element 0 is 70000",
		"UINT8": "element 0",
	} {
		_, err := packContents(datatype, c)
		wantAll(t, err, want)
	}
}

// TestDimensionsOfOne checks servers that use the first dimension as the batch and therefore declare [N,1] for the
// benchmark's [N].
func TestDimensionsOfOne(t *testing.T) {
	for _, fault := range []string{"ones", "ones unannounced"} {
		s := open(t, map[string]string{"url": serve(t, &server{fault: fault}, "").address})
		out := make([]backend.Tensor, 2)
		if err := s.Run(t.Context(), batch(), out); err != nil {
			t.Fatal(err)
		}
		if len(out[1].Shape) != 1 || len(s.Inputs()[0].Shape) != 1 {
			t.Errorf("%s: output of shape %v, input of shape %v, want one dimension each", fault, out[1].Shape,
				s.Inputs()[0].Shape)
		}
	}
	for _, c := range []struct{ shape, want, cut []int64 }{
		{[]int64{8, 1, 1}, []int64{-1}, []int64{8}},
		{[]int64{8, 1, 2}, []int64{-1}, []int64{8, 1, 2}},
		{[]int64{8}, []int64{-1, 1}, []int64{8}},
		{[]int64{8, 1}, nil, []int64{8, 1}},
		{[]int64{1}, []int64{}, []int64{}},
	} {
		if got := trimOnes(c.shape, c.want); backend.ShapeString(got) != backend.ShapeString(c.cut) {
			t.Errorf("%v as %v is %v, want %v", c.shape, c.want, got, c.cut)
		}
	}
}

// TestAServerWithoutMetadata checks that the benchmark's tensors are assumed and other tensors are rejected.
func TestAServerWithoutMetadata(t *testing.T) {
	srv := serve(t, &server{fault: "no metadata"}, "")
	if err := run(t.Context(), open(t, map[string]string{"url": srv.address})); err != nil {
		t.Error(err)
	}
	nameless, empty := doubler(), doubler()
	nameless.Inputs[0].DType = backend.InvalidDType
	empty.Outputs = nil
	for want, m := range map[string]backend.Model{
		"does not name one or its dtype": nameless, "describes the outputs": empty,
	} {
		_, err := Backend{}.Open(t.Context(), m, backend.Config{Options: map[string]string{"url": srv.address}})
		wantAll(t, err, srv.address, want)
	}
}
