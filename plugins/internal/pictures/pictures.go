// Package pictures contains the common parts of benchmarks with one picture per sample: the data set as files, and a
// run's samples, preprocessed into the model's input tensor.
//
// In scope: reading, the memory of samples, batches, the pictures of exhibits, the choice of parameters by the tensors
// of a model file. Out of scope: transforms (preprocess/image), data sets and models' answers (each benchmark).
package pictures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdimage "image"
	_ "image/jpeg" // decodes the pictures of data sets
	_ "image/png"  // decodes generated pictures
	"os"
	"sync"

	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// PictureSet is a data set, generated or read from files. Its methods may be called concurrently.
type PictureSet interface {
	Len() int
	Name(i int) string
	// Read returns the content of picture i's file. The caller owns it.
	Read(i int) ([]byte, error)
}

// sizedSet is a PictureSet that contains the sizes of its pictures in pixels.
type sizedSet interface{ Size(i int) (w, h int) }

// DecodePicture decodes picture i for display.
func DecodePicture(set PictureSet, i int) (stdimage.Image, error) {
	data, err := set.Read(i)
	if err != nil {
		return nil, err
	}
	p, _, err := stdimage.Decode(bytes.NewReader(data))
	return p, err
}

// PictureRecipe converts a picture file to Len values in a layout.
type PictureRecipe interface {
	Len() int
	Layout() image.Layout
	FromBytes(dst []float32, data []byte, o image.DecodeOptions) error
}

// levelRecipe is a recipe that can return uint8 levels instead of float32 values.
type levelRecipe interface {
	Uint8() bool
	FromBytesUint8(dst []uint8, data []byte, o image.DecodeOptions) error
}

// ModelInput describes a model's input. Its recipe makes pictures of Size x Size pixels, or of up to that size for a
// Letterbox with Rect.
type ModelInput struct {
	Recipe      PictureRecipe
	Size        int
	ElementType backend.DType // element type of the model's input; the zero value: the recipe's type
}

// Dims returns the shape of one picture: [3,Size,Size] or [Size,Size,3]. Sides that depend on the picture are -1.
func (in ModelInput) Dims() [3]int64 {
	size := int64(in.Size)
	if l, ok := in.Recipe.(image.Letterbox); ok && l.Rect {
		size = -1
	}
	if in.Recipe.Layout() == image.NHWC {
		return [3]int64{size, size, 3}
	}
	return [3]int64{3, size, size}
}

// levelRecipe returns the recipe if it can return levels, otherwise nil.
func (in ModelInput) levelRecipe() levelRecipe {
	if l, ok := in.Recipe.(levelRecipe); ok && l.Uint8() {
		return l
	}
	return nil
}

// TensorInfo returns the description of the input for a batch of any size. chosen describes the parameters that select
// it, for messages.
func (in ModelInput) TensorInfo(name, chosen string) backend.TensorInfo {
	d, dtype := in.Dims(), backend.Float32
	switch {
	case in.needsConversion():
		dtype = in.ElementType
	case in.levelRecipe() != nil:
		dtype = backend.Uint8
	}
	return backend.TensorInfo{Name: name, DType: dtype, Shape: []int64{-1, d[0], d[1], d[2]}, Chosen: chosen}
}

// PictureSample is a preprocessed picture.
type PictureSample struct {
	Index int    // index in the data set
	Data  []byte // values in the input's element type and shape
	// Fit is the position of the picture in a Letterbox; zero for other recipes.
	Fit    image.Letterboxed
	Dims   [3]int64  // shape of Data
	floats []float32 // memory of Data if nothing is converted
	bytes  []byte    // memory of Data if the recipe's values are converted
	pool   *sync.Pool
	inUse  bool
}

// Close returns the sample's memory to the pool. The sample must not be used afterwards.
func (s *PictureSample) Close() error {
	if s.inUse {
		s.inUse = false
		s.pool.Put(s)
	}
	return nil
}

// PictureSamples loads the samples of a run. It is the part of a workload that does not depend on the model's outputs.
type PictureSamples struct {
	set        PictureSet
	input      ModelInput
	levels     levelRecipe
	samplePool sync.Pool // of *PictureSample
	valuePool  sync.Pool // of *[]float32, for recipes whose values are converted
}

// NewPictureSamples returns the samples of a data set.
func NewPictureSamples(set PictureSet, in ModelInput) *PictureSamples {
	w := &PictureSamples{set: set, input: in, levels: in.levelRecipe()}
	w.valuePool.New = func() any { v := make([]float32, in.Recipe.Len()); return &v }
	w.samplePool.New = func() any {
		s := &PictureSample{pool: &w.samplePool}
		switch {
		case in.needsConversion():
			s.bytes = make([]byte, in.ElementType.Size()*in.Recipe.Len())
			s.Data = s.bytes
			return s
		case w.levels != nil:
			s.Data = make([]byte, in.Recipe.Len())
			return s
		}
		s.floats = make([]float32, in.Recipe.Len())
		s.Data = backend.Bytes(s.floats)
		return s
	}
	return w
}

// Len returns the number of samples.
func (w *PictureSamples) Len() int { return w.set.Len() }

// Load reads, decodes and transforms picture i.
func (w *PictureSamples) Load(_ context.Context, i int) (*PictureSample, error) {
	data, err := w.set.Read(i)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("sample %d: %w", i, err))
	}
	s := w.takeSample(i)
	if err := w.prepareSample(s, data); err != nil {
		return nil, errors.Join(sdk.Data(fmt.Errorf("sample %d (%s): %w", i, w.set.Name(i), err)), s.Close())
	}
	return s, nil
}

func (w *PictureSamples) prepareSample(s *PictureSample, data []byte) error {
	o := image.DecodeOptions{Incomplete: func() {
		fmt.Fprintf(os.Stderr, "sample %d (%s): scans of this progressive JPEG are missing: "+
			"it is decoded as libjpeg does, from those that are there\n", s.Index, w.set.Name(s.Index))
	}}
	if w.levels != nil && !w.input.needsConversion() {
		return w.levels.FromBytesUint8(s.Data, data, o)
	}
	values := s.floats
	if w.input.needsConversion() {
		memory := w.valuePool.Get().(*[]float32)
		defer w.valuePool.Put(memory)
		values = *memory
	}
	if err := w.fillSample(s, values, data, o); err != nil || !w.input.needsConversion() {
		return err
	}
	return convertElements(w.input.ElementType, s.Data, values[:len(s.Data)/w.input.ElementType.Size()])
}

// fillSample transforms a picture with the recipe and sets the sample's shape.
func (w *PictureSamples) fillSample(s *PictureSample, values []float32, data []byte, o image.DecodeOptions) error {
	l, ok := w.input.Recipe.(image.Letterbox)
	if !ok {
		return w.input.Recipe.FromBytes(values, data, o)
	}
	fit, err := l.FitBytes(values, data, o)
	w.fitSample(s, fit)
	w.compareSize(s)
	return err
}

func (w *PictureSamples) takeSample(i int) *PictureSample {
	s := w.samplePool.Get().(*PictureSample)
	s.Index, s.inUse, s.Dims = i, true, w.input.Dims()
	return s
}

// compareSize records a picture whose decoded size differs from the data set's, because boxes are fractions of its
// sides.
func (w *PictureSamples) compareSize(s *PictureSample) {
	known, ok := w.set.(sizedSet)
	if !ok || s.Fit.W == 0 {
		return
	}
	if width, height := known.Size(s.Index); width != s.Fit.W || height != s.Fit.H {
		fmt.Fprintf(os.Stderr, "sample %d (%s): %d x %d pixels where the data set says %d x %d: EXIF may turn it; "+
			"its boxes are scored by the data set's\n", s.Index, w.set.Name(s.Index), s.Fit.W, s.Fit.H, width, height)
	}
}

// fitSample sets the shape of a letterboxed picture.
func (w *PictureSamples) fitSample(s *PictureSample, fit image.Letterboxed) {
	s.Fit, s.Dims = fit, [3]int64{3, int64(fit.Height()), int64(fit.Width())}
	n := 3 * fit.Height() * fit.Width()
	if s.bytes != nil {
		s.Data = s.bytes[:n*w.input.ElementType.Size()]
		return
	}
	s.Data = backend.Bytes(s.floats[:n])
}

// WarmSample returns a picture of zeros, which occurs in no data set.
func (w *PictureSamples) WarmSample() *PictureSample {
	s := w.takeSample(0)
	if l, ok := w.input.Recipe.(image.Letterbox); ok {
		w.fitSample(s, image.Letterboxed{W: l.Size, H: l.Size, Placement: l.Place(l.Size, l.Size)})
	}
	clear(s.Data)
	return s
}

// Collate passes a single sample without copying. Several samples, which must have the same Dims, are joined.
func (w *PictureSamples) Collate(samples []*PictureSample, b *sdk.Batch) error {
	d := samples[0].Dims
	if len(samples) == 1 {
		b.Share(0, samples[0].Data, 1, d[0], d[1], d[2])
		return nil
	}
	input := b.Input(0, int64(len(samples)), d[0], d[1], d[2])
	for _, s := range samples {
		input = input[copy(input, s.Data):]
	}
	return nil
}

// Close does nothing, because only memory is held.
func (w *PictureSamples) Close() error { return nil }
