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

func TestBindTakesTrailingOnes(t *testing.T) {
	want := []TensorInfo{{Name: "scores", DType: Float32, Shape: []int64{-1, -1}, TrailingOnes: true}}
	for shape, ok := range map[[4]int64]bool{
		{-1, 50, 1, 1}: true, {1, 50, 1, 1}: true, {-1, -1, 1, 1}: true, {-1, 50, 2, 1}: false, {-1, 50, 1, 2}: false,
		{-1, 50, 1, -1}: false,
	} {
		_, err := Bind("output", want, []TensorInfo{{Name: "scores", DType: Float32, Shape: shape[:]}})
		if (err == nil) != ok {
			t.Errorf("%v: %v", shape, err)
		}
	}
	for _, shape := range [][]int64{{-1, 50}, {-1, 1}, {4, 50, 1}} {
		if _, err := Bind("output", want, []TensorInfo{{Name: "scores", DType: Float32, Shape: shape}}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Bind("output", want, []TensorInfo{{Name: "scores", DType: Float32, Shape: []int64{1}}}); err == nil {
		t.Error("one dimension is taken for two")
	}
}
