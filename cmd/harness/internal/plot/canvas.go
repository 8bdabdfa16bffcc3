package plot

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// canvas draws to the inside of an SVG element, one unit to the point. What it writes has classes in place of colours,
// and no attribute style, which a page's Content-Security-Policy would have to allow.
type canvas struct {
	w, h  vg.Length
	out   bytes.Buffer
	stack []state
}

// state is what Push keeps. A point (x, y) of gonum/plot, whose y goes up, is at a·x + c·y + e, b·x + d·y + f.
type state struct {
	a, b, c, d, e, f float64
	color            color.Color
	width            vg.Length
	dashes           []vg.Length
}

func newCanvas(w, h vg.Length) *canvas {
	c := &canvas{w: w, h: h, stack: []state{{a: 1, d: 1, color: inkText}}}
	vg.Initialize(c)
	return c
}

func (c *canvas) top() *state { return &c.stack[len(c.stack)-1] }

// Size implements vg.CanvasSizer.
func (c *canvas) Size() (x, y vg.Length) { return c.w, c.h }

// The methods up to Pop implement vg.Canvas.
func (c *canvas) SetLineWidth(w vg.Length)               { c.top().width = w }
func (c *canvas) SetLineDash(p []vg.Length, _ vg.Length) { c.top().dashes = p }
func (c *canvas) SetColor(k color.Color)                 { c.top().color = k }
func (c *canvas) Push()                                  { c.stack = append(c.stack, *c.top()) }
func (c *canvas) Pop()                                   { c.stack = c.stack[:len(c.stack)-1] }

// Rotate turns what is drawn later by an angle in radians, counted against the clock.
func (c *canvas) Rotate(rad float64) {
	s := c.top()
	sin, cos := math.Sincos(rad)
	s.a, s.b, s.c, s.d = s.a*cos+s.c*sin, s.b*cos+s.d*sin, s.c*cos-s.a*sin, s.d*cos-s.b*sin
}

// Translate moves what is drawn later.
func (c *canvas) Translate(p vg.Point) {
	s := c.top()
	x, y := p.X.Points(), p.Y.Points()
	s.e, s.f = s.e+s.a*x+s.c*y, s.f+s.b*x+s.d*y
}

// Scale stretches what is drawn later.
func (c *canvas) Scale(x, y float64) {
	s := c.top()
	s.a, s.b, s.c, s.d = s.a*x, s.b*x, s.c*y, s.d*y
}

// at is where a point is in SVG, whose y goes down.
func (c *canvas) at(p vg.Point) (x, y float64) {
	s := c.top()
	px, py := p.X.Points(), p.Y.Points()
	return s.a*px + s.c*py + s.e, c.h.Points() - (s.b*px + s.d*py + s.f)
}

// class is that of the current colour.
func (c *canvas) class() string {
	if i, ok := c.top().color.(ink); ok {
		return i.class
	}
	return inkText.class
}

// Stroke draws a line.
func (c *canvas) Stroke(p vg.Path) {
	s := c.top()
	if s.width <= 0 || len(p) == 0 {
		return
	}
	fmt.Fprintf(&c.out, `<path class="%s" stroke-width="%s"`, c.class(), short(s.width.Points()))
	if len(s.dashes) > 0 {
		c.out.WriteString(` stroke-dasharray="`)
		for i, d := range s.dashes {
			if i > 0 {
				c.out.WriteByte(' ')
			}
			c.out.WriteString(short(d.Points()))
		}
		c.out.WriteByte('"')
	}
	c.path(p)
}

// Fill fills a surface.
func (c *canvas) Fill(p vg.Path) {
	if len(p) > 0 {
		fmt.Fprintf(&c.out, `<path class="f %s"`, c.class())
		c.path(p)
	}
}

// path ends an element with its path. Charts have straight lines alone: an arc becomes one.
func (c *canvas) path(p vg.Path) {
	c.out.WriteString(` d="`)
	letter := byte(0)
	for _, part := range p {
		next := byte('L')
		switch part.Type {
		case vg.MoveComp:
			next = 'M'
		case vg.CloseComp:
			c.out.WriteByte('Z')
			letter = 0
			continue
		}
		if next != letter || next == 'M' {
			c.out.WriteByte(next)
		} else {
			c.out.WriteByte(' ')
		}
		letter = next
		x, y := c.at(part.Pos)
		c.out.WriteString(short(x) + " " + short(y))
	}
	c.out.WriteString("\"/>\n")
}

// FillString writes a text.
func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	x, y := c.at(p)
	fmt.Fprintf(&c.out, `<text class="%s" x="%s" y="%s"`, c.class(), short(x), short(y))
	if s := c.top(); s.b != 0 {
		fmt.Fprintf(&c.out, ` transform="rotate(%s %s %s)"`, short(-math.Atan2(s.b, s.a)*180/math.Pi), short(x), short(y))
	}
	fmt.Fprintf(&c.out, ">%s</text>\n", html.EscapeString(text))
}

// DrawImage implements vg.Canvas: charts have no pictures.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// short writes a number with one decimal at most.
func short(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}
