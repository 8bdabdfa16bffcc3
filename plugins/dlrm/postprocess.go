package dlrm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a model's output.
var errOutput = errors.New("the model's output is not one prediction per pair")

// Postprocess appends a payload for each sample.
func (w *clickWorkload) Postprocess(outputs []backend.Tensor, samples []*pairRun, p *sdk.Payloads) error {
	predictions, err := viewPredictions(outputs, countPairs(samples))
	if err != nil {
		return err
	}
	buffer, _ := w.payloadPool.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer w.payloadPool.Put(buffer)
	for i, s := range samples {
		labels := s.labels
		*buffer, err = appendPairs((*buffer)[:0], predictions[:len(labels)], labels)
		if err != nil {
			return fmt.Errorf("%w: sample %d of the batch: %w", errOutput, i, err)
		}
		p.Append(*buffer)
		predictions = predictions[len(labels):]
	}
	return nil
}

// viewPredictions returns the output for n pairs without copying it.
func viewPredictions(outputs []backend.Tensor, n int) ([]float32, error) {
	if len(outputs) != 1 {
		return nil, fmt.Errorf("%w: %d outputs, want 1", errOutput, len(outputs))
	}
	out := outputs[0]
	if out.DType != backend.Float32 || len(out.Data) != 4*n {
		return nil, fmt.Errorf("%w: %q is %v of shape %s for %d pairs, want float32 of shape [%d] or [%d,1]",
			errOutput, out.Name, out.DType, backend.ShapeString(out.Shape), n, n, n)
	}
	return backend.View[float32](out.Data), nil
}

// appendPairs appends the payload of a sample: prediction and label of each pair, as little-endian float32.
func appendPairs(dst []byte, predictions []float32, labels []uint8) ([]byte, error) {
	for i, v := range predictions {
		if v-v != 0 {
			return dst, fmt.Errorf("pair %d: prediction %v, want a finite number", i, v)
		}
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(labels[i])))
	}
	return dst, nil
}
