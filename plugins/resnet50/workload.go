package resnet50

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

var (
	_ sdk.ClientWorker = (*workload)(nil)
	_ sdk.Informer     = (*workload)(nil)
)

// workload is the benchmark opened on one model file and one data set.
type workload struct {
	binding
	file     backend.Model
	pictures pictures
	pool     sync.Pool // of *[]float32, one input each
}

// sample is one preprocessed picture: float32, [3,224,224] or [224,224,3] by the binding's layout.
type sample struct {
	input *[]float32
	pool  *sync.Pool
}

// Close gives the sample's memory back. The sample must not be used afterwards.
func (s *sample) Close() error {
	if s.input != nil {
		s.pool.Put(s.input)
		s.input = nil
	}
	return nil
}

func newWorkload(b binding, file backend.Model, p pictures) *workload {
	w := &workload{binding: b, file: b.model(file), pictures: p}
	w.pool.New = func() any {
		input := make([]float32, b.recipe.Len())
		return &input
	}
	return w
}

// Inform says what keeps a run out of the closed division.
func (w *workload) Inform(info *sdk.WorkloadInfo) {
	if w.best > 1 {
		info.OpenReasons = append(info.OpenReasons, "the answers are the five best classes of each picture (payload=top5)")
	}
	if set, ok := w.pictures.(subset); ok {
		info.OpenReasons = append(info.OpenReasons, fmt.Sprintf("%d of %d pictures are used (per_class)", set.Len(),
			set.all.Len()))
	}
}

func (w *workload) Len() int { return w.pictures.Len() }

func (w *workload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load reads, decodes and transforms picture i.
func (w *workload) Load(_ context.Context, i int) (*sample, error) {
	data, err := w.pictures.Read(i)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("sample %d: %w", i, err))
	}
	s := w.newSample()
	o := image.DecodeOptions{Incomplete: func() { incomplete(i, w.pictures.Name(i)) }}
	if err := w.recipe.FromBytes(*s.input, data, o); err != nil {
		return nil, errors.Join(sdk.Data(fmt.Errorf("sample %d (%s): %w", i, w.pictures.Name(i), err)), s.Close())
	}
	return s, nil
}

// incomplete says in the plugin's log that a picture is not whole.
func incomplete(i int, name string) {
	fmt.Fprintf(os.Stderr, "sample %d (%s): scans of this progressive JPEG are missing: "+
		"it is decoded as libjpeg does, from those that are there\n", i, name)
}

func (w *workload) newSample() *sample {
	return &sample{input: w.pool.Get().(*[]float32), pool: &w.pool}
}

// WarmSample is an all-zero picture, which no data set holds.
func (w *workload) WarmSample() *sample {
	s := w.newSample()
	clear(*s.input)
	return s
}

// Collate hands over a single sample without a copy and joins several.
func (w *workload) Collate(samples []*sample, b *sdk.Batch) error {
	d := w.dims()
	if len(samples) == 1 {
		b.Share(0, bytesOf(samples[0]), 1, d[0], d[1], d[2])
		return nil
	}
	input := b.Input(0, int64(len(samples)), d[0], d[1], d[2])
	for _, s := range samples {
		input = input[copy(input, bytesOf(s)):]
	}
	return nil
}

func bytesOf(s *sample) []byte { return backend.Bytes(*s.input) }

// Postprocess appends each picture's class.
func (w *workload) Postprocess(outputs []backend.Tensor, samples []*sample, p *sdk.Payloads) error {
	if len(outputs) != 1 {
		return fmt.Errorf("%w: %d outputs, want 1", errOutput, len(outputs))
	}
	return w.answers(outputs[0], len(samples), p)
}

// ClientWork is nothing for a model whose output is class numbers without an offset: they are
// written in the log's type.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	var work []string
	if w.scores {
		work = append(work, "the class with the greatest score is looked for (ArgMax); "+
			"parameter answer=class is for models that answer with the class")
	}
	if w.offset != 0 {
		work = append(work, fmt.Sprintf("%d is subtracted from each class; "+
			"parameter offset=0 is for models that number the classes from 0", w.offset))
	}
	return work
}

func (w *workload) Close() error { return nil }
