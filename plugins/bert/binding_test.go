package bert

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// defaultBinding is bound with the parameters of the embedded model, and those given.
func defaultBinding(t testing.TB, params map[string]string) tensorBinding {
	t.Helper()
	p := manifesttest.Params(t, New(), "", true, params)
	b := bindTensors(p)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBindsTheOfficialFiles binds the tensors of both official ONNX files, of exports with other
// names, and of fixed lengths.
func TestBindsTheOfficialFiles(t *testing.T) {
	tensors := func(dtype backend.DType, s int64, names ...string) []backend.TensorInfo {
		var list []backend.TensorInfo
		for _, name := range names {
			list = append(list, backend.TensorInfo{Name: name, DType: dtype, Shape: []int64{-1, s}})
		}
		return list
	}
	cases := []struct {
		name        string
		params      map[string]string
		inputs      []backend.TensorInfo
		in          []int
		outputs     []backend.TensorInfo
		wantOutputs []int
	}{
		{"FP32", nil, tensors(backend.Int64, 384, "input_ids", "input_mask", "segment_ids"), []int{0, 1, 2},
			tensors(backend.Float32, 384, "output_start_logits", "output_end_logits"), []int{0, 1}},
		{"INT8", nil, tensors(backend.Int64, 384, "input_ids", "attention_mask", "token_type_ids"), []int{0, 1, 2},
			tensors(backend.Float32, 384, "1657", "1658"), []int{0, 1}},
		{"another order", map[string]string{"outputs": "start_logits,end_logits"},
			tensors(backend.Int64, -1, "input_ids", "token_type_ids", "attention_mask"), []int{0, 2, 1},
			tensors(backend.Float32, -1, "end_logits", "start_logits"), []int{1, 0}},
		{"by position, int32", map[string]string{"inputs": ""}, tensors(backend.Int32, -1, "x", "y", "z"), []int{0, 1, 2},
			tensors(backend.Float32, -1, "s", "e"), []int{0, 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newQuestionWorkload(defaultBinding(t, c.params), backend.Model{}, nil, 0).Model
			in, err := backend.Bind("input", m.Inputs, c.inputs)
			if err != nil {
				t.Fatal(err)
			}
			out, err := backend.Bind("output", m.Outputs, c.outputs)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.in {
				if in[i] != c.in[i] {
					t.Errorf("input %d is the model's %d, want %d", i, in[i], c.in[i])
				}
			}
			for i := range c.wantOutputs {
				if out[i] != c.wantOutputs[i] {
					t.Errorf("output %d is the model's %d, want %d", i, out[i], c.wantOutputs[i])
				}
			}
		})
	}
}

func TestParametersReportEveryFault(t *testing.T) {
	p := option.NewParams(map[string]string{
		"inputs": "a,b", "outputs": "a,b,c", "sequence": "100", "dtype": "bfloat16", "transposed": "maybe",
		"max_examples": "-1",
	})
	bindTensors(p)
	readOptions(p)
	sdktest.WantError(t, p.Err(), `inputs = "a,b": want 3`, `outputs = "a,b,c": want 2`, `sequence = "100"`,
		"bfloat16", `transposed = "maybe"`, `max_examples = "-1"`)
}
