package plot

import (
	"image/color"
	"slices"
	"strings"
)

// chartInk is a colour with a role: a CSS class in pages, and a colour on white elsewhere.
type chartInk struct {
	class string
	color color.NRGBA
}

// RGBA implements color.Color.
func (i chartInk) RGBA() (r, g, b, a uint32) { return i.color.RGBA() }

// The inks. CSS contains the same for pages.
var (
	inkText  = chartInk{"pt", color.NRGBA{0x1f, 0x29, 0x37, 0xff}}
	inkAxis  = chartInk{"pa", color.NRGBA{0x5b, 0x64, 0x72, 0xff}}
	inkGrid  = chartInk{"pg", color.NRGBA{0xe5, 0xe7, 0xeb, 0xff}}
	inkFirst = chartInk{"p1", color.NRGBA{0x1d, 0x4e, 0xd8, 0xff}}
	inkLimit = chartInk{"pl", color.NRGBA{0xb9, 0x1c, 0x1c, 0xff}}
	inkMark  = chartInk{"pm", color.NRGBA{0x04, 0x78, 0x57, 0xff}}
	inkUnder = chartInk{"pu", color.NRGBA{0xdb, 0xea, 0xfe, 0xff}}
	inkBand  = chartInk{"pb", color.NRGBA{0x1d, 0x4e, 0xd8, 0x38}}
	inkShade = chartInk{"ps", color.NRGBA{0xe5, 0xe7, 0xeb, 0x80}}
	inkDots  = chartInk{"pd", color.NRGBA{0x64, 0x74, 0x8b, 0x99}}
	inkBack  = chartInk{"pk", color.NRGBA{0xff, 0xff, 0xff, 0xff}} // background of the page
)

// lineInks contains the inks of a chart's lines. Every second line is also dashed, for readers who cannot distinguish
// the colours.
var lineInks = [maxLines]chartInk{
	inkFirst,
	{"p2", color.NRGBA{0xb4, 0x53, 0x09, 0xff}},
	{"p3", color.NRGBA{0x04, 0x78, 0x57, 0xff}},
	{"p4", color.NRGBA{0x7e, 0x22, 0xce, 0xff}},
	{"p5", color.NRGBA{0xbe, 0x18, 0x5d, 0xff}},
	{"p6", color.NRGBA{0x0e, 0x74, 0x90, 0xff}},
	{"p7", color.NRGBA{0x4d, 0x7c, 0x0f, 0xff}},
	{"p8", color.NRGBA{0x57, 0x53, 0x4e, 0xff}},
}

// maxLines is the number of distinguishable lines.
const maxLines = 8

func lineInk(i int) chartInk { return lineInks[i%maxLines] }

// fainter returns the ink for less important parts.
func (i chartInk) fainter() chartInk {
	i.class += " pf"
	i.color.A /= 3
	return i
}

// dashes are those of the line as the i-th one of its chart.
func (line Line) dashes(i int) []float64 {
	switch {
	case line.Invalid:
		return []float64{1.5, 2.5}
	case i%2 == 0:
		return nil
	}
	return []float64{5, 2}
}

// keyName is the line's name in the key.
func (line Line) keyName() string {
	if line.Invalid {
		return strings.TrimSpace(line.Name + " (" + invalidWord + ")")
	}
	return line.Name
}

// hasRings reports whether a knot of the line is hollow.
func (line Line) hasRings() bool {
	return slices.ContainsFunc(line.Knots, func(k Knot) bool { return k.Hollow })
}

// hasFrames reports whether a knot of the line is flagged.
func (line Line) hasFrames() bool {
	return slices.ContainsFunc(line.Knots, func(k Knot) bool { return k.Framed })
}

// CSS is the style sheet for Chart.SVG. It requires the custom properties of Light or Dark.
const CSS = `.plot text{font:12px "Liberation Sans",Arial,Helvetica,sans-serif}
.plot text.s{font-size:11px}.plot text.h{font-size:15px;font-weight:700}
.plot text.m{text-anchor:middle}.plot text.e{text-anchor:end}
.plot path{fill:none;stroke-linejoin:round}.plot path.d{stroke-linecap:round}
.plot rect.ph{fill:transparent}.plot rect.ph:hover{fill:var(--plot-axis);fill-opacity:.14}
.plot text.pt{fill:var(--plot-text)}.plot text.pa{fill:var(--plot-axis)}
.plot path.pt{stroke:var(--plot-text)}.plot path.pa{stroke:var(--plot-axis)}.plot path.pg{stroke:var(--plot-grid)}
.plot path.p1{stroke:var(--plot-1)}.plot path.p2{stroke:var(--plot-2)}.plot path.p3{stroke:var(--plot-3)}
.plot path.p4{stroke:var(--plot-4)}.plot path.p5{stroke:var(--plot-5)}.plot path.p6{stroke:var(--plot-6)}
.plot path.p7{stroke:var(--plot-7)}.plot path.p8{stroke:var(--plot-8)}
.plot path.pd{stroke:var(--plot-dots);stroke-opacity:.6}
.plot path.pk{stroke:var(--plot-back)}.plot path.pf{stroke-opacity:.35}
.plot path.pl{stroke:var(--plot-limit)}.plot text.pl{fill:var(--plot-limit)}
.plot path.pm{stroke:var(--plot-mark)}.plot text.pm{fill:var(--plot-mark)}
.plot text.o{paint-order:stroke;stroke:var(--plot-back);stroke-width:4px;stroke-linejoin:round}
.plot path.f{stroke:none}.plot path.f.pu{fill:var(--plot-under)}.plot path.f.p1{fill:var(--plot-1)}
.plot path.f.ps{fill:var(--plot-grid);fill-opacity:.5}
.plot path.f.pb{fill:var(--plot-1);fill-opacity:.22}
`

// Light and Dark contain the custom properties that CSS requires.
const (
	Light = `--plot-back:#ffffff;--plot-text:#1f2937;--plot-axis:#5b6472;--plot-grid:#e5e7eb;--plot-dots:#64748b;` +
		`--plot-1:#1d4ed8;--plot-2:#b45309;--plot-3:#047857;--plot-4:#7e22ce;--plot-5:#be185d;--plot-6:#0e7490;` +
		`--plot-7:#4d7c0f;--plot-8:#57534e;--plot-limit:#b91c1c;--plot-mark:#047857;--plot-under:#dbeafe;`
	Dark = `--plot-back:#141a24;--plot-text:#e5e7eb;--plot-axis:#a8b0bd;--plot-grid:#2b3340;--plot-dots:#94a3b8;` +
		`--plot-1:#7cb0ff;--plot-2:#f5a35c;--plot-3:#5fd3a5;--plot-4:#c99bff;--plot-5:#ff8ec0;--plot-6:#5fd0e6;` +
		`--plot-7:#b2d95f;--plot-8:#b8b0a8;--plot-limit:#ff8f8f;--plot-mark:#5fd3a5;--plot-under:#1d2f4f;`
)
