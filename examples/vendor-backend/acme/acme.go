// Package acme is a vendor's backend in its own module. Its device classifies a picture by the mean level.
package acme

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Backend opens models on the device.
type Backend struct{}

var (
	inputs  = []backend.TensorInfo{{Name: "input_tensor:0", DType: backend.Float32, Shape: []int64{-1, 3, 224, 224}}}
	outputs = []backend.TensorInfo{{Name: "ArgMax:0", DType: backend.Int64, Shape: []int64{-1}}}
)

// Open binds the benchmark's tensors to the device's.
func (Backend) Open(_ context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	for option := range c.Options {
		return nil, fmt.Errorf("%w: unknown option %q, the device has none", backend.ErrOption, option)
	}
	if _, err := backend.Bind("input", m.Inputs, inputs); err != nil {
		return nil, err
	}
	if _, err := backend.Bind("output", m.Outputs, outputs); err != nil {
		return nil, err
	}
	return session{}, nil
}

type session struct{}

func (session) Inputs() []backend.TensorInfo  { return inputs }
func (session) Outputs() []backend.TensorInfo { return outputs }
func (session) Limits() backend.Limits        { return backend.Limits{Concurrency: 2, PreferredBatch: 4} }
func (session) Close() error                  { return nil }

func (session) Run(ctx context.Context, in, out []backend.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := backend.CheckTensors("input", inputs, in); err != nil {
		return err
	}
	pictures := backend.View[float32](in[0].Data)
	n := int(in[0].Shape[0])
	classes := make([]int64, n)
	for i := range classes {
		classes[i] = level(pictures[i*len(pictures)/n : (i+1)*len(pictures)/n])
	}
	data := backend.Bytes(classes)
	if out[0].Data != nil { // the caller provides the memory
		if len(out[0].Data) < len(data) {
			return fmt.Errorf("output: room for %d bytes, want %d", len(out[0].Data), len(data))
		}
		data = out[0].Data[:copy(out[0].Data, data)]
	}
	out[0] = backend.Tensor{Name: "ArgMax:0", DType: backend.Int64, Shape: []int64{int64(n)}, Data: data}
	return nil
}

// level returns the picture's mean in steps of 16 levels, as a class from 1.
func level(picture []float32) int64 {
	var sum float64
	for _, v := range picture {
		sum += float64(v)
	}
	return 1 + int64(sum/float64(len(picture))+128)/16
}
