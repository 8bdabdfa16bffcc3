package backend

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckHandlesListsEveryFault(t *testing.T) {
	const here, elsewhere = "here", "elsewhere"
	rows := func(memory any, d DType, shape ...int64) *OutputHandle {
		return NewOutputHandle(memory, d, shape, nil, nil)
	}
	released := rows(here, Float32, 2, 3)
	released.Release()
	faults := map[string]Tensor{
		"rows without handles": {Rows: []int32{0}},
		"both data and handles": {
			DType: Float32, Shape: []int64{2, 3}, Data: make([]byte, 24), Handles: []*OutputHandle{rows(here, Float32, 2, 3)}},
		"is released": {DType: Float32, Shape: []int64{2, 3}, Handles: []*OutputHandle{released}},
		"in the memory of another": {DType: Float32, Shape: []int64{2, 3},
			Handles: []*OutputHandle{rows(elsewhere, Float32, 2, 3)}},
		"it is float32, what was kept for it int8": {DType: Float32, Shape: []int64{2, 3},
			Handles: []*OutputHandle{rows(here, Int8, 2, 3)}},
		"what was kept for it has [2,4]": {DType: Float32, Shape: []int64{2, 3},
			Handles: []*OutputHandle{rows(here, Float32, 2, 4)}},
		"what was kept for it has [2,3,1]": {DType: Float32, Shape: []int64{2, 3},
			Handles: []*OutputHandle{rows(here, Float32, 2, 3, 1)}},
		"row 4 is asked for, 4 rows are kept": {DType: Float32, Shape: []int64{2, 3}, Rows: []int32{3, 4},
			Handles: []*OutputHandle{rows(here, Float32, 2, 3), rows(here, Float32, 2, 3)}},
		"its shape is [2,3] for 4 rows": {DType: Float32, Shape: []int64{2, 3},
			Handles: []*OutputHandle{rows(here, Float32, 2, 3), rows(here, Float32, 2, 3)}},
	}
	var in []Tensor
	for _, x := range faults {
		in = append(in, x)
	}
	err := CheckHandles(here, in, []Tensor{{KeepOutput: true, Data: make([]byte, 4)}})
	if !errors.Is(err, ErrTensors) {
		t.Fatalf("error %v, want %v in its chain", err, ErrTensors)
	}
	for want := range faults {
		if !strings.Contains(strings.ToLower(err.Error()), want) {
			t.Errorf("error %q, want it to hold %q", err, want)
		}
	}
	if want := "output 0 is to be kept and has memory of the caller's"; !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want it to hold %q", err, want)
	}
}

func TestKeptIsFreedOnce(t *testing.T) {
	n := 0
	var x Tensor
	x.SetHandle(NewOutputHandle("here", Float32, []int64{2, 3}, nil, func() { n++ }))
	if err := CheckHandles("here", []Tensor{x}, nil); err != nil {
		t.Error(err)
	}
	again := x
	x.Release()
	again.Release()
	if n != 1 || x.Handles != nil {
		t.Errorf("freed %d times, %d handles left", n, len(x.Handles))
	}
}

// A session that keeps nothing refuses kept tensors, because it does not have their bytes.
func TestCheckTensorsRefusesKept(t *testing.T) {
	info := []TensorInfo{{Name: "x", DType: Float32, Shape: []int64{-1, 3}}}
	var x Tensor
	x.SetHandle(NewOutputHandle("here", Float32, []int64{2, 3}, nil, nil))
	err := CheckTensors("input", info, []Tensor{x})
	if !errors.Is(err, ErrTensors) || !strings.Contains(err.Error(), "it is kept") {
		t.Errorf("error %v, want one that says that it is kept", err)
	}
}
