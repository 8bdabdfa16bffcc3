package ort_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBackendSuite(t *testing.T) {
	models := []backend.Model{
		{
			Name: "linear", Path: file("linear"),
			Inputs: []backend.TensorInfo{{Name: "x:0", DType: backend.Float32, Shape: []int64{-1, 3}}},
			Outputs: []backend.TensorInfo{{Name: "y:0", DType: backend.Float32, Shape: []int64{-1, 2}},
				{Name: "best:0", DType: backend.Int64, Shape: []int64{-1}}},
		},
		{
			Name: "recurrent", Path: file("recurrent"), // accepts its output as an input, which the check of OutputCache needs
			Inputs: []backend.TensorInfo{
				{Name: "h", DType: backend.Float32, Shape: []int64{-1, 3}},
				{Name: "x", DType: backend.Float32, Shape: []int64{-1, 2}},
			},
		},
		{
			Name: "old_style", Path: file("old_style"),
			Outputs: []backend.TensorInfo{{Name: "y", DType: backend.Float32, Shape: []int64{-1, 2}}},
		},
		{
			Name: "fixed_batch", Path: file("fixed_batch"),
			Outputs: []backend.TensorInfo{{Name: "y", DType: backend.Float32, Shape: []int64{-1, 2}}},
		},
	}
	for _, m := range models {
		t.Run(m.Name, func(t *testing.T) {
			sdktest.RunBackendSuite(t, sdktest.Backend{Backend: opener(t), Model: m})
		})
	}
}
