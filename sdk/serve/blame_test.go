package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// opener is a backend whose Open returns its fields.
type opener struct {
	session backend.Session
	err     error
}

func (o opener) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return o.session, o.err
}

func TestWhoIsToBlameWhereABackendDoesNotOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want codes.Code
		text string
	}{
		{"a library is missing", errors.New("libacme.so.3: cannot open"), codes.Internal,
			"open model m: libacme.so.3: cannot open"},
		{"option", fmt.Errorf("%w: threads", backend.ErrOption), codes.InvalidArgument, "threads"},
		{"model", fmt.Errorf("%w: damaged", backend.ErrModel), codes.FailedPrecondition, "damaged"},
		{"tensors", fmt.Errorf("%w: x", backend.ErrTensors), codes.FailedPrecondition, "x"},
		{"called off", fmt.Errorf("load: %w", context.Canceled), codes.FailedPrecondition, "context canceled"},
		{"nothing", nil, codes.Internal, "neither a session nor an error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := (&sessionSource{backend: opener{err: c.err}}).openOnDevice(t.Context(), backend.Model{Name: "m"},
				backend.Config{})
			s := status.Convert(toStatus(err, codes.FailedPrecondition))
			if s.Code() != c.want || !strings.Contains(s.Message(), c.text) {
				t.Errorf("%v %q, want %v and %q", s.Code(), s.Message(), c.want, c.text)
			}
		})
	}
}

// careless is a session with one output of floats that returns its fields.
type careless struct {
	backend.Session
	out backend.Tensor
}

func (careless) Inputs() []backend.TensorInfo { return nil }

func (careless) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "y", DType: backend.Float32, Shape: []int64{-1, 2}}}
}

func (s careless) Run(_ context.Context, _, out []backend.Tensor) error {
	out[0] = s.out
	return nil
}

// collating is a workload that accepts any answer.
type collating struct{}

func (collating) Collate([]sdk.Sample, *sdk.Batch) error { return nil }

func (collating) Postprocess(_ []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	for range samples {
		p.Append([]byte{0})
	}
	return nil
}

func TestTheWarmUpHoldsASessionToItsOutputs(t *testing.T) {
	for _, c := range []struct {
		name string
		out  backend.Tensor
		want string // empty: no error
	}{
		{"good", backend.Tensor{DType: backend.Float32, Shape: []int64{3, 2}, Data: make([]byte, 24)}, ""},
		{"nothing", backend.Tensor{}, "output 0 (y float32[N,2]): it has no dtype, want float32"},
		{"dtype", backend.Tensor{DType: backend.Float64, Shape: []int64{3, 2}, Data: make([]byte, 48)},
			"it is float64, want float32"},
		{"shape", backend.Tensor{DType: backend.Float32, Shape: []int64{3, 3}, Data: make([]byte, 36)},
			"its shape is [3,3], want [N,2]"},
		{"bytes", backend.Tensor{DType: backend.Float32, Shape: []int64{3, 2}, Data: make([]byte, 3)}, "3 bytes, want 24"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := newWorker(collating{}, careless{out: c.out}, inflightBatch{}).warmUp(t.Context(), 0, 3)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if codeOf(err, codes.OK) != codes.Internal || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want a fault of the backend with %q", err, c.want)
			}
		})
	}
}
