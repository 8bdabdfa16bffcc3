package process

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

func TestLimitsOfAModelWithAFixedBatch(t *testing.T) {
	for name, c := range map[string]struct {
		shapes [][]int64
		says   uint32 // the process
		want   int
	}{
		"free":               {[][]int64{{-1, 3}}, 0, 0},
		"fixed":              {[][]int64{{1, 3}, {1}}, 0, 1},
		"fixed, it says so":  {[][]int64{{4, 3}}, 4, 4},
		"fixed, it says 8":   {[][]int64{{4, 3}}, 8, 4},
		"fixed, it says 2":   {[][]int64{{4, 3}}, 2, 2},
		"inputs differ":      {[][]int64{{1, 3}, {5}}, 0, 0},
		"a scalar beside it": {[][]int64{{1, 3}, {}}, 0, 0},
		"free, it says 16":   {[][]int64{{-1, 3}}, 16, 16},
	} {
		s := &processSession{response: &backendpb.OpenResponse{MaxBatch: c.says}}
		for _, shape := range c.shapes {
			s.inputs = append(s.inputs, backend.TensorInfo{DType: backend.Float32, Shape: shape})
		}
		if got := s.Limits().MaxBatch; got != c.want {
			t.Errorf("%s: batches of at most %d, want %d", name, got, c.want)
		}
	}
}
