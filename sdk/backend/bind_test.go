package backend

import (
	"errors"
	"strings"
	"testing"
)

func TestBindTakesFurtherTypes(t *testing.T) {
	want := []TensorInfo{{Name: "class", DType: Int64, Also: []DType{Int32}, Shape: []int64{-1},
		Chosen: "--param output=NAME"}}
	for _, d := range []DType{Int64, Int32} {
		if _, err := Bind("output", want, []TensorInfo{{Name: "class", DType: d, Shape: []int64{-1}}}); err != nil {
			t.Error(err)
		}
	}
	_, err := Bind("output", want, []TensorInfo{{Name: "class", DType: Float32, Shape: []int64{-1}}})
	for _, part := range []string{"is float32, want int64 or int32", "choose with --param output=NAME"} {
		if !errors.Is(err, ErrTensors) || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}
