package plot

import (
	"strings"
	"sync"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// drawnScene is a picture: elements with positions in points from the upper left corner. Paths are below texts.
type drawnScene struct {
	w, h   float64
	paths  []scenePath
	texts  []sceneText
	hovers []sceneHover
}

type point struct{ x, y float64 }

// sceneBox is a rectangle.
type sceneBox struct{ left, top, right, bottom float64 }

// overlaps reports whether two boxes share more than an edge.
func (b sceneBox) overlaps(o sceneBox) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// coversWhole reports whether the box contains all of o.
func (b sceneBox) coversWhole(o sceneBox) bool {
	return b.left >= o.left && b.right <= o.right && b.top >= o.top && b.bottom <= o.bottom
}

// containsPoint reports whether a point is in the box.
func (b sceneBox) containsPoint(p point) bool {
	return b.left <= p.x && p.x <= b.right && b.top <= p.y && p.y <= b.bottom
}

// scenePath contains lines, a filled area, or dots of diameter width at the points.
type scenePath struct {
	ink        chartInk
	width      float64
	dash       []float64
	fill, dots bool
	parts      [][]point
}

// sceneHover is a box with a text under the pointer.
type sceneHover struct {
	sceneBox
	words string
}

// textAnchor is the part of a text at its position.
type textAnchor int

const (
	start textAnchor = iota
	middle
	end
)

// textLook is the style of a text.
type textLook struct {
	class string // CSS class
	size  float64
	bold  bool
}

// The looks. CSS contains the same.
var (
	plain   = textLook{"", 12, false}
	small   = textLook{"s", 11, false}
	heading = textLook{"h", 15, true}
)

// sceneText is a text in the picture.
type sceneText struct {
	text   string
	x, y   float64 // y is the baseline
	anchor textAnchor
	textLook
	ink  chartInk
	halo bool // a gap around the letters
}

// The heights above and below the baseline, as fractions of the font size.
const (
	ascent  = .78
	descent = .22
)

// textBox returns the box of the text.
func (w sceneText) textBox() sceneBox {
	wide := w.textWidth(w.text)
	left := w.x
	switch w.anchor {
	case middle:
		left -= wide / 2
	case end:
		left -= wide
	case start:
	}
	return sceneBox{left, w.y - ascent*w.size, left + wide, w.y + descent*w.size}
}

// cutText shortens a text to a width.
func (l textLook) cutText(text string, width float64) string {
	if l.textWidth(text) <= width {
		return text
	}
	width -= l.textWidth("…")
	used := 0.0
	for i, r := range text {
		if used += l.runeWidth(r); used > width {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// wrapText breaks a text into up to maxCount lines of a width, and cuts the last one if necessary.
func (l textLook) wrapText(text string, width float64, maxCount int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if l.textWidth(longer) <= width || line == "" {
			line = longer
			continue
		}
		if len(lines) == maxCount-1 {
			return append(lines, l.cutText(longer+"…", width))
		}
		lines, line = append(lines, l.cutText(line, width)), word
	}
	if line == "" {
		return lines
	}
	return append(lines, l.cutText(line, width))
}

// textWidth returns the width of a text in points.
func (l textLook) textWidth(text string) (sum float64) {
	for _, r := range text {
		sum += l.runeWidth(r)
	}
	return sum
}

// runeWidth returns the width of a character. If the font lacks it, the width is the font size.
func (l textLook) runeWidth(r rune) float64 {
	t := advances()
	if l.bold {
		return l.size * t.bold.advanceOf(r)
	}
	return l.size * t.normal.advanceOf(r)
}

// advanceTable contains the widths of characters as fractions of the font size.
type advanceTable struct {
	common [0x180]float64
	font   *opentype.Font
}

func (t *advanceTable) advanceOf(r rune) float64 {
	if r >= 0 && int(r) < len(t.common) {
		return t.common[r]
	}
	return t.readAdvance(r)
}

// readAdvance reads the width of a character from the font.
func (t *advanceTable) readAdvance(r rune) float64 {
	var buf sfnt.Buffer
	em := fixed.Int26_6(t.font.UnitsPerEm())
	i, err := t.font.GlyphIndex(&buf, r)
	if err != nil || i == 0 {
		return 1
	}
	wide, err := t.font.GlyphAdvance(&buf, i, em, xfont.HintingNone)
	if err != nil {
		return 1
	}
	return float64(wide) / float64(em)
}

// fontSet contains the fonts of pictures.
type fontSet struct {
	cache        *font.Cache
	normal, bold advanceTable
}

// advances loads the embedded fonts once.
var advances = sync.OnceValue(func() *fontSet {
	f := &fontSet{cache: font.NewCache(liberation.Collection())}
	for _, t := range []struct {
		to   *advanceTable
		bold bool
	}{{&f.normal, false}, {&f.bold, true}} {
		t.to.font = f.faceOf(textLook{size: 10, bold: t.bold}).Face
		for r := range t.to.common {
			t.to.common[r] = t.to.readAdvance(rune(r))
		}
	}
	return f
})

// faceOf returns the font face of a look.
func (f *fontSet) faceOf(l textLook) font.Face {
	wanted := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.bold {
		wanted.Weight = xfont.WeightBold
	}
	return f.cache.Lookup(wanted, font.Points(l.size))
}
