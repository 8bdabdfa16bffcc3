// Package pictures contains the common parts of benchmarks with one picture per sample: the data set as files, and a
// run's samples, preprocessed into the model's input tensor.
//
// In scope: reading, the memory of samples, batches, the pictures of exhibits. Out of scope: transforms
// (preprocess/image), data sets and models' answers (each benchmark).
package pictures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdimage "image"
	_ "image/jpeg" // the pictures of data sets
	_ "image/png"  // the drawn ones
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
	// Read returns the bytes of picture i's file, which the caller owns.
	Read(i int) ([]byte, error)
}

// sizedSet is a Set that knows the sizes of its pictures beforehand, in pixels.
type sizedSet interface{ Size(i int) (w, h int) }

// DecodePicture decodes picture i, to show it.
func DecodePicture(set PictureSet, i int) (stdimage.Image, error) {
	data, err := set.Read(i)
	if err != nil {
		return nil, err
	}
	p, _, err := stdimage.Decode(bytes.NewReader(data))
	return p, err
}

// PictureRecipe converts the bytes of a picture to Len numbers in a layout.
type PictureRecipe interface {
	Len() int
	Layout() image.Layout
	FromBytes(dst []float32, data []byte, o image.DecodeOptions) error
}

// levelRecipe is a recipe that may give bytes instead of numbers.
type levelRecipe interface {
	Uint8() bool
	FromBytesUint8(dst []uint8, data []byte, o image.DecodeOptions) error
}

// ModelInput is a model's input. Its recipe makes pictures of Size x Size pixels, or of up to that size for a Letterbox
// with Rect.
type ModelInput struct {
	Recipe  PictureRecipe
	Size    int
	Element backend.DType // of the model's input; the zero value: what the recipe gives
}

// Dims is the shape of one picture: [3,Size,Size] or [Size,Size,3], with -1 for sides that depend on the picture.
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

// levelRecipe returns the recipe where it gives bytes, else nil.
func (in ModelInput) levelRecipe() levelRecipe {
	if l, ok := in.Recipe.(levelRecipe); ok && l.Uint8() {
		return l
	}
	return nil
}

// TensorInfo returns the input for a batch of any size. chosen says by which parameters a user chooses it.
func (in ModelInput) TensorInfo(name, chosen string) backend.TensorInfo {
	d, dtype := in.Dims(), backend.Float32
	switch {
	case in.needsConversion():
		dtype = in.Element
	case in.levelRecipe() != nil:
		dtype = backend.Uint8
	}
	return backend.TensorInfo{Name: name, DType: dtype, Shape: []int64{-1, d[0], d[1], d[2]}, Chosen: chosen}
}

// PictureSample is one preprocessed picture.
type PictureSample struct {
	Index int    // in the data set
	Data  []byte // of the input's element type and shape
	// Fit is how a Letterbox fitted the picture into it; else zero.
	Fit    image.Letterboxed
	Dims   [3]int64  // of Data
	floats []float32 // the memory of Data, where nothing is converted
	bytes  []byte    // the memory of Data, where the recipe's values are converted
	pool   *sync.Pool
	open   bool
}

// Close gives the sample's memory back. The sample must not be used afterwards.
func (s *PictureSample) Close() error {
	if s.open {
		s.open = false
		s.pool.Put(s)
	}
	return nil
}

// PictureSamples contains the samples of a run, the part of a workload that does not depend on the model's outputs.
type PictureSamples struct {
	set    PictureSet
	input  ModelInput
	levels levelRecipe
	pool   sync.Pool // of *Sample
	values sync.Pool // of *[]float32, the recipe's, where they are converted
}

// NewSamples makes samples of a data set.
func NewSamples(set PictureSet, in ModelInput) *PictureSamples {
	w := &PictureSamples{set: set, input: in, levels: in.levelRecipe()}
	w.values.New = func() any { v := make([]float32, in.Recipe.Len()); return &v }
	w.pool.New = func() any {
		s := &PictureSample{pool: &w.pool}
		switch {
		case in.needsConversion():
			s.bytes = make([]byte, in.Element.Size()*in.Recipe.Len())
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

// Len is how many there are.
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
		memory := w.values.Get().(*[]float32)
		defer w.values.Put(memory)
		values = *memory
	}
	if err := w.fillSample(s, values, data, o); err != nil || !w.input.needsConversion() {
		return err
	}
	return convertElements(w.input.Element, s.Data, values[:len(s.Data)/w.input.Element.Size()])
}

// fillSample transforms a picture into the recipe's values, and gives the sample its shape.
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
	s := w.pool.Get().(*PictureSample)
	s.Index, s.open, s.Dims = i, true, w.input.Dims()
	return s
}

// compareSize says where a picture has another size, decoded, than the data set says: boxes are shares of its sides.
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

// fitSample gives a sample the shape of a letterboxed picture.
func (w *PictureSamples) fitSample(s *PictureSample, fit image.Letterboxed) {
	s.Fit, s.Dims = fit, [3]int64{3, int64(fit.Height()), int64(fit.Width())}
	n := 3 * fit.Height() * fit.Width()
	if s.bytes != nil {
		s.Data = s.bytes[:n*w.input.Element.Size()]
		return
	}
	s.Data = backend.Bytes(s.floats[:n])
}

// WarmSample is an all-zero picture, which no data set holds.
func (w *PictureSamples) WarmSample() *PictureSample {
	s := w.takeSample(0)
	if l, ok := w.input.Recipe.(image.Letterbox); ok {
		w.fitSample(s, image.Letterboxed{W: l.Size, H: l.Size, Placement: l.Place(l.Size, l.Size)})
	}
	clear(s.Data)
	return s
}

// Collate hands over a single sample without a copy and joins several, which have the same Dims.
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

// Close does nothing: what is held is memory.
func (w *PictureSamples) Close() error { return nil }
