package plot

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dpi is the resolution of a PNG.
const dpi = 160

// WritePNG writes the chart with its title on a white background.
func (c Chart) WritePNG(w io.Writer) error {
	s := c.layOut(true)
	if err := s.checkPlaces(); err != nil {
		return fmt.Errorf("chart %s: %w", c.ID, err)
	}
	wide, high := vg.Points(s.w+2*margin), vg.Points(s.h+2*margin)
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(dpi),
		vgimg.UseBackgroundColor(color.White))}
	at := func(p point) vg.Point { // Y points upwards in vg
		return vg.Point{X: vg.Points(p.x + margin), Y: high - vg.Points(p.y+margin)}
	}
	for _, p := range s.paths {
		p.drawPath(canvas, at)
	}
	for _, t := range s.texts {
		t.drawWords(canvas, at)
	}
	_, err := canvas.WriteTo(w)
	return err
}

func (p scenePath) drawPath(to vg.Canvas, at func(point) vg.Point) {
	to.SetColor(p.ink)
	to.SetLineWidth(vg.Points(p.width))
	dashes := make([]vg.Length, len(p.dash))
	for i, length := range p.dash {
		dashes[i] = vg.Points(length)
	}
	to.SetLineDash(dashes, 0)
	for _, part := range p.parts {
		var line vg.Path
		for i, c := range part {
			switch {
			case p.dots:
				var dot vg.Path
				dot.Move(at(point{c.x + p.width/2, c.y}))
				dot.Arc(at(c), vg.Points(p.width/2), 0, 2*3.141592653589793)
				dot.Close()
				to.Fill(dot)
			case i == 0:
				line.Move(at(c))
			default:
				line.Line(at(c))
			}
		}
		switch {
		case p.dots || len(line) == 0:
		case p.fill:
			line.Close()
			to.Fill(line)
		default:
			to.Stroke(line)
		}
	}
}

func (w sceneText) drawWords(to vg.Canvas, at func(point) vg.Point) {
	b := w.textBox()
	if w.halo {
		scenePath{ink: chartInk{color: color.NRGBA{0xff, 0xff, 0xff, 0xd0}}, fill: true,
			parts: [][]point{boxCorners(b)}}.drawPath(to, at)
	}
	to.SetColor(w.ink)
	to.FillString(advances().faceOf(w.textLook), at(point{b.left, w.y}), w.text)
}
