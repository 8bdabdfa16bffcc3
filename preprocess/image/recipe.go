package image

import (
	"fmt"
	"math"
	"sync"

	"github.com/plumbline-ml/plumbline/preprocess/image/internal/jpeg"
)

// Layout is the order of a tensor's axes.
type Layout int

// Layouts of a picture with C channels.
const (
	NCHW Layout = iota // channel by channel: C, H, W
	NHWC               // pixel by pixel: H, W, C
)

func (l Layout) String() string {
	if l == NHWC {
		return "NHWC"
	}
	return "NCHW"
}

// Recipe is a preprocessing whose result is size x size pixels of three float32 channels. It resizes the picture so
// that its short side is a little longer than size, crops the centre, and normalizes each channel. Recipes are made by
// Vgg, Mobilenet, TFLiteTPU, Pixels, ImagenetPytorch and OpenCLIP, and are safe for concurrent use.
type Recipe struct {
	name      string
	size      int
	layout    Layout
	shortSide int // short side of the resized picture
	filter    Filter
	margin    func(int) int // number of pixels to cut off before the crop, from the number of surplus pixels
	levels    *channelLevels
	pool      *sync.Pool // of *recipeScratch
}

// channelLevels maps the picture's samples to the tensor's values.
type channelLevels struct {
	sourceChannel [channels]int          // index of the source channel (red, green, blue) for channel c
	values        [channels][256]float32 // by output channel and sample
}

// Vgg returns the preprocessing of ResNet-50: INTER_AREA, minus the channel means 123.68, 116.78, 103.94, red first.
func Vgg(size int, l Layout) Recipe {
	means := [channels]float32{123.68, 116.78, 103.94}
	return newRecipe("vgg", size, l, Area, rgbOrder, func(c int, v float32) float32 { return v - means[c] })
}

// Mobilenet returns the preprocessing of MobileNet: INTER_LINEAR, scaled to -1..1, red first.
func Mobilenet(size int, l Layout) Recipe {
	return newRecipe("mobilenet", size, l, Linear, rgbOrder, func(_ int, v float32) float32 { return (v/255 - 0.5) * 2 })
}

// TFLiteTPU returns the preprocessing of the TFLite TPU models: INTER_LINEAR, 224 x 224, NHWC, blue first, minus the
// channel means 103.939, 116.779, 123.68.
func TFLiteTPU() Recipe {
	means := [channels]float32{103.939, 116.779, 123.68}
	return newRecipe("tflite_tpu", 224, NHWC, Linear, bgrOrder, func(c int, v float32) float32 { return v - means[c] })
}

// Pixels returns a preprocessing that resizes and crops like Vgg without normalizing. Values are whole numbers from 0
// to 255, red first. It is for models that normalize their input themselves.
func Pixels(size int, l Layout) Recipe {
	return newRecipe("pixels", size, l, Area, rgbOrder, func(_ int, v float32) float32 { return v })
}

// ImagenetPytorch returns the preprocessing of torchvision's models: Pillow's bilinear, scaled to 0..1, minus the mean,
// divided by the standard deviation, red first. The short side of the resized picture is 256/224 times size.
func ImagenetPytorch(size int, l Layout) Recipe {
	mean, std := [channels]float32{0.485, 0.456, 0.406}, [channels]float32{0.229, 0.224, 0.225}
	r := newRecipe("imagenet_pytorch", size, l, PillowBilinear, rgbOrder,
		func(c int, v float32) float32 { return (v/255 - mean[c]) / std[c] })
	r.shortSide = size * 256 / 224
	r.margin = evenMargin
	return r
}

// imagenetLevels contains the levels of ImagenetPytorch.
var imagenetLevels = ImagenetPytorch(1, NCHW).levels

// NormaliseImagenet fills dst, 3 planes of the size of img, with the levels of ImagenetPytorch, without resizing.
func NormaliseImagenet(dst []float32, img *RGB) error {
	if err := img.checkFields(); err != nil {
		return err
	}
	if n := channels * img.H * img.W; len(dst) != n {
		return fmt.Errorf("%w: %d numbers for a picture of %d x %d pixels, want %d", ErrBuffer, len(dst), img.W, img.H, n)
	}
	imagenetLevels.storePlanes(dst, img.Pix)
	return nil
}

// OpenCLIP returns the preprocessing of open_clip's ViT-B-32 (size 224), which scores generated pictures: Pillow's
// bicubic to a short side of size, scaled to 0..1, minus the mean, divided by the standard deviation, red first.
func OpenCLIP(size int, l Layout) Recipe {
	mean := [channels]float32{0.48145466, 0.4578275, 0.40821073}
	std := [channels]float32{0.26862954, 0.26130258, 0.27577711}
	r := newRecipe("open_clip", size, l, PillowBicubic, rgbOrder,
		func(c int, v float32) float32 { return (v/255 - mean[c]) / std[c] })
	r.shortSide = size
	r.margin = evenMargin
	return r
}

// evenMargin is torchvision's margin: half of the surplus pixels, rounded half to even.
func evenMargin(surplus int) int { return int(math.RoundToEven(float64(surplus) / 2)) }

func rgbOrder() [channels]int { return [channels]int{0, 1, 2} }
func bgrOrder() [channels]int { return [channels]int{2, 1, 0} }

func newRecipe(name string, size int, l Layout, f Filter, order func() [channels]int,
	value func(c int, v float32) float32) Recipe {
	lv := &channelLevels{sourceChannel: order()}
	for c := range lv.values {
		for v := range lv.values[c] {
			lv.values[c][v] = value(c, float32(v))
		}
	}
	return Recipe{
		name: name, size: size, layout: l, filter: f, levels: lv,
		shortSide: int(100 * float64(size) / 87.5), // the reference crops 87.5 % of the short side
		margin:    func(rest int) int { return rest / 2 },
		pool:      &sync.Pool{New: func() any { return new(recipeScratch) }},
	}
}

// Name returns the reference's name of the preprocessing: "vgg", "mobilenet", "tflite_tpu", "imagenet_pytorch" or
// "open_clip". Only "pixels" is our own name.
func (r Recipe) Name() string { return r.name }

// Size returns the width and height of the output in pixels.
func (r Recipe) Size() int { return r.size }

// Layout returns the order of the output's axes.
func (r Recipe) Layout() Layout { return r.layout }

// Len returns the number of values per picture: 3*Size*Size.
func (r Recipe) Len() int { return channels * r.size * r.size }

// cropWindow returns the crop of a w x h picture after its resize. A square picture counts as a wide one.
func (r Recipe) cropWindow(w, h int) cropWindow {
	win := cropWindow{fullW: r.shortSide, fullH: r.shortSide, w: r.size, h: r.size}
	if h > w {
		win.fullH = r.shortSide * h / w
	} else {
		win.fullW = r.shortSide * w / h
	}
	win.x, win.y = r.margin(win.fullW-r.size), r.margin(win.fullH-r.size)
	return win
}

// sourceRegion returns a region of a w x h picture that contains every pixel on which the output depends.
func (r Recipe) sourceRegion(w, h int) jpeg.Region {
	win := r.cropWindow(w, h)
	reach := 1.0
	if r.filter == PillowBicubic {
		reach = pillowKernelFor(r.filter).support
	}
	x0, x1 := sourceRange(w, win.fullW, win.x, win.w, reach)
	y0, y1 := sourceRange(h, win.fullH, win.y, win.h, reach)
	return jpeg.Region{X0: x0, Y0: y0, X1: x1, Y1: y1}
}

// sourceRange returns a range of source samples that contains those under the n destination samples from lo on. It is
// wide enough for every filter that extends to each side by reach destination samples, or by reach source samples if
// those are larger.
func sourceRange(src, dst, lo, n int, reach float64) (from, to int) {
	scale := float64(src) / float64(dst)
	margin := reach*max(scale, 1) + 1
	return max(int(float64(lo)*scale-margin), 0), min(int(math.Ceil(float64(lo+n)*scale+margin)), src)
}

// checkBuffer returns an error if the recipe or the buffer cannot be used.
func (r Recipe) checkBuffer(dst []float32) error {
	switch {
	case r.pool == nil:
		return fmt.Errorf("%w: the zero Recipe; make one with Vgg, Mobilenet, TFLiteTPU, ImagenetPytorch or "+
			"OpenCLIP", ErrBadRecipe)
	case r.size <= 0:
		return fmt.Errorf("%w: %s of size %d, want at least 1", ErrBadRecipe, r.name, r.size)
	case len(dst) != r.Len():
		return fmt.Errorf("%w: %d values, %s of size %d makes %d", ErrBuffer, len(dst), r.name, r.size, r.Len())
	}
	return nil
}
