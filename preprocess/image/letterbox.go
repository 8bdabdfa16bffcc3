package image

import (
	"fmt"
	"math"
)

// Letterbox fits pictures into a square without changing the ratio of their sides, as detectors of the YOLO family want
// them: scaled by OpenCV's bilinear resize, in the middle of a grey border, each level divided by 255, in NCHW.
type Letterbox struct {
	Size int // of the square, in pixels
	// Rect cuts the border to what makes both sides multiples of 32, so that the shape depends on the picture.
	Rect bool
}

// Placement is where a picture lies within its border, in pixels.
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
	p.Left, p.Right = l.border(p.W)
	p.Top, p.Bottom = l.border(p.H)
	return p
}

func (l Letterbox) border(side int) (first, second int) {
	rest := l.Size - side
	if l.Rect {
		rest %= 32
	}
	half := float64(rest) / 2
	return int(math.RoundToEven(half - 0.1)), int(math.RoundToEven(half + 0.1))
}

// Apply fills dst, of 3 planes of the height and width of Place, red first.
func (l Letterbox) Apply(dst []float32, img *RGB) error {
	p := l.Place(img.W, img.H)
	w := p.Width()
	n := p.Height() * w
	if len(dst) != channels*n {
		return fmt.Errorf("image: %d numbers for a letterboxed picture, want %d x %d x %d", len(dst), channels, p.Height(), w)
	}
	if p.W != img.W || p.H != img.H {
		var err error
		if img, err = Resize(img, p.W, p.H, Linear); err != nil {
			return err
		}
	}
	for c := range channels {
		plane := dst[c*n:][:n]
		grey(plane[:p.Top*w])
		for y := range p.H {
			row := plane[(p.Top+y)*w:][:w]
			grey(row[:p.Left])
			inner, levels := row[p.Left:][:p.W], img.Pix[channels*y*p.W+c:]
			for x := range inner {
				inner[x] = unitLevels[levels[channels*x]]
			}
			grey(row[p.Left+p.W:])
		}
		grey(plane[(p.Top+p.H)*w:])
	}
	return nil
}

func grey(border []float32) {
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
