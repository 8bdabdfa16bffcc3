package yolo

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/plugins/internal/detection"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ sdk.ClientWorker = (*yoloWorkload)(nil)
	_ sdk.Noter        = (*yoloWorkload)(nil)
)

// yoloWorkload is the benchmark with one model file and one data set.
type yoloWorkload struct {
	yoloBinding
	*pictures.PictureSamples
	file    backend.Model
	heads   sync.Pool    // of *detection.DetectionHead
	classes atomic.Int64 // number of the model's classes, known after its first answer
}

func newYOLOWorkload(b yoloBinding, file backend.Model, set pictures.PictureSet) *yoloWorkload {
	w := &yoloWorkload{yoloBinding: b, PictureSamples: pictures.NewPictureSamples(set, b.pictureInput()),
		file: b.completeModel(file)}
	w.heads.New = func() any { return new(detection.DetectionHead) }
	return w
}

func (w *yoloWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// RunNotes returns notes about which version of the reference the run followed.
func (w *yoloWorkload) RunNotes() sdk.RunNotes {
	r := sdk.RunNotes{Notes: []string{w.notes}}
	if w.choices != "" {
		r.Notes = append(r.Notes, w.choices)
	}
	if note := w.pictureInput().ConversionNote(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if n := w.classes.Load(); w.COCOLabels && n > 0 && n < detection.COCOClasses {
		r.Notes = append(r.Notes, fmt.Sprintf("the model has %d classes: they were taken for the first of COCO's 80", n))
	}
	return r
}

// ClientWork lists the work between the model's columns and the log's rows.
func (w *yoloWorkload) ClientWork(_, outputs []backend.TensorInfo, _ int) []string {
	return append(pictures.WideningWork(outputs),
		"the best class of each column is looked for, and boxes of low scores and those that better ones cover are dropped",
		"boxes are moved and scaled from the letterboxed picture to the picture")
}

// Postprocess appends each picture's detections.
func (w *yoloWorkload) Postprocess(outputs []backend.Tensor, samples []*pictures.PictureSample, p *sdk.Payloads) error {
	columns, err := w.checkColumns(outputs[0], samples)
	if err != nil {
		return err
	}
	values, err := pictures.ReadFloats(outputs[0])
	if err != nil {
		return fmt.Errorf("%w: %w", detection.ErrOutput, err)
	}
	rows := int(outputs[0].Shape[1])
	head := w.heads.Get().(*detection.DetectionHead)
	defer w.heads.Put(head)
	var payload []byte
	for i, s := range samples {
		found := head.Detect(values[i*rows*columns:][:rows*columns], rows-boxRows, columns)
		if payload, err = w.appendRows(payload[:0], s, found); err != nil {
			return fmt.Errorf("%w: sample %d: %w", detection.ErrOutput, s.Index, err)
		}
		p.Append(payload)
	}
	return nil
}

// checkColumns checks the output [batch, 4 + classes, columns] and returns the number of columns.
func (w *yoloWorkload) checkColumns(t backend.Tensor, samples []*pictures.PictureSample) (int, error) {
	bad := func(why error) error {
		return fmt.Errorf("%w: %q is %v of shape %s for a batch of %d: %w", detection.ErrOutput, t.Name, t.DType,
			backend.ShapeString(t.Shape), len(samples), why)
	}
	if len(t.Shape) != 3 || t.Shape[0] != int64(len(samples)) ||
		backend.Elements(t.Shape)*int64(t.DType.Size()) != int64(len(t.Data)) {
		return 0, bad(errOutputShape)
	}
	rows, columns := t.Shape[1], t.Shape[2]
	if err := checkOutputForm(rows, columns, countPositions(samples[0].Dims)); err != nil {
		return 0, bad(err)
	}
	if err := w.checkClasses(int(rows) - boxRows); err != nil {
		return 0, bad(err)
	}
	w.classes.Store(rows - boxRows)
	return int(columns), nil
}

// countPositions returns the number of columns that the official strides yield for a picture: 8,400 for 640 x 640.
func countPositions(dims [3]int64) (n int64) {
	for _, stride := range []int64{8, 16, 32} {
		n += (dims[1] / stride) * (dims[2] / stride)
	}
	return n
}

// appendRows appends the rows of a picture's detections.
func (w *yoloWorkload) appendRows(payload []byte, s *pictures.PictureSample, found []detection.FoundBox) ([]byte,
	error) {
	in := detection.LetterboxFrame{W: s.Fit.W, H: s.Fit.H, BoxedW: s.Fit.Width(), BoxedH: s.Fit.Height()}
	for _, f := range found {
		if sum := f.X1 + f.Y1 + f.X2 + f.Y2; sum != sum {
			return payload, fmt.Errorf("the box of column %d, whose score is %v, is not a number", f.Column, f.Score)
		}
		f = w.Unletterbox.RestoreBox(f, in)
		payload = detection.AppendRow(payload, s.Index, in.ToFractions(f), f.Score, w.classLabel(f.Class))
	}
	return payload, nil
}
