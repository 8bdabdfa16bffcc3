package pair

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// decoderSteps is the number of decoder runs for a sample.
const decoderSteps = 2

// pairRun runs batches through both parts.
type pairRun struct {
	encoder, decoder backend.Session
	keepOutputs      bool // h and the state stay in the backend
}

// Run appends the answer to each sample.
func (r *pairRun) Run(ctx context.Context, samples []sdk.Sample, p *sdk.Payloads) error {
	n := len(samples)
	var x []float32
	for _, s := range samples {
		numbers := s.([width]float32)
		x = append(x, numbers[:]...)
	}
	h := []backend.Tensor{{KeepOutput: r.keepOutputs}}
	if err := r.encoder.Run(ctx, []backend.Tensor{floatTensor(x, n)}, h); err != nil {
		return err
	}
	defer h[0].Release()
	state := floatTensor(make([]float32, n*hidden), n)
	for step := range decoderSteps {
		out := []backend.Tensor{{}, {KeepOutput: r.keepOutputs}}
		if err := r.decoder.Run(ctx, []backend.Tensor{h[0], state}, out); err != nil {
			return err
		}
		state.Release()
		state = out[1]
		if step == decoderSteps-1 {
			appendRows(p, out[0].Data, n)
		}
		out[0].Release()
	}
	state.Release()
	return nil
}

// floatTensor returns a tensor of n rows.
func floatTensor(v []float32, n int) backend.Tensor {
	return backend.Tensor{DType: backend.Float32, Shape: []int64{int64(n), int64(len(v) / n)}, Data: backend.Bytes(v)}
}

func appendRows(p *sdk.Payloads, data []byte, n int) {
	for i := range n {
		p.Append(data[4*i : 4*i+4])
	}
}
