package plot

import (
	"math"
	"slices"
)

// The sizes of a chart, in points: the picture's width, the height of what is within the axes, and of a row.
const (
	width      = 440
	plotHeight = 190
	rowHeight  = 36
	lineHeight = 16 // of texts
	keySample  = 18 // what stands before a name in the key
)

// layout places the parts of a chart, from the top to the bottom. Every text goes through it, so that none covers
// another and none leaves the picture.
type layout struct {
	Chart
	scene
	x, y  axis
	plot  box // within the axes
	inKey []bool
	used  []point // where something is drawn that a text should not cover
}

// scene places the chart. Alone, it has its title.
func (c Chart) scene(alone bool) *scene {
	inKey := make([]bool, len(c.Marks))
	for {
		l := &layout{Chart: c, inKey: inKey}
		l.w = width
		l.axes()
		if alone {
			l.head()
		}
		l.key()
		l.frame()
		l.shades()
		l.values()
		if l.marks() {
			l.foot()
			return &l.scene
		}
	}
}

// write places a text at the left, cut to a width.
func (l *layout) write(text string, x, y, most float64, look look, k ink) {
	if text != "" {
		l.texts = append(l.texts, words{text: look.cut(text, most), x: x, y: y, look: look, ink: k})
	}
}

// down makes room for a line and returns its baseline.
func (l *layout) down(height float64) float64 {
	l.h += height
	return l.h - .3*height
}

// head is the title, and what the chart is of.
func (l *layout) head() {
	for _, line := range heading.wrap(l.Title, width, 2) {
		l.write(line, 0, l.down(20), width, heading, inkText)
	}
	for _, line := range small.wrap(l.Of, width, 3) {
		l.write(line, 0, l.down(lineHeight), width, small, inkAxis)
	}
	l.h += 6
}

// keyed is an entry of the key.
type keyed struct {
	name   string
	sample path
	ink    ink // of the name
}

// entries are what the key names.
func (l *layout) entries() []keyed {
	var all []keyed
	if d := l.Dots; d != nil && d.Name != "" {
		sample := path{ink: inkDots, dots: true, width: dotWidth + 1, parts: [][]point{{{9, 0}}}}
		all = append(all, keyed{d.Name, sample, inkText})
	}
	if b := l.Band; b != nil {
		sample := path{ink: inkBand, fill: true, parts: [][]point{rectangle(box{0, -5, 14, 5})}}
		all = append(all, keyed{b.Name, sample, inkText})
	}
	for i, line := range l.Lines {
		if len(l.Lines) > 1 || line.Name != "" && (l.Dots != nil || l.Band != nil) {
			all = append(all, keyed{line.Name, stroke(lineInk(i), 2, dashes(i), point{0, 0}, point{14, 0}), inkText})
		}
	}
	for i, m := range l.Marks {
		if l.inKey[i] {
			all = append(all, keyed{m.Name, stroke(m.ink(), markWidth, markDash, point{0, 0}, point{14, 0}), m.ink()})
		}
	}
	return append(all, l.rowEntries()...)
}

// key names lines, dots, the band, and the marks that have no room beside them.
func (l *layout) key() {
	x, y := 0.0, 0.0
	for _, e := range l.entries() {
		name := plain.cut(e.name, width-keySample)
		wide := keySample + plain.width(name)
		if y == 0 || x+wide > width {
			x, y = 0, l.down(lineHeight+1)
		}
		for _, part := range e.sample.parts {
			for i := range part {
				part[i] = point{part[i].x + x, part[i].y + y - 4}
			}
		}
		l.paths = append(l.paths, e.sample)
		l.write(name, x+keySample, y, wide, plain, e.ink)
		x += wide + 14
	}
	if y > 0 {
		l.h += 4
	}
}

// axes decide what the axes span.
func (l *layout) axes() {
	x, y := l.spans()
	for _, m := range l.Marks {
		if m.Vertical || len(l.Rows) > 0 {
			x.add(m.At)
		} else {
			y.add(m.At)
		}
	}
	l.x, l.y = l.X.span(x.low, x.high), l.Y.span(y.low, y.high)
}

// span is from the lowest to the highest value.
type span struct{ low, high float64 }

func (s *span) add(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
}

// spans are those of the values.
func (l *layout) spans() (x, y span) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	if d := l.Dots; d != nil {
		x.add(d.X...)
		y.add(d.Y...)
	}
	if b := l.Band; b != nil {
		x.add(b.X...)
		y.add(b.Low...)
		y.add(b.High...)
	}
	for _, line := range l.Lines {
		x.add(line.X...)
		y.add(line.Y...)
	}
	for _, r := range l.Rows {
		x.add(r.From, r.To)
		if r.High > r.To {
			x.add(r.Low, r.High)
		}
		if r.Limit > 0 {
			x.add(r.Limit)
		}
	}
	if x.low > x.high {
		x = span{}
	}
	if y.low > y.high {
		y = span{}
	}
	return x, y
}

// frame draws the axes: ticks with their labels, a grid, titles.
func (l *layout) frame() {
	left, top := 0.0, 0.0
	if len(l.Rows) > 0 {
		top = l.h
		l.plot = box{0, top, width, top + float64(len(l.Rows))*rowHeight + 4}
	} else {
		l.write(l.y.title(), 0, l.down(lineHeight), width, plain, inkText)
		top = l.h + 4
		l.plot = box{0, top, width, top + plotHeight}
		l.y.from, l.y.to = l.plot.bottom, l.plot.top
		left = l.vertical()
		l.plot.left, l.plot.right = left, width-4
	}
	l.h = l.plot.bottom
	l.horizontal()
}

// vertical draws the ticks of Y and the grid, and returns the room that the labels want.
func (l *layout) vertical() (left float64) {
	chosen := choose(&l.y, func(t tick) box {
		at := l.y.at(t.at)
		return box{0, at - 7, 1, at + 7}
	}, box{0, l.plot.top - 10, 1, l.plot.bottom + 10})
	for _, t := range chosen {
		left = max(left, plain.width(t.label)+8)
	}
	for _, t := range chosen {
		at := l.y.at(t.at)
		if t.label == "" {
			continue
		}
		l.line(inkGrid, 1, point{left, at}, point{width - 4, at})
		l.texts = append(l.texts, words{text: t.label, x: left - 6, y: at + 4, anchor: end, look: plain, ink: inkAxis})
	}
	return left
}

// horizontal draws the axis X, with the ticks and labels below it.
func (l *layout) horizontal() {
	l.x.from, l.x.to = l.plot.left, l.plot.right
	if len(l.Rows) > 0 { // a label of the highest value stays inside
		l.x.to -= 6
	}
	y := l.down(lineHeight + 8) // below the lowest label of Y
	chosen := choose(&l.x, func(t tick) box {
		b := l.below(t, y).box()
		return box{b.left - 5, b.top, b.right + 5, b.bottom}
	}, box{-5, 0, width + 5, math.Inf(1)})
	if len(l.Rows) == 0 {
		l.line(inkAxis, 1, point{l.plot.left, l.plot.bottom}, point{l.plot.right, l.plot.bottom})
		l.line(inkAxis, 1, point{l.plot.left, l.plot.top}, point{l.plot.left, l.plot.bottom})
	}
	for _, t := range chosen {
		at := l.x.at(t.at)
		long := 3.0
		if t.label != "" {
			long = 5
			l.texts = append(l.texts, l.below(t, y))
		}
		if len(l.Rows) > 0 && t.label != "" {
			l.line(inkGrid, 1, point{at, l.plot.top}, point{at, l.plot.bottom + long})
		} else if len(l.Rows) == 0 {
			l.line(inkAxis, 1, point{at, l.plot.bottom}, point{at, l.plot.bottom + long})
		}
	}
	title := plain.cut(l.x.title(), width)
	l.texts = append(l.texts, words{text: title, x: l.inside((l.plot.left+l.plot.right)/2, plain.width(title)),
		y: l.down(lineHeight), anchor: middle, look: plain, ink: inkText})
}

// below is the label of a tick of X, moved so that it stays in the picture.
func (l *layout) below(t tick, y float64) words {
	return words{text: t.label, x: l.inside(l.x.at(t.at), plain.width(t.label)), y: y, anchor: middle, look: plain,
		ink: inkAxis}
}

// inside moves the middle of something so that it is in the picture.
func (l *layout) inside(x, wide float64) float64 { return min(max(x, wide/2), width-wide/2) }

// choose takes the first set of ticks whose labels stay apart and within; of the last one as many as do.
func choose(a *axis, place func(tick) box, within box) []tick {
	sets := a.ticks()
	for _, set := range sets {
		if kept := apart(set, place, within); labels(kept) == labels(set) {
			return set
		}
	}
	return apart(sets[len(sets)-1], place, within)
}

// apart removes the labels that overlap one before, or leave what they have to be within.
func apart(set []tick, place func(tick) box, within box) []tick {
	var taken []box
	out := slices.Clone(set)
	for i, t := range out {
		if t.label == "" {
			continue
		}
		b := place(t)
		if !b.within(within) || slices.ContainsFunc(taken, b.overlaps) {
			out[i].label = ""
			continue
		}
		taken = append(taken, b)
	}
	return out
}

// foot says what the axes do not show.
func (l *layout) foot() {
	for _, note := range l.Notes {
		for _, line := range small.wrap(note, width, 3) {
			l.write(line, 0, l.down(lineHeight-1), width, small, inkAxis)
		}
	}
	for _, h := range l.Hover {
		from, to := l.x.at(h.From), l.x.at(h.To)
		if to > from {
			l.hovers = append(l.hovers, hover{box{from, l.plot.top, to, l.plot.bottom}, h.Words})
		}
	}
	l.h += 2
}
