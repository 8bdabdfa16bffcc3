package plot

import "image/color"

// ink is a colour that has a role: in a page it is a class of CSS, elsewhere a colour on white.
type ink struct {
	class string
	color color.NRGBA
}

// RGBA implements color.Color.
func (i ink) RGBA() (r, g, b, a uint32) { return i.color.RGBA() }

// The inks. CSS has the same for pages.
var (
	inkText  = ink{"pt", color.NRGBA{0x1f, 0x29, 0x37, 0xff}}
	inkAxis  = ink{"pa", color.NRGBA{0x6b, 0x72, 0x80, 0xff}}
	inkGrid  = ink{"pg", color.NRGBA{0xe5, 0xe7, 0xeb, 0xff}}
	inkFirst = ink{"p1", color.NRGBA{0x1d, 0x4e, 0xd8, 0xff}}
	inkOther = ink{"p2", color.NRGBA{0xb4, 0x53, 0x09, 0xff}}
	inkLimit = ink{"pl", color.NRGBA{0xb9, 0x1c, 0x1c, 0xff}}
	inkMark  = ink{"pm", color.NRGBA{0x04, 0x78, 0x57, 0xff}}
	inkUnder = ink{"pu", color.NRGBA{0xdb, 0xea, 0xfe, 0xff}}
)

// CSS is the style sheet of SVG made by Chart.SVG. It needs the custom properties of Colors.
const CSS = `.plot text{font:13px "Liberation Sans",Arial,Helvetica,sans-serif}
.plot path{fill:none;stroke-linejoin:round}
.plot text.pt{fill:var(--plot-text)}.plot text.pa{fill:var(--plot-axis)}
.plot path.pt{stroke:var(--plot-text)}.plot path.pa{stroke:var(--plot-axis)}.plot path.pg{stroke:var(--plot-grid)}
.plot path.p1{stroke:var(--plot-1)}.plot path.p2{stroke:var(--plot-2)}
.plot path.pl{stroke:var(--plot-limit)}.plot text.pl{fill:var(--plot-limit)}
.plot path.pm{stroke:var(--plot-mark)}.plot text.pm{fill:var(--plot-mark)}
.plot text.pl,.plot text.pm{paint-order:stroke;stroke:var(--plot-back);stroke-width:4px;stroke-linejoin:round}
.plot path.f.pu{fill:var(--plot-under)}.plot path.f.p1{fill:var(--plot-1)}
`

// Light and Dark are the custom properties that CSS needs.
const (
	Light = `--plot-back:#ffffff;--plot-text:#1f2937;--plot-axis:#5b6472;--plot-grid:#e5e7eb;` +
		`--plot-1:#1d4ed8;--plot-2:#b45309;--plot-limit:#b91c1c;--plot-mark:#047857;--plot-under:#dbeafe;`
	Dark = `--plot-back:#141a24;--plot-text:#e5e7eb;--plot-axis:#a8b0bd;--plot-grid:#2b3340;` +
		`--plot-1:#7cb0ff;--plot-2:#f5a35c;--plot-limit:#ff8f8f;--plot-mark:#5fd3a5;--plot-under:#1d2f4f;`
)
