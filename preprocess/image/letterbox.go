package image

import (
	"fmt"
	"math"
	"sync"
)

// Letterbox fits pictures into a square without changing the ratio of their sides, for detectors of the YOLO family.
// Pictures are scaled by OpenCV's bilinear resize and centred in a grey border. Levels are divided by 255, in NCHW, red
// first. It is safe for concurrent use.
type Letterbox struct {
	Size int // of the square, in pixels
	// Rect cuts the border to what makes both sides multiples of 32, where Size is one, so that the shape depends on the
	// picture.
	Rect bool
	pool *sync.Pool // of *scratch; nil: memory is not kept
}

// NewLetterbox is a Letterbox that keeps its memory from picture to picture.
func NewLetterbox(size int, rect bool) Letterbox {
	return Letterbox{size, rect, &sync.Pool{New: func() any { return new(recipeScratch) }}}
}

// Letterboxed is a picture of W x H pixels with its position within the border.
type Letterboxed struct {
	W, H int
	Placement
}

// Placement is the position of a picture within its border, in pixels.
type Placement struct {
	W, H                     int // of the scaled picture
	Top, Bottom, Left, Right int // widths of the border
}

// Width is that of picture and border.
func (p Placement) Width() int { return p.Left + p.W + p.Right }

// Height is that of picture and border.
func (p Placement) Height() int { return p.Top + p.H + p.Bottom }

// letterboxGrey is the level of the border, in all channels.
const letterboxGrey = 114

// Place says where a picture of w x h pixels lies. Sides are rounded to even halves, and have at least one pixel. Of an
// odd border the larger part is below, and on the right.
func (l Letterbox) Place(w, h int) Placement {
	scale := min(float64(l.Size)/float64(h), float64(l.Size)/float64(w))
	side := func(n int) int { return max(1, int(math.RoundToEven(float64(n)*scale))) }
	p := Placement{W: side(w), H: side(h)}
	p.Left, p.Right = l.borderWidths(p.W)
	p.Top, p.Bottom = l.borderWidths(p.H)
	return p
}

func (l Letterbox) borderWidths(side int) (first, second int) {
	rest := l.Size - side
	if l.Rect {
		rest %= 32
	}
	half := float64(rest) / 2
	return int(math.RoundToEven(half - 0.1)), int(math.RoundToEven(half + 0.1))
}

// Len is the number of values of a picture without Rect, and the most with it: 3*Size*Size.
func (l Letterbox) Len() int { return channels * l.Size * l.Size }

// Layout is the order of the output's axes.
func (l Letterbox) Layout() Layout { return NCHW }

// Apply fills dst, of 3 planes of the height and width of Place, red first; img is only read.
func (l Letterbox) Apply(dst []float32, img *RGB) error {
	if err := img.checkFields(); err != nil {
		return err
	}
	p := l.Place(img.W, img.H)
	if n := channels * p.Height() * p.Width(); len(dst) != n {
		return fmt.Errorf("%w: %d numbers for a letterboxed picture, want %d x %d x %d", ErrBuffer, len(dst), channels,
			p.Height(), p.Width())
	}
	return l.withScratch(func(s *recipeScratch) error {
		l.applyWith(dst, img, p, s)
		return nil
	})
}

// FromBytes decodes a picture file and fills the first numbers of dst, which has length Len, as FitBytes does.
func (l Letterbox) FromBytes(dst []float32, data []byte, o DecodeOptions) error {
	_, err := l.FitBytes(dst, data, o)
	return err
}

// FitBytes decodes a picture file and fills as many of the first numbers of dst, which has length Len, as the
// letterboxed picture has: 3 planes of its height and width. Its errors are those of Decode.
func (l Letterbox) FitBytes(dst []float32, data []byte, o DecodeOptions) (fit Letterboxed, err error) {
	if len(dst) != l.Len() {
		return fit, fmt.Errorf("%w: %d values, a letterbox of size %d makes up to %d", ErrBuffer, len(dst), l.Size, l.Len())
	}
	err = l.withScratch(func(s *recipeScratch) error {
		if err := s.decoder.decodeInto(&s.img, data, o, wholePicture); err != nil {
			return err
		}
		fit = Letterboxed{s.img.W, s.img.H, l.Place(s.img.W, s.img.H)}
		l.applyWith(dst[:channels*fit.Height()*fit.Width()], &s.img, fit.Placement, s)
		return nil
	})
	return fit, err
}

func (l Letterbox) withScratch(do func(s *recipeScratch) error) error {
	if l.pool == nil {
		return do(new(recipeScratch))
	}
	s := l.pool.Get().(*recipeScratch)
	defer l.pool.Put(s)
	return do(s)
}

func (l Letterbox) applyWith(dst []float32, img *RGB, p Placement, s *recipeScratch) {
	if p.W != img.W || p.H != img.H {
		s.crop.setSize(p.W, p.H)
		s.resizer.resizeWindow(&s.crop, img, cropWindow{fullW: p.W, fullH: p.H, w: p.W, h: p.H}, Linear)
		img = &s.crop
	}
	w := p.Width()
	n := p.Height() * w
	for c := range channels {
		plane := dst[c*n:][:n]
		fillGrey(plane[:p.Top*w])
		fillGrey(plane[(p.Top+p.H)*w:])
	}
	for y := range p.H {
		start := (p.Top + y) * w
		red, green, blue := dst[start:][:w], dst[n+start:][:w], dst[2*n+start:][:w]
		for _, row := range [...][]float32{red, green, blue} {
			fillGrey(row[:p.Left])
			fillGrey(row[p.Left+p.W:])
		}
		toPlanes(red[p.Left:][:p.W], green[p.Left:][:p.W], blue[p.Left:][:p.W], img.Pix[channels*p.W*y:][:channels*p.W])
	}
}

// toPlanes writes the pixels of a row to those of three planes.
func toPlanes(red, green, blue []float32, pixels []uint8) {
	green, blue = green[:len(red)], blue[:len(red)]
	for x := range red {
		p := pixels[channels*x:][:channels]
		red[x], green[x], blue[x] = unitLevels[p[0]], unitLevels[p[1]], unitLevels[p[2]]
	}
}

func fillGrey(border []float32) {
	for i := range border {
		border[i] = unitLevels[letterboxGrey]
	}
}

// unitLevels are the levels from 0 to 1.
var unitLevels = func() (levels [256]float32) {
	for v := range levels {
		levels[v] = float32(v) / 255
	}
	return levels
}()
