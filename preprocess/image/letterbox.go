package image

import (
	"fmt"
	"math"
	"sync"
)

// Letterbox fits pictures into a square without changing their aspect ratio, for detectors of the YOLO family. It
// scales pictures with OpenCV's bilinear resize and centres them in a grey border. The output contains levels divided
// by 255 in NCHW, red first. Letterbox is safe for concurrent use.
type Letterbox struct {
	Size int // side of the square in pixels
	// Rect reduces the border so that both sides are multiples of 32, if Size is one. The shape then depends on the
	// picture.
	Rect bool
	pool *sync.Pool // of *recipeScratch; nil: memory is not reused
}

// NewLetterbox returns a Letterbox that reuses its memory between pictures.
func NewLetterbox(size int, rect bool) Letterbox {
	return Letterbox{size, rect, &sync.Pool{New: func() any { return new(recipeScratch) }}}
}

// Letterboxed is the size in pixels of an original picture with its position in the letterbox.
type Letterboxed struct {
	W, H int
	Placement
}

// Placement is the position of a scaled picture within its border, in pixels.
type Placement struct {
	W, H                     int // size of the scaled picture
	Top, Bottom, Left, Right int // widths of the border
}

// Width returns the total width of picture and border.
func (p Placement) Width() int { return p.Left + p.W + p.Right }

// Height returns the total height of picture and border.
func (p Placement) Height() int { return p.Top + p.H + p.Bottom }

// letterboxGrey is the level of the border in all channels.
const letterboxGrey = 114

// Place returns the position of a w x h picture. Sides are rounded half to even and have one pixel or more. If a border
// has an odd width, the larger part is at the bottom or on the right.
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

// Len returns 3*Size*Size, the number of values of a picture. With Rect, this is the maximum.
func (l Letterbox) Len() int { return channels * l.Size * l.Size }

// Layout returns the order of the output's axes.
func (l Letterbox) Layout() Layout { return NCHW }

// Apply fills dst with 3 planes of the height and width of Place, red first. It does not change img.
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

// FromBytes is like FitBytes but does not return the position.
func (l Letterbox) FromBytes(dst []float32, data []byte, o DecodeOptions) error {
	_, err := l.FitBytes(dst, data, o)
	return err
}

// FitBytes decodes a picture file and writes the letterboxed picture, 3 planes of its height and width, to the start of
// dst. dst must have length Len. The errors are those of Decode.
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
		storePlanes(red[p.Left:][:p.W], green[p.Left:][:p.W], blue[p.Left:][:p.W], img.Pix[channels*p.W*y:][:channels*p.W])
	}
}

// storePlanes writes the pixels of a row to three planes.
func storePlanes(red, green, blue []float32, pixels []uint8) {
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

// unitLevels maps levels to values from 0 to 1.
var unitLevels = func() (levels [256]float32) {
	for v := range levels {
		levels[v] = float32(v) / 255
	}
	return levels
}()
