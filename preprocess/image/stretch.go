package image

import (
	"fmt"
	"sync"
)

// Stretch is a preprocessing for detection models and for Inception. The picture is resized to size x size pixels
// whatever its proportions, as float32 samples (see [LinearFloat32]), and each channel, red first, is normalised.
// Stretches are values made by Retinanet, CocoMobilenet, CocoPtMobilenet, CocoResnet34, CocoResnet34TF and Inception;
// all are safe for concurrent use.
type Stretch struct {
	name   string
	size   int
	layout Layout
	bytes  bool
	values *channelValues
	pool   *sync.Pool // of *stretching
}

// stretchScratch is the memory of one Apply or FromBytes in progress.
type stretchScratch struct {
	decoder pictureDecoder
	img     RGB
	resizer floatResizer
}

// Retinanet is the preprocessing of RetinaNet: 0..1. Mean and standard deviation are the model's own affair.
func Retinanet(size int, l Layout) Stretch {
	return newStretch("retinanet", size, l, func(_ int, v float32) float32 { return v / 255 })
}

// CocoMobilenet is that of SSD-MobileNet: uint8, cut off after the point, NHWC.
func CocoMobilenet(size int) Stretch {
	s := newStretch("coco_mobilenet", size, NHWC, func(_ int, v float32) float32 { return v })
	s.bytes = true
	return s
}

// CocoPtMobilenet is that of the PyTorch SSD-MobileNet: -1..1.
func CocoPtMobilenet(size int, l Layout) Stretch {
	return newStretch("coco_pt_mobilenet", size, l, func(_ int, v float32) float32 { return (v - 127.5) / 127.5 })
}

// CocoResnet34 is that of SSD-ResNet34: scaled to 0..1, minus mean, by standard deviation.
func CocoResnet34(size int, l Layout) Stretch {
	mean, std := [channels]float32{0.485, 0.456, 0.406}, [channels]float32{0.229, 0.224, 0.225}
	return newStretch("coco_resnet34", size, l, func(c int, v float32) float32 { return (v/255 - mean[c]) / std[c] })
}

// CocoResnet34TF is that of the TensorFlow SSD-ResNet34: minus the channel means 123.68, 116.78, 103.94.
func CocoResnet34TF(size int, l Layout) Stretch {
	means := [channels]float32{123.68, 116.78, 103.94}
	return newStretch("coco_resnet34_tf", size, l, func(c int, v float32) float32 { return v - means[c] })
}

// Inception is that of the network behind the FID of generated pictures (size 299): -1..1, bilinear as PyTorch has it,
// not antialiased. It agrees with PyTorch within 5e-5.
func Inception(size int, l Layout) Stretch {
	s := newStretch("inception", size, l, func(_ int, v float32) float32 { return 2*(v/255) - 1 })
	s.pool = &sync.Pool{New: func() any {
		return &stretchScratch{resizer: floatResizer{values: s.values, layout: l, torch: true}}
	}}
	return s
}

func newStretch(name string, size int, l Layout, value func(c int, v float32) float32) Stretch {
	values := affineValues(value)
	pool := &sync.Pool{New: func() any { return &stretchScratch{resizer: floatResizer{values: values, layout: l}} }}
	return Stretch{name: name, size: size, layout: l, values: values, pool: pool}
}

// Name is the reference's name of the preprocessing: "retinanet", "coco_mobilenet", "coco_pt_mobilenet",
// "coco_resnet34", "coco_resnet34_tf", "inception".
func (s Stretch) Name() string { return s.name }

// Layout is the order of the output's axes.
func (s Stretch) Layout() Layout { return s.layout }

// Len is the number of values per picture: 3*Size*Size.
func (s Stretch) Len() int { return channels * s.size * s.size }

// Uint8 says that the values are uint8, which ApplyUint8 and FromBytesUint8 make; else they are float32.
func (s Stretch) Uint8() bool { return s.bytes }

// Apply writes the preprocessed img to dst, which has length s.Len(). It is safe for concurrent use; img is only read.
func (s Stretch) Apply(dst []float32, img *RGB) error {
	if err := s.checkBuffer(len(dst), false); err != nil {
		return err
	}
	return s.withScratch(img, func(m *stretchScratch) { s.writeFloats(dst, img, m) })
}

// ApplyUint8 is Apply for recipes of uint8.
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
// concurrent use; data is only read.
func (s Stretch) FromBytes(dst []float32, data []byte, o DecodeOptions) error {
	if err := s.checkBuffer(len(dst), false); err != nil {
		return err
	}
	return s.withDecoded(data, o, func(m *stretchScratch) { s.writeFloats(dst, &m.img, m) })
}

// FromBytesUint8 is FromBytes for recipes of uint8.
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

// checkBuffer reports a recipe or a buffer that cannot be used.
func (s Stretch) checkBuffer(n int, bytes bool) error {
	kind := map[bool]string{false: "float32", true: "uint8"}
	switch {
	case s.pool == nil:
		return fmt.Errorf("%w: the zero Stretch; make one with Retinanet, CocoMobilenet, CocoPtMobilenet, CocoResnet34, "+
			"CocoResnet34TF or Inception", ErrBadRecipe)
	case s.size <= 0:
		return fmt.Errorf("%w: %s of size %d, want at least 1", ErrBadRecipe, s.name, s.size)
	case s.bytes != bytes:
		return fmt.Errorf("%w: %s makes %s, not %s", ErrBadRecipe, s.name, kind[s.bytes], kind[bytes])
	case n != s.Len():
		return fmt.Errorf("%w: %d values, %s of size %d makes %d", ErrBuffer, n, s.name, s.size, s.Len())
	}
	return nil
}
