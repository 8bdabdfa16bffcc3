package detection

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ErrOutput is wrapped by every error about a model's output.
var ErrOutput = errors.New("the model's outputs are not detections")

// ModelOutputs names a model's output tensors: boxes, scores and labels of each picture's detections.
type ModelOutputs struct {
	// Names of the outputs. If Count is empty, all rows of the other outputs are detections.
	Boxes, Scores, Labels, Count string
	YFirst                       bool // a box is ymin, xmin, ymax, xmax instead of xmin, ymin, xmax, ymax
	// width and height of the picture in which boxes are measured; 0: boxes are fractions of the sides
	Pixels int
	// Threshold is the minimum score. The first detection below it ends the detections of a picture.
	Threshold float64 `param:"threshold,optional" min:"0" max:"1"`
}

// TensorInfos returns the outputs that a model must have. Labels may have several types. chosen describes the
// parameters that select the outputs, for messages.
func (o ModelOutputs) TensorInfos(chosen string) []backend.TensorInfo {
	all := []backend.TensorInfo{
		{Name: o.Boxes, DType: backend.Float32, Also: []backend.DType{backend.Float16}, Chosen: chosen},
		{Name: o.Scores, DType: backend.Float32, Also: []backend.DType{backend.Float16}}, {Name: o.Labels},
	}
	if o.Count != "" {
		all = append(all, backend.TensorInfo{Name: o.Count})
	}
	return all
}

// ClientWork lists the remaining work on the log's rows after the model has answered. There is always some.
func (o ModelOutputs) ClientWork(_, outputs []backend.TensorInfo, _ int) []string {
	work := append(pictures.WideningWork(outputs), "boxes, scores and labels are gathered into a row for each detection")
	if o.Pixels > 0 {
		work = append(work, "boxes are divided by the size of the picture")
	}
	if !o.YFirst {
		work = append(work, "the corners of boxes are put into another order")
	}
	if o.Threshold > 0 || o.Count != "" {
		work = append(work, "detections that do not count are dropped")
	}
	return work
}

// Postprocess appends each picture's detections.
func (o ModelOutputs) Postprocess(outputs []backend.Tensor, samples []*pictures.PictureSample, p *sdk.Payloads) error {
	d, err := o.readBatch(outputs, len(samples))
	if err != nil {
		return err
	}
	var payload []byte
	for i, s := range samples {
		if payload, err = o.appendAnswer(payload[:0], &d, i, s.Index); err != nil {
			return fmt.Errorf("%w: sample %d: %w", ErrOutput, s.Index, err)
		}
		p.Append(payload)
	}
	return nil
}

// batchDetections contains a model's outputs for a batch, with the same number of rows for each picture.
type batchDetections struct {
	boxes, scores []float32
	labels        func(i int) float32
	counts        func(i int) float32 // number of detections per picture; nil: all rows are detections
	rows          int
}

// readBatch finds the detections in outputs, which are in the order of TensorInfos. Boxes have the shape [batch, rows,
// 4], or [rows, 4] if the model takes one picture at a time.
func (o ModelOutputs) readBatch(outputs []backend.Tensor, batch int) (d batchDetections, err error) {
	if want := len(o.TensorInfos("")); len(outputs) != want {
		return d, fmt.Errorf("%w: %d outputs, want %d", ErrOutput, len(outputs), want)
	}
	if d.rows, err = countBoxRows(outputs[0], batch); err != nil {
		return d, err
	}
	n := batch * d.rows
	var faults [4]error
	d.boxes, faults[0] = readFloats(outputs[0], 4*n)
	d.scores, faults[1] = readFloats(outputs[1], n)
	d.labels, faults[2] = numberReader(outputs[2], n)
	if o.Count != "" {
		d.counts, faults[3] = numberReader(outputs[3], batch)
	}
	if err := errors.Join(faults[:]...); err != nil {
		return d, fmt.Errorf("%w: boxes of shape %s for a batch of %d: %w", ErrOutput,
			backend.ShapeString(outputs[0].Shape), batch, err)
	}
	return d, nil
}

// countBoxRows returns the number of rows per picture in boxes.
func countBoxRows(boxes backend.Tensor, batch int) (int, error) {
	s := boxes.Shape
	switch {
	case len(s) == 3 && s[0] == int64(batch) && s[2] == 4:
		return int(s[1]), nil
	case len(s) == 2 && batch == 1 && s[1] == 4:
		return int(s[0]), nil
	case len(s) == 2 && s[1] == 4:
		return 0, fmt.Errorf("%w: %q has shape %s, without a batch, for a batch of %d; run with a batch of 1", ErrOutput,
			boxes.Name, backend.ShapeString(s), batch)
	}
	return 0, fmt.Errorf("%w: %q has shape %s for a batch of %d, want [%d,N,4]", ErrOutput, boxes.Name,
		backend.ShapeString(s), batch, batch)
}

func readFloats(t backend.Tensor, n int) ([]float32, error) {
	values, err := pictures.ReadFloats(t)
	if err != nil || len(values) != n {
		return nil, fmt.Errorf("%q is %v of shape %s, want %d float32 or float16", t.Name, t.DType,
			backend.ShapeString(t.Shape), n)
	}
	return values, nil
}

// numberReader returns a function that reads element i of a tensor of any type that exporters use for labels and
// counts.
func numberReader(t backend.Tensor, n int) (func(i int) float32, error) {
	if len(t.Data) != n*t.DType.Size() {
		return nil, fmt.Errorf("%q has shape %s, want %d values", t.Name, backend.ShapeString(t.Shape), n)
	}
	switch t.DType {
	case backend.Float32, backend.Float16:
		values, err := pictures.ReadFloats(t)
		return func(i int) float32 { return values[i] }, err
	case backend.Int64:
		return integerReader[int64](t), nil
	case backend.Int32:
		return integerReader[int32](t), nil
	}
	return nil, fmt.Errorf("%q is %v, want float32, float16, int64 or int32", t.Name, t.DType)
}

func integerReader[T int32 | int64](t backend.Tensor) func(i int) float32 {
	v := backend.View[T](t.Data)
	return func(i int) float32 { return float32(v[i]) }
}

// appendAnswer appends the payload of the i-th picture of the batch: a row for each detection. Detections end at the
// first score below the threshold, or at the model's count. Without detections, the payload is empty.
func (o ModelOutputs) appendAnswer(payload []byte, d *batchDetections, i, index int) ([]byte, error) {
	rows, err := d.countRows(i)
	if err != nil {
		return payload, err
	}
	for k := i * d.rows; k < i*d.rows+rows; k++ {
		score := d.scores[k]
		if math.IsNaN(float64(score)) {
			return payload, fmt.Errorf("the score of detection %d is not a number", k-i*d.rows)
		}
		if float64(score) < o.Threshold {
			break
		}
		box := o.toFractions([4]float32(d.boxes[4*k:]))
		payload = AppendRow(payload, index, box, score, d.labels(k))
	}
	return payload, nil
}

// AppendRow appends a detection in the log's form: seven little-endian float32, which are the sample's index, ymin,
// xmin, ymax and xmax as fractions of the picture, score and label.
func AppendRow(payload []byte, index int, box [4]float32, score, label float32) []byte {
	for _, v := range [...]float32{float32(index), box[0], box[1], box[2], box[3], score, label} {
		payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(v))
	}
	return payload
}

// countRows returns the number of rows of picture i that are detections.
func (d *batchDetections) countRows(i int) (int, error) {
	if d.counts == nil {
		return d.rows, nil
	}
	n := d.counts(i)
	if !(n >= 0 && n <= float32(d.rows)) {
		return 0, fmt.Errorf("%v detections of the %d that the outputs hold", n, d.rows)
	}
	return int(n), nil
}

// toFractions converts a box to ymin, xmin, ymax, xmax as fractions of the picture.
func (o ModelOutputs) toFractions(box [4]float32) [4]float32 {
	if o.Pixels > 0 {
		for i := range box {
			box[i] /= float32(o.Pixels)
		}
	}
	if o.YFirst {
		return box
	}
	return [4]float32{box[1], box[0], box[3], box[2]}
}
