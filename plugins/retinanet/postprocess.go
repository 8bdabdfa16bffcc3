package retinanet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is in the chain of every error about what a model gave.
var errOutput = errors.New("the model's outputs are not detections")

// detections are a model's outputs for a batch: rows detections of each picture.
type detections struct {
	boxes, scores []float32
	labels        func(i int) float32
	counts        func(i int) float32 // by picture; nil: all rows are meant
	rows          int
}

// read finds the detections in the outputs, which come in the order boxes, scores, labels, count. Boxes have the shape
// [batch, rows, 4], or [rows, 4] from a model that takes one picture at a time.
func (b binding) read(outputs []backend.Tensor, batch int) (d detections, err error) {
	if want := len(b.model(backend.Model{}).Outputs); len(outputs) != want {
		return d, fmt.Errorf("%w: %d outputs, want %d", errOutput, len(outputs), want)
	}
	if d.rows, err = rowsOf(outputs[0], batch); err != nil {
		return d, err
	}
	n := batch * d.rows
	var faults [4]error
	d.boxes, faults[0] = floats(outputs[0], 4*n)
	d.scores, faults[1] = floats(outputs[1], n)
	d.labels, faults[2] = numbers(outputs[2], n)
	if b.count != "" {
		d.counts, faults[3] = numbers(outputs[3], batch)
	}
	if err := errors.Join(faults[:]...); err != nil {
		return d, fmt.Errorf("%w: boxes of shape %s for a batch of %d: %w", errOutput,
			backend.ShapeString(outputs[0].Shape), batch, err)
	}
	return d, nil
}

// rowsOf is how many detections of each picture the boxes hold.
func rowsOf(boxes backend.Tensor, batch int) (int, error) {
	s := boxes.Shape
	switch {
	case len(s) == 3 && s[0] == int64(batch) && s[2] == 4:
		return int(s[1]), nil
	case len(s) == 2 && batch == 1 && s[1] == 4:
		return int(s[0]), nil
	case len(s) == 2 && s[1] == 4:
		return 0, fmt.Errorf("%w: %q has shape %s, without a batch, for a batch of %d; run with a batch of 1", errOutput,
			boxes.Name, backend.ShapeString(s), batch)
	}
	return 0, fmt.Errorf("%w: %q has shape %s for a batch of %d, want [%d,N,4]", errOutput, boxes.Name,
		backend.ShapeString(s), batch, batch)
}

func floats(t backend.Tensor, n int) ([]float32, error) {
	if t.DType != backend.Float32 || len(t.Data) != 4*n {
		return nil, fmt.Errorf("%q is %v of shape %s, want %d float32", t.Name, t.DType, backend.ShapeString(t.Shape), n)
	}
	return backend.View[float32](t.Data), nil
}

// numbers reads a tensor of any type that exporters give labels and counts.
func numbers(t backend.Tensor, n int) (func(i int) float32, error) {
	if len(t.Data) != n*t.DType.Size() {
		return nil, fmt.Errorf("%q has shape %s, want %d values", t.Name, backend.ShapeString(t.Shape), n)
	}
	switch t.DType {
	case backend.Float32:
		return reader[float32](t), nil
	case backend.Int64:
		return reader[int64](t), nil
	case backend.Int32:
		return reader[int32](t), nil
	}
	return nil, fmt.Errorf("%q is %v, want float32, int64 or int32", t.Name, t.DType)
}

func reader[T float32 | int32 | int64](t backend.Tensor) func(i int) float32 {
	v := backend.View[T](t.Data)
	return func(i int) float32 { return float32(v[i]) }
}

// answer appends the payload of the i-th picture of the batch: for each detection seven little-endian float32, the
// sample's index, ymin, xmin, ymax, xmax as shares of the picture, score and label. Detections end at the first score
// below the threshold, or at the model's own count. Without detections the payload has no bytes.
func (b binding) answer(payload []byte, d *detections, i, index int) ([]byte, error) {
	rows, err := d.count(i)
	if err != nil {
		return payload, err
	}
	for k := i * d.rows; k < i*d.rows+rows; k++ {
		score := d.scores[k]
		if math.IsNaN(float64(score)) {
			return payload, fmt.Errorf("the score of detection %d is not a number", k-i*d.rows)
		}
		if float64(score) < b.threshold {
			break
		}
		box := b.share([4]float32(d.boxes[4*k:]))
		for _, v := range [...]float32{float32(index), box[0], box[1], box[2], box[3], score, d.labels(k)} {
			payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(v))
		}
	}
	return payload, nil
}

// count is how many detections of picture i are meant.
func (d *detections) count(i int) (int, error) {
	if d.counts == nil {
		return d.rows, nil
	}
	n := d.counts(i)
	if !(n >= 0 && n <= float32(d.rows)) {
		return 0, fmt.Errorf("%v detections of the %d that the outputs hold", n, d.rows)
	}
	return int(n), nil
}

// share turns a box into ymin, xmin, ymax, xmax as shares of the picture.
func (b binding) share(box [4]float32) [4]float32 {
	if b.corners.pixels {
		for i := range box {
			box[i] /= float32(b.size)
		}
	}
	if b.corners.yFirst {
		return box
	}
	return [4]float32{box[1], box[0], box[3], box[2]}
}
