package plot

import (
	"math"
	"slices"
)

// markInk returns the colour of the mark's line.
func (m Mark) markInk() chartInk {
	switch {
	case m.Limit:
		return inkLimit
	case m.Line > 0:
		return lineInk(m.Line - 1)
	}
	return inkMark
}

// nameInk returns the colour of the mark's name. If the mark has the colour of a line, the name has the colour of
// texts.
func (m Mark) nameInk() chartInk {
	if m.Line > 0 && !m.Limit {
		return inkText
	}
	return m.markInk()
}

// drawShades draws the shades below all other elements.
func (l *chartLayout) drawShades() {
	for _, s := range l.Shades {
		if b := l.shadeBox(s); b.right > b.left && !s.Clear {
			l.paths = slices.Insert(l.paths, 0, scenePath{ink: inkShade, fill: true, parts: [][]point{boxCorners(b)}})
		}
	}
}

// shadeBox returns the box of a shade in the picture.
func (l *chartLayout) shadeBox(s Shade) sceneBox {
	b := l.plot
	if s.From > 0 || l.x.Scale != Log {
		b.left = min(max(l.x.positionOf(s.From), b.left), b.right)
	}
	if s.To > 0 || l.x.Scale != Log {
		b.right = max(min(l.x.positionOf(s.To), b.right), b.left)
	}
	return b
}

// nameShades writes the names of shades inside them, as high as possible without covering other elements. It omits
// names that do not fit.
func (l *chartLayout) nameShades() {
	for _, s := range l.Shades {
		within := l.shadeBox(s)
		w := sceneText{text: s.Name, x: (within.left + within.right) / 2, anchor: middle, textLook: small, ink: inkAxis}
		for w.y = within.top + 12; s.Name != "" && w.y < within.bottom; w.y += lineHeight {
			b := w.textBox()
			covers := func(o sceneText) bool { return b.overlaps(o.textBox()) }
			if b.coversWhole(within) && !slices.ContainsFunc(l.texts, covers) &&
				!slices.ContainsFunc(l.used, b.containsPoint) && !l.isCrossed(b, -1) {
				l.texts = append(l.texts, w)
				break
			}
		}
	}
}

// drawMarks draws the marks with their names. It returns false if a name does not fit. The name is then in the key, and
// the layout must start again.
func (l *chartLayout) drawMarks() bool {
	for i, m := range l.Marks {
		ends := l.markEnds(m)
		l.paths = append(l.paths, strokePath(m.markInk(), markWidth, markDash, ends[:]...))
		if m.Name == "" || l.inKey[i] {
			continue
		}
		name, ok := l.placeMarkName(i, ends)
		if !ok {
			l.inKey[i] = true
			return false
		}
		l.texts = append(l.texts, name)
	}
	return true
}

// markEnds returns the ends of a mark's line.
func (l *chartLayout) markEnds(m Mark) [2]point {
	if m.Vertical {
		return [2]point{{l.x.positionOf(m.At), l.plot.top}, {l.x.positionOf(m.At), l.plot.bottom}}
	}
	return [2]point{{l.plot.left, l.y.positionOf(m.At)}, {l.plot.right, l.y.positionOf(m.At)}}
}

// coverLine marks the points of a line as used, so that names do not cover it.
func (l *chartLayout) coverLine(ends [2]point) {
	a, b := ends[0], ends[1]
	parts := max(1, math.Ceil(max(math.Abs(a.x-b.x), math.Abs(a.y-b.y))/8))
	for j := 0.0; j < parts && len(l.used) < 1e5; j++ {
		l.used = append(l.used, point{a.x + (b.x-a.x)*j/parts, a.y + (b.y-a.y)*j/parts})
	}
}

// isCrossed reports whether the line of another mark than mark but crosses a box.
func (l *chartLayout) isCrossed(b sceneBox, but int) bool {
	for i, m := range l.Marks {
		ends := l.markEnds(m)
		if i != but && b.overlaps(sceneBox{ends[0].x - 1, ends[0].y - 1, ends[1].x + 1, ends[1].y + 1}) {
			return true
		}
	}
	return false
}

// placeMarkName finds the place for the name of the i-th mark that covers the least of lines, and no text, point or
// line of another mark.
func (l *chartLayout) placeMarkName(i int, ends [2]point) (best sceneText, ok bool) {
	least := 0
	for _, w := range namePlaces(l.Marks[i], ends) {
		b := w.textBox()
		around := sceneBox{b.left - 3, b.top - 2, b.right + 3, b.bottom + 2}
		covers := func(o sceneText) bool { return around.overlaps(o.textBox()) }
		if !around.coversWhole(l.plot) || l.isCrossed(b, i) || slices.ContainsFunc(l.texts, covers) ||
			slices.ContainsFunc(l.spots, around.containsPoint) {
			continue
		}
		covered := 0
		for _, p := range l.used {
			if around.containsPoint(p) {
				covered++
			}
		}
		if !ok || covered < least {
			best, least, ok = w, covered, true
		}
	}
	return best, ok
}

// namePlaces returns possible positions for the name of a mark, the best first.
func namePlaces(m Mark, ends [2]point) []sceneText {
	w := sceneText{text: m.Name, textLook: plain, ink: m.nameInk(), halo: true}
	var all []sceneText
	if m.Vertical {
		for y := ends[0].y + 13; y < ends[1].y; y += lineHeight {
			for _, side := range []struct {
				textAnchor
				dx float64
			}{{start, 5}, {end, -5}} {
				w.anchor, w.x, w.y = side.textAnchor, ends[0].x+side.dx, y
				all = append(all, w)
			}
		}
		return all
	}
	for _, dy := range []float64{-5, 13} {
		for k := range 5 {
			part := float64(k) / 4
			if m.Limit { // limits to the right, others to the left
				part = 1 - part
			}
			w.y = ends[0].y + dy
			w.x, w.anchor = ends[0].x+part*(ends[1].x-ends[0].x), middle
			switch part {
			case 0:
				w.x, w.anchor = ends[0].x+5, start
			case 1:
				w.x, w.anchor = ends[1].x-5, end
			}
			all = append(all, w)
		}
	}
	return all
}
