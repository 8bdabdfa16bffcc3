package retinanet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// workload is the benchmark opened on one model file and one data set.
type workload struct {
	binding
	file backend.Model
	set  pictures
	pool sync.Pool // of *sample
}

// sample is one preprocessed picture: float32 or uint8, [3,size,size] or [size,size,3] by the binding's layout.
type sample struct {
	index  int       // in the data set: the payload names it
	floats []float32 // nil for uint8
	data   []byte    // the same memory
	pool   *sync.Pool
	open   bool
}

// Close gives the sample's memory back. The sample must not be used afterwards.
func (s *sample) Close() error {
	if s.open {
		s.open = false
		s.pool.Put(s)
	}
	return nil
}

func newWorkload(b binding, file backend.Model, set pictures) *workload {
	w := &workload{binding: b, file: b.model(file), set: set}
	w.pool.New = func() any {
		s := &sample{pool: &w.pool}
		if b.recipe.Uint8() {
			s.data = make([]byte, b.recipe.Len())
			return s
		}
		s.floats = make([]float32, b.recipe.Len())
		s.data = backend.Bytes(s.floats)
		return s
	}
	return w
}

func (w *workload) Len() int { return w.set.Len() }

func (w *workload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load reads, decodes and transforms picture i.
func (w *workload) Load(_ context.Context, i int) (*sample, error) {
	data, err := w.set.Read(i)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("sample %d: %w", i, err))
	}
	s := w.newSample(i)
	if err := w.prepare(s, data, image.DecodeOptions{Incomplete: func() { incomplete(i, w.set.Name(i)) }}); err != nil {
		return nil, errors.Join(sdk.Data(fmt.Errorf("sample %d (%s): %w", i, w.set.Name(i), err)), s.Close())
	}
	return s, nil
}

func (w *workload) prepare(s *sample, data []byte, o image.DecodeOptions) error {
	if w.recipe.Uint8() {
		return w.recipe.FromBytesUint8(s.data, data, o)
	}
	return w.recipe.FromBytes(s.floats, data, o)
}

// incomplete says in the plugin's log that a picture is not whole.
func incomplete(i int, name string) {
	fmt.Fprintf(os.Stderr, "sample %d (%s): scans of this progressive JPEG are missing: "+
		"it is decoded as libjpeg does, from those that are there\n", i, name)
}

func (w *workload) newSample(i int) *sample {
	s := w.pool.Get().(*sample)
	s.index, s.open = i, true
	return s
}

// WarmSample is an all-zero picture, which no data set holds.
func (w *workload) WarmSample() *sample {
	s := w.newSample(0)
	clear(s.data)
	return s
}

// Collate hands over a single sample without a copy and joins several.
func (w *workload) Collate(samples []*sample, b *sdk.Batch) error {
	d := w.dims()
	if len(samples) == 1 {
		b.Share(0, samples[0].data, 1, d[0], d[1], d[2])
		return nil
	}
	input := b.Input(0, int64(len(samples)), d[0], d[1], d[2])
	for _, s := range samples {
		input = input[copy(input, s.data):]
	}
	return nil
}

// Postprocess appends each picture's detections.
func (w *workload) Postprocess(outputs []backend.Tensor, samples []*sample, p *sdk.Payloads) error {
	d, err := w.read(outputs, len(samples))
	if err != nil {
		return err
	}
	var payload []byte
	for i, s := range samples {
		if payload, err = w.answer(payload[:0], &d, i, s.index); err != nil {
			return fmt.Errorf("%w: sample %d: %w", errOutput, s.index, err)
		}
		p.Append(payload)
	}
	return nil
}

// ClientWork is never nothing: no form of model answers with the rows of the log.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	work := []string{"boxes, scores and labels are gathered into a row for each detection"}
	if w.corners.pixels {
		work = append(work, "boxes are divided by the size of the picture")
	}
	if !w.corners.yFirst {
		work = append(work, "the corners of boxes are put into another order")
	}
	if w.threshold > 0 || w.count != "" {
		work = append(work, "detections that do not count are dropped")
	}
	return work
}

func (w *workload) Close() error { return nil }
