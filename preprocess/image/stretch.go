package image

import (
	"fmt"
	"sync"
)

// Stretch is a preprocessing for detection models and for Inception. It resizes the picture to size x size pixels
// without regard to its aspect ratio, as float32 samples (see [LinearFloat32]), and normalizes each channel, red first.
// Stretches are made by Retinanet, CocoMobilenet, CocoPtMobilenet, CocoResnet34, CocoResnet34TF and Inception, and are
// safe for concurrent use.
type Stretch struct {
	name        string
	size        int
	layout      Layout
	uint8Output bool
	values      *channelValues
	pool        *sync.Pool // of *stretchScratch
}

// stretchScratch contains the memory of one call of Apply or FromBytes.
type stretchScratch struct {
	decoder pictureDecoder
	img     RGB
	resizer floatResizer
}

// Retinanet returns the preprocessing of RetinaNet, with values in 0..1. The model itself applies mean and standard
// deviation.
func Retinanet(size int, l Layout) Stretch {
	return newStretch("retinanet", size, l, func(_ int, v float32) float32 { return v / 255 })
}

// CocoMobilenet returns the preprocessing of SSD-MobileNet: truncated to uint8, NHWC.
func CocoMobilenet(size int) Stretch {
	s := newStretch("coco_mobilenet", size, NHWC, func(_ int, v float32) float32 { return v })
	s.uint8Output = true
	return s
}

// CocoPtMobilenet returns the preprocessing of the PyTorch SSD-MobileNet, with values in -1..1.
func CocoPtMobilenet(size int, l Layout) Stretch {
	return newStretch("coco_pt_mobilenet", size, l, func(_ int, v float32) float32 { return (v - 127.5) / 127.5 })
}

// CocoResnet34 returns the preprocessing of SSD-ResNet34: scaled to 0..1, minus the mean, divided by the standard
// deviation.
func CocoResnet34(size int, l Layout) Stretch {
	mean, std := [channels]float32{0.485, 0.456, 0.406}, [channels]float32{0.229, 0.224, 0.225}
	return newStretch("coco_resnet34", size, l, func(c int, v float32) float32 { return (v/255 - mean[c]) / std[c] })
}

// CocoResnet34TF returns the preprocessing of the TensorFlow SSD-ResNet34: minus the channel means 123.68, 116.78,
// 103.94.
func CocoResnet34TF(size int, l Layout) Stretch {
	means := [channels]float32{123.68, 116.78, 103.94}
	return newStretch("coco_resnet34_tf", size, l, func(c int, v float32) float32 { return v - means[c] })
}

// Inception returns the preprocessing of the network that computes FID of generated pictures (size 299): values in
// -1..1, bilinear like PyTorch, without antialiasing. It agrees with PyTorch within 5e-5.
func Inception(size int, l Layout) Stretch {
	s := newStretch("inception", size, l, func(_ int, v float32) float32 { return 2*(v/255) - 1 })
	s.pool = &sync.Pool{New: func() any {
		return &stretchScratch{resizer: floatResizer{values: s.values, layout: l, torchPositions: true}}
	}}
	return s
}

func newStretch(name string, size int, l Layout, value func(c int, v float32) float32) Stretch {
	values := affineValues(value)
	pool := &sync.Pool{New: func() any { return &stretchScratch{resizer: floatResizer{values: values, layout: l}} }}
	return Stretch{name: name, size: size, layout: l, values: values, pool: pool}
}

// Name returns the reference's name of the preprocessing: "retinanet", "coco_mobilenet", "coco_pt_mobilenet",
// "coco_resnet34", "coco_resnet34_tf" or "inception".
func (s Stretch) Name() string { return s.name }

// Layout returns the order of the output's axes.
func (s Stretch) Layout() Layout { return s.layout }

// Len returns the number of values per picture: 3*Size*Size.
func (s Stretch) Len() int { return channels * s.size * s.size }

// Uint8 reports whether the values are uint8, which ApplyUint8 and FromBytesUint8 write. Otherwise they are float32.
func (s Stretch) Uint8() bool { return s.uint8Output }

// Apply writes the preprocessed img to dst, whose length must be s.Len(). It is safe for concurrent use and does not
// change img.
func (s Stretch) Apply(dst []float32, img *RGB) error {
	if err := s.checkBuffer(len(dst), false); err != nil {
		return err
	}
	return s.withScratch(img, func(m *stretchScratch) { s.writeFloats(dst, img, m) })
}

// ApplyUint8 is like Apply for recipes with uint8 values.
func (s Stretch) ApplyUint8(dst []uint8, img *RGB) error {
	if err := s.checkBuffer(len(dst), true); err != nil {
		return err
	}
	return s.withScratch(img, func(m *stretchScratch) { s.writeLevels(dst, img, m) })
}

func (s Stretch) withScratch(img *RGB, write func(*stretchScratch)) error {
	if err := img.checkFields(); err != nil {
		return err
	}
	m := s.pool.Get().(*stretchScratch)
	defer s.pool.Put(m)
	write(m)
	return nil
}

// FromBytes decodes a picture file and applies the recipe. Its errors are those of Decode and Apply. It is safe for
// concurrent use and does not change data.
func (s Stretch) FromBytes(dst []float32, data []byte, o DecodeOptions) error {
	if err := s.checkBuffer(len(dst), false); err != nil {
		return err
	}
	return s.withDecoded(data, o, func(m *stretchScratch) { s.writeFloats(dst, &m.img, m) })
}

// FromBytesUint8 is like FromBytes for recipes with uint8 values.
func (s Stretch) FromBytesUint8(dst []uint8, data []byte, o DecodeOptions) error {
	if err := s.checkBuffer(len(dst), true); err != nil {
		return err
	}
	return s.withDecoded(data, o, func(m *stretchScratch) { s.writeLevels(dst, &m.img, m) })
}

func (s Stretch) withDecoded(data []byte, o DecodeOptions, write func(*stretchScratch)) error {
	m := s.pool.Get().(*stretchScratch)
	defer s.pool.Put(m)
	if err := m.decoder.decodeInto(&m.img, data, o, wholePicture); err != nil {
		return err
	}
	write(m)
	return nil
}

func (s Stretch) writeFloats(dst []float32, img *RGB, m *stretchScratch) {
	w, plane := s.size, s.size*s.size
	if s.layout == NHWC {
		m.resizer.resizeRows(img, w, w, func(y int, l rowBetween) { l.writeFloats(dst[channels*w*y:][:channels*w]) })
		return
	}
	m.resizer.resizeRows(img, w, w, func(y int, l rowBetween) {
		for c := range channels {
			part := rowBetween{l.top[c*w:], l.bottom[c*w:], l.fraction}
			part.writeFloats(dst[c*plane+y*w:][:w])
		}
	})
}

func (s Stretch) writeLevels(dst []uint8, img *RGB, m *stretchScratch) {
	w := channels * s.size
	m.resizer.resizeRows(img, s.size, s.size, func(y int, l rowBetween) { l.writeTruncated(dst[w*y:][:w]) })
}

// checkBuffer returns an error if the recipe or the buffer cannot be used.
func (s Stretch) checkBuffer(n int, bytes bool) error {
	kind := map[bool]string{false: "float32", true: "uint8"}
	switch {
	case s.pool == nil:
		return fmt.Errorf("%w: the zero Stretch; make one with Retinanet, CocoMobilenet, CocoPtMobilenet, CocoResnet34, "+
			"CocoResnet34TF or Inception", ErrBadRecipe)
	case s.size <= 0:
		return fmt.Errorf("%w: %s of size %d, want at least 1", ErrBadRecipe, s.name, s.size)
	case s.uint8Output != bytes:
		return fmt.Errorf("%w: %s makes %s, not %s", ErrBadRecipe, s.name, kind[s.uint8Output], kind[bytes])
	case n != s.Len():
		return fmt.Errorf("%w: %d values, %s of size %d makes %d", ErrBuffer, n, s.name, s.size, s.Len())
	}
	return nil
}
