package main

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestTheOtherClientsRate(t *testing.T) {
	for _, c := range []struct {
		client string
		want   float64
		fault  string
	}{
		{"echo 1.0 requests/s; echo 12.5 requests/s", 12.5, ""},
		{"echo 'Concurrency: 64, throughput: 249.47 infer/sec, latency 213159 usec'", 249.47, ""},
		{"echo nothing", 0, "want a rate"},
		{"echo no such model; exit 3", 0, "no such model"},
	} {
		got, err := otherClientRate(t.Context(), c.client)
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, error %v, want %v and %q", c.client, got, err, c.want, c.fault)
		}
	}
}

func TestInputsAreOneRow(t *testing.T) {
	in := zeroInputs([]backend.TensorInfo{{Name: "x", DType: backend.Int16, Shape: []int64{-1, 3, 0}},
		{Name: "y", DType: backend.Float32, Shape: []int64{-1, 4}}})
	if len(in) != 2 || len(in[0].Data) != 0 || len(in[1].Data) != 16 || in[1].Shape[0] != 1 {
		t.Errorf("%+v", in)
	}
}
