package plot

import (
	"math"
	"slices"
)

// ink is the mark's colour.
func (m Mark) ink() ink {
	if m.Limit {
		return inkLimit
	}
	return inkMark
}

// shades draws ranges of X beneath all else.
func (l *layout) shades() {
	for _, s := range l.Shades {
		b := box{l.plot.left, l.plot.top, l.plot.right, l.plot.bottom}
		if s.From > 0 || l.x.Scale != Log {
			b.left = min(max(l.x.at(s.From), b.left), b.right)
		}
		if s.To > 0 || l.x.Scale != Log {
			b.right = max(min(l.x.at(s.To), b.right), b.left)
		}
		if b.right > b.left {
			l.paths = slices.Insert(l.paths, 0, path{ink: inkShade, fill: true, parts: [][]point{rectangle(b)}})
		}
	}
}

// marks draws the marks with their names beside them. It is false where a name had no room: it is in the key then, and
// all has to be placed anew.
func (l *layout) marks() bool {
	for i, m := range l.Marks {
		ends := l.ends(m)
		l.paths = append(l.paths, stroke(m.ink(), markWidth, markDash, ends[:]...))
		if m.Name == "" || l.inKey[i] {
			continue
		}
		name, ok := l.beside(i, ends)
		if !ok {
			l.inKey[i] = true
			return false
		}
		l.texts = append(l.texts, name)
	}
	return true
}

// ends are those of a mark's line.
func (l *layout) ends(m Mark) [2]point {
	if m.Vertical {
		return [2]point{{l.x.at(m.At), l.plot.top}, {l.x.at(m.At), l.plot.bottom}}
	}
	return [2]point{{l.plot.left, l.y.at(m.At)}, {l.plot.right, l.y.at(m.At)}}
}

// cover keeps a line from being covered by a name.
func (l *layout) cover(ends [2]point) {
	a, b := ends[0], ends[1]
	parts := max(1, math.Ceil(max(math.Abs(a.x-b.x), math.Abs(a.y-b.y))/8))
	for j := 0.0; j < parts && len(l.used) < 1e5; j++ {
		l.used = append(l.used, point{a.x + (b.x-a.x)*j/parts, a.y + (b.y-a.y)*j/parts})
	}
}

// crossed says whether the line of another mark goes through a box.
func (l *layout) crossed(b box, but int) bool {
	for i, m := range l.Marks {
		ends := l.ends(m)
		if i != but && b.overlaps(box{ends[0].x - 1, ends[0].y - 1, ends[1].x + 1, ends[1].y + 1}) {
			return true
		}
	}
	return false
}

// beside finds the place for the name of the i-th mark that covers the least, and no text or line of another mark.
func (l *layout) beside(i int, ends [2]point) (best words, ok bool) {
	least := 0
	for _, w := range places(l.Marks[i], ends) {
		b := w.box()
		around := box{b.left - 3, b.top - 2, b.right + 3, b.bottom + 2}
		covers := func(o words) bool { return around.overlaps(o.box()) }
		if !around.within(l.plot) || l.crossed(b, i) || slices.ContainsFunc(l.texts, covers) {
			continue
		}
		covered := 0
		for _, p := range l.used {
			if around.holds(p) {
				covered++
			}
		}
		if !ok || covered < least {
			best, least, ok = w, covered, true
		}
	}
	return best, ok
}

// places are those for the name of a mark, the best first.
func places(m Mark, ends [2]point) []words {
	w := words{text: m.Name, look: plain, ink: m.ink(), halo: true}
	var all []words
	if m.Vertical {
		for y := ends[0].y + 13; y < ends[1].y; y += lineHeight {
			for _, side := range []struct {
				anchor
				dx float64
			}{{start, 5}, {end, -5}} {
				w.anchor, w.x, w.y = side.anchor, ends[0].x+side.dx, y
				all = append(all, w)
			}
		}
		return all
	}
	for _, dy := range []float64{-5, 13} {
		for k := range 5 {
			part := float64(k) / 4
			if m.Limit { // limits at the right, others at the left
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
