package plot

import (
	"math"
	"slices"
)

// What lines and dots measure, in points.
const (
	lineWidth = 1.5
	markWidth = 1.4
	dotWidth  = 2.4
	knotWidth = 6.5
	dotGrid   = .8 // dots that are nearer to one another are one
)

var markDash = []float64{6, 3}

func rectangle(b box) []point {
	return []point{{b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}}
}

func stroke(k ink, wide float64, dash []float64, points ...point) path {
	return path{ink: k, width: wide, dash: dash, parts: [][]point{points}}
}

// line draws one.
func (l *layout) line(k ink, wide float64, points ...point) {
	l.paths = append(l.paths, stroke(k, wide, nil, points...))
}

// surface fills one.
func (l *layout) surface(k ink, points []point) {
	l.paths = append(l.paths, path{ink: k, fill: true, parts: [][]point{points}})
}

// place is where a value is; NaN is at the bottom.
func (l *layout) place(x, y float64) point {
	if math.IsNaN(y) {
		y = l.y.low
	}
	return point{l.x.at(x), l.y.at(y)}
}

// values draws what the chart has.
func (l *layout) values() {
	if l.Dots != nil {
		l.dots(l.Dots)
	}
	if l.Band != nil {
		l.band(l.Band)
	}
	for i, line := range l.Lines {
		l.drawn(line, i)
	}
	for i, r := range l.Rows {
		l.row(r, l.plot.top+float64(i)*rowHeight)
	}
}

// dots draws single values; those below the axis are left out.
func (l *layout) dots(d *Dots) {
	type cell struct{ x, y int }
	seen := map[cell]bool{}
	var all []point
	for i, x := range d.X {
		if d.Y[i] < l.y.low {
			continue
		}
		p := l.place(x, d.Y[i])
		if c := (cell{int(p.x / dotGrid), int(p.y / dotGrid)}); !seen[c] {
			seen[c] = true
			all = append(all, p)
		}
	}
	l.used = append(l.used, all...)
	l.paths = append(l.paths, path{ink: inkDots, dots: true, width: dotWidth, parts: [][]point{all}})
}

// band draws the surface between two values, and lines along both.
func (l *layout) band(b *Band) {
	for from := 0; from < len(b.Low); {
		to := from
		var low, high []point
		for ; to < len(b.Low) && !math.IsNaN(b.Low[to]); to++ {
			low = append(low, l.place(b.X[to], b.Low[to]), l.place(b.X[to+1], b.Low[to]))
			high = append(high, l.place(b.X[to], b.High[to]), l.place(b.X[to+1], b.High[to]))
		}
		if to == from {
			from++
			continue
		}
		around := append([]point{}, high...)
		for i := len(low) - 1; i >= 0; i-- {
			around = append(around, low[i])
		}
		l.surface(inkBand, around)
		l.line(inkFirst, lineWidth, low...)
		l.line(inkFirst, lineWidth, high...)
		l.used = append(append(l.used, low...), high...)
		from = to
	}
}

// drawn draws a line, the i-th of its chart.
func (l *layout) drawn(line Line, i int) {
	own := make([]point, len(line.X))
	for k, x := range line.X {
		own[k] = l.place(x, line.Y[k])
	}
	points := line.through(own)
	if line.Fill {
		last := points[len(points)-1]
		around := append([]point{{points[0].x, l.plot.bottom}}, points...)
		l.surface(inkUnder, append(around, point{last.x, l.plot.bottom}))
	}
	if len(points) > 1 || line.Knots == nil {
		l.paths = append(l.paths, stroke(lineInk(i), lineWidth, dashes(i), points...))
	}
	for k := 1; k < len(points); k++ {
		l.cover([2]point{points[k-1], points[k]})
	}
	l.knots(line.Knots, own, lineInk(i))
}

// through are the corners of a line with points at some places.
func (line Line) through(at []point) (points []point) {
	for k, p := range at {
		if line.Knots != nil && line.Knots[k].Aside {
			continue
		}
		if n := len(points); n > 0 && line.Step {
			points = append(points, point{p.x, points[n-1].y})
		} else if n > 0 && line.Reach {
			points = append(points, point{points[n-1].x, p.y})
		}
		points = append(points, p)
	}
	return points
}

// knots draws the points of a line as discs and rings, each with its words, and with its name where there is room.
func (l *layout) knots(all []Knot, at []point, of ink) {
	for k, n := range all {
		p, shade := at[k], of
		if n.Aside {
			shade = of.faint()
		}
		disc := path{ink: shade, dots: true, width: knotWidth, parts: [][]point{{p}}}
		l.paths = append(l.paths, disc)
		if n.Hollow {
			disc.ink, disc.width = inkBack, knotWidth-3
			l.paths = append(l.paths, disc)
		}
		l.used = append(l.used, p)
		if n.Words != "" {
			l.hovers = append(l.hovers, hover{box{p.x - 6, p.y - 6, p.x + 6, p.y + 6}, n.Words})
		}
	}
	for k, n := range all {
		l.named(n.Name, at[k], at)
	}
}

// named writes the name of a knot beside it, clear of other knots and of texts.
func (l *layout) named(name string, p point, others []point) {
	if name == "" {
		return
	}
	for _, w := range []words{
		{x: p.x, y: p.y - 6, anchor: middle}, {x: p.x + 6, y: p.y - 3, anchor: start}, {x: p.x, y: p.y + 14, anchor: middle},
		{x: p.x - 6, y: p.y - 3, anchor: end},
	} {
		w.text, w.look, w.ink, w.halo = name, small, inkAxis, true
		b := w.box()
		covers := func(o words) bool { return b.overlaps(o.box()) }
		near := func(o point) bool { return o != p && (box{b.left - 3, b.top - 3, b.right + 3, b.bottom + 3}).holds(o) }
		if b.within(l.plot) && !slices.ContainsFunc(l.texts, covers) && !slices.ContainsFunc(others, near) {
			l.texts = append(l.texts, w)
			return
		}
	}
}

// row draws a bar beneath its name.
func (l *layout) row(r Row, top float64) {
	value := plain.cut(r.Value, width*.6)
	wide := plain.width(value)
	l.write(r.Name, 0, top+13, width-wide-10, plain, inkText)
	if value != "" {
		l.texts = append(l.texts, words{text: value, x: width, y: top + 13, anchor: end, look: plain, ink: inkText})
	}
	at := func(v float64) float64 { return l.x.at(v) }
	if r.High > r.To {
		l.line(inkAxis, 1, point{at(r.Low), top + 23}, point{at(r.High), top + 23})
		l.line(inkAxis, 1, point{at(r.High), top + 20}, point{at(r.High), top + 26})
	}
	l.surface(inkFirst, rectangle(box{at(r.From), top + 18, max(at(r.To), at(r.From)+1.5), top + 28}))
	if r.At > 0 {
		l.line(inkMark, 3, point{at(r.At), top + 16.5}, point{at(r.At), top + 29.5})
	}
	if r.Limit > 0 {
		l.line(inkLimit, 2.4, point{at(r.Limit), top + 15.5}, point{at(r.Limit), top + 30.5})
	}
}

// rowEntries name the parts of rows.
func (l *layout) rowEntries() []keyed {
	var ranges, marks, limits bool
	for _, r := range l.Rows {
		ranges, marks, limits = ranges || r.High > r.To, marks || r.At > 0, limits || r.Limit > 0
	}
	var all []keyed
	if ranges {
		all = append(all, keyed{"p50 to p99",
			path{ink: inkFirst, fill: true, parts: [][]point{rectangle(box{0, -4, 14, 4})}}, inkText},
			keyed{"lowest to highest", stroke(inkAxis, 1, nil, point{0, 0}, point{14, 0}), inkText})
	}
	if marks {
		all = append(all, keyed{"judged percentile", stroke(inkMark, 3, nil, point{7, -6}, point{7, 6}), inkText})
	}
	if limits {
		all = append(all, keyed{"limit", stroke(inkLimit, 2.4, nil, point{7, -6}, point{7, 6}), inkText})
	}
	return all
}
