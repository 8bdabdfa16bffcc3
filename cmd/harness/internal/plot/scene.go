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

// scene is a picture: what is drawn where, in points from the upper left corner. Paths are beneath texts.
type scene struct {
	w, h   float64
	paths  []path
	texts  []words
	hovers []hover
}

type point struct{ x, y float64 }

// box is a rectangle.
type box struct{ left, top, right, bottom float64 }

// overlaps says whether two boxes share more than an edge.
func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// within says whether the box leaves another one nowhere.
func (b box) within(o box) bool {
	return b.left >= o.left && b.right <= o.right && b.top >= o.top && b.bottom <= o.bottom
}

// holds says whether a point is in the box.
func (b box) holds(p point) bool {
	return b.left <= p.x && p.x <= b.right && b.top <= p.y && p.y <= b.bottom
}

// path is lines, a filled surface, or dots of the width at the points.
type path struct {
	ink        ink
	width      float64
	dash       []float64
	fill, dots bool
	parts      [][]point
}

// hover is a part of the picture that says something under the pointer.
type hover struct {
	box
	words string
}

// anchor is which part of a text is at its place.
type anchor int

const (
	start anchor = iota
	middle
	end
)

// look is how a text looks.
type look struct {
	class string // of CSS
	size  float64
	bold  bool
}

// The looks. CSS has the same.
var (
	plain   = look{"", 12, false}
	small   = look{"s", 11, false}
	heading = look{"h", 15, true}
)

// words are a text in the picture.
type words struct {
	text   string
	x, y   float64 // y is that of the baseline
	anchor anchor
	look
	ink  ink
	halo bool // what is beneath does not touch it
}

// The parts of a line of text above and below its baseline.
const (
	ascent  = .78
	descent = .22
)

// box is what the text covers.
func (w words) box() box {
	wide := w.width(w.text)
	left := w.x
	switch w.anchor {
	case middle:
		left -= wide / 2
	case end:
		left -= wide
	case start:
	}
	return box{left, w.y - ascent*w.size, left + wide, w.y + descent*w.size}
}

// cut shortens a text to a width.
func (l look) cut(text string, width float64) string {
	if l.width(text) <= width {
		return text
	}
	width -= l.width("…")
	used := 0.0
	for i, r := range text {
		if used += l.rune(r); used > width {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// wrap breaks a text into lines of a width, at most so many; what is left is cut.
func (l look) wrap(text string, width float64, most int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if l.width(longer) <= width || line == "" {
			line = longer
			continue
		}
		if len(lines) == most-1 {
			return append(lines, l.cut(longer+"…", width))
		}
		lines, line = append(lines, l.cut(line, width)), word
	}
	if line == "" {
		return lines
	}
	return append(lines, l.cut(line, width))
}

// width is that of a text.
func (l look) width(text string) (sum float64) {
	for _, r := range text {
		sum += l.rune(r)
	}
	return sum
}

// rune is the width of a letter. One that the font lacks is taken for as wide as it is high.
func (l look) rune(r rune) float64 {
	t := advances()
	if l.bold {
		return l.size * t.bold.of(r)
	}
	return l.size * t.normal.of(r)
}

// advanceTable are the widths of letters in parts of the size.
type advanceTable struct {
	common [0x180]float64
	font   *opentype.Font
}

func (t *advanceTable) of(r rune) float64 {
	if r >= 0 && int(r) < len(t.common) {
		return t.common[r]
	}
	return t.read(r)
}

// read asks the font.
func (t *advanceTable) read(r rune) float64 {
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

// fonts are those of pictures.
type fonts struct {
	cache        *font.Cache
	normal, bold advanceTable
}

// advances reads the fonts once: they are part of the program.
var advances = sync.OnceValue(func() *fonts {
	f := &fonts{cache: font.NewCache(liberation.Collection())}
	for _, t := range []struct {
		to   *advanceTable
		bold bool
	}{{&f.normal, false}, {&f.bold, true}} {
		t.to.font = f.face(look{size: 10, bold: t.bold}).Face
		for r := range t.to.common {
			t.to.common[r] = t.to.read(rune(r))
		}
	}
	return f
})

// face is that of a look.
func (f *fonts) face(l look) font.Face {
	wanted := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.bold {
		wanted.Weight = xfont.WeightBold
	}
	return f.cache.Lookup(wanted, font.Points(l.size))
}
