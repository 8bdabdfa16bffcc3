package kserve

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// fuzzed is a session that expects a tensor of each kind.
func fuzzed() *kserveSession {
	s := &kserveSession{outputs: []boundTensor{
		{TensorInfo: backend.TensorInfo{Name: "y", DType: backend.Float32, Shape: []int64{-1, 2}}, datatype: "FP32"},
		{TensorInfo: backend.TensorInfo{Name: "n", DType: backend.Int8, Shape: []int64{-1}}, datatype: "INT8"},
		{TensorInfo: backend.TensorInfo{Name: "t", DType: backend.Uint8, Shape: []int64{-1, -1}}, datatype: bytesDatatype},
	}}
	s.outputInfos = tensorInfos(s.outputs)
	return s
}

func goodResponse() *oip.ModelInferResponse {
	return &oip.ModelInferResponse{Id: "1", Outputs: []*oip.InferOutputTensor{
		{
			Name: "y", Datatype: "FP32", Shape: []int64{1, 2}, Contents: &oip.InferTensorContents{Fp32Contents: []float32{1, 2}},
		},
		{Name: "n", Datatype: "INT8", Shape: []int64{2, 1}, Contents: &oip.InferTensorContents{IntContents: []int32{-1, 2}}},
		{Name: "t", Datatype: bytesDatatype, Shape: []int64{2},
			Contents: &oip.InferTensorContents{BytesContents: [][]byte{[]byte("ab"), nil}}},
	}}
}

// rawResponse returns the same response with raw contents.
func rawResponse() *oip.ModelInferResponse {
	r := goodResponse()
	for _, o := range r.Outputs {
		data, _ := packContents(o.Datatype, o.Contents)
		r.RawOutputContents = append(r.RawOutputContents, data)
		o.Contents = nil
	}
	return r
}

// FuzzResponse parses answers: each is rejected, or its tensors have the size of their shapes.
func FuzzResponse(f *testing.F) {
	for _, r := range []*oip.ModelInferResponse{goodResponse(), rawResponse(), {}} {
		wire, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := &oip.ModelInferResponse{}
		if proto.Unmarshal(wire, r) != nil {
			return
		}
		out := make([]backend.Tensor, 3)
		if fuzzed().readOutputs(r, out) != nil {
			return
		}
		for _, o := range out {
			if n := backend.Elements(o.Shape) * int64(o.DType.Size()); n != int64(len(o.Data)) {
				t.Errorf("%d bytes, want %d for %v", len(o.Data), n, o.Shape)
			}
		}
	})
}

func TestTheSeedsAreRead(t *testing.T) {
	for _, r := range []*oip.ModelInferResponse{goodResponse(), rawResponse()} {
		if err := fuzzed().readOutputs(r, make([]backend.Tensor, 3)); err != nil {
			t.Error(err)
		}
	}
}

// FuzzStreamed checks that each message of a stream is either an error or a response.
func FuzzStreamed(f *testing.F) {
	for _, m := range []*oip.ModelStreamInferResponse{
		{InferResponse: goodResponse()}, {ErrorMessage: "no", InferResponse: &oip.ModelInferResponse{Id: "1"}}, {},
	} {
		wire, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		m := &oip.ModelStreamInferResponse{}
		if proto.Unmarshal(wire, m) != nil {
			return
		}
		if _, a := splitResponse(m); (a.err == nil) == (a.response == nil) {
			t.Errorf("error %v and response %v", a.err, a.response)
		}
	})
}

// FuzzTexts packs unpacked texts: the elements are equal except for zeros at their ends.
func FuzzTexts(f *testing.F) {
	f.Add(rawTexts([][]byte{[]byte("ab"), nil, []byte("c\x00")}))
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, raw []byte) {
		elements, _, err := splitTexts(raw)
		if err != nil {
			return
		}
		shape, data, err := unpackTexts([]int64{int64(len(elements))}, raw, nil)
		if err != nil {
			return // with one long element, equal lengths would need too much memory
		}
		_, again := packTexts(shape, data)
		back, _, err := splitTexts(again)
		if err != nil || len(back) != len(elements) {
			t.Fatalf("%d elements became %d, %v", len(elements), len(back), err)
		}
		for i := range back {
			if !bytes.Equal(back[i], bytes.TrimRight(elements[i], "\x00")) {
				t.Errorf("%q became %q", elements[i], back[i])
			}
		}
	})
}
