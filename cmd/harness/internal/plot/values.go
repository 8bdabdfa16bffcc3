package plot

import (
	"math"
	"slices"
)

// The widths of lines and dots in points.
const (
	lineWidth = 1.5
	markWidth = 1.4
	dotWidth  = 2.4
	knotWidth = 6.5
	dotGrid   = .8 // dots closer than this are merged
)

var (
	markDash    = []float64{6, 3}
	betweenDash = []float64{1.5, 3}
)

func boxCorners(b sceneBox) []point {
	return []point{{b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}}
}

func strokePath(k chartInk, wide float64, dash []float64, points ...point) scenePath {
	return scenePath{ink: k, width: wide, dash: dash, parts: [][]point{points}}
}

func (l *chartLayout) drawLine(k chartInk, wide float64, points ...point) {
	l.paths = append(l.paths, strokePath(k, wide, nil, points...))
}

func (l *chartLayout) fillSurface(k chartInk, points []point) {
	l.paths = append(l.paths, scenePath{ink: k, fill: true, parts: [][]point{points}})
}

// placeValue returns the position of a value. NaN is at the bottom.
func (l *chartLayout) placeValue(x, y float64) point {
	if math.IsNaN(y) {
		y = l.y.low
	}
	return point{l.x.positionOf(x), l.y.positionOf(y)}
}

// drawValues draws the chart's dots, band, lines and rows.
func (l *chartLayout) drawValues() {
	if l.Dots != nil {
		l.drawDots(l.Dots)
	}
	if l.Band != nil {
		l.drawBand(l.Band)
	}
	for i, line := range l.Lines {
		l.drawNthLine(line, i)
	}
	for _, line := range l.Lines { // names stay clear of the knots of all lines
		for k, n := range line.Knots {
			l.writeKnotName(n.Name, l.placeValue(line.X[k], line.Y[k]))
		}
	}
	for i, r := range l.Rows {
		l.drawRow(r, l.plot.top+float64(i)*rowHeight)
	}
}

// drawDots draws single values. It omits those below the axis.
func (l *chartLayout) drawDots(d *Dots) {
	type cell struct{ x, y int }
	seen := map[cell]bool{}
	var all []point
	for i, x := range d.X {
		if d.Y[i] < l.y.low {
			continue
		}
		p := l.placeValue(x, d.Y[i])
		if c := (cell{int(p.x / dotGrid), int(p.y / dotGrid)}); !seen[c] {
			seen[c] = true
			all = append(all, p)
		}
	}
	l.used, l.spots = append(l.used, all...), append(l.spots, all...)
	l.paths = append(l.paths, scenePath{ink: inkDots, dots: true, width: dotWidth, parts: [][]point{all}})
}

// drawBand draws the area between two values, and lines along both.
func (l *chartLayout) drawBand(b *Band) {
	for from := 0; from < len(b.Low); {
		to := from
		var low, high []point
		for ; to < len(b.Low) && !math.IsNaN(b.Low[to]); to++ {
			low = append(low, l.placeValue(b.X[to], b.Low[to]), l.placeValue(b.X[to+1], b.Low[to]))
			high = append(high, l.placeValue(b.X[to], b.High[to]), l.placeValue(b.X[to+1], b.High[to]))
		}
		if to == from {
			from++
			continue
		}
		around := append([]point{}, high...)
		for i := len(low) - 1; i >= 0; i-- {
			around = append(around, low[i])
		}
		l.fillSurface(inkBand, around)
		l.drawLine(inkFirst, lineWidth, low...)
		l.drawLine(inkFirst, lineWidth, high...)
		l.used = append(append(l.used, low...), high...)
		from = to
	}
}

// drawNthLine draws line i of its chart.
func (l *chartLayout) drawNthLine(line Line, i int) {
	own := make([]point, len(line.X))
	for k, x := range line.X {
		own[k] = l.placeValue(x, line.Y[k])
	}
	points := line.lineCorners(own)
	if line.Between {
		line.Step, line.Reach = false, false
		l.paths = append(l.paths, strokePath(lineInk(i), lineWidth, betweenDash, line.lineCorners(own)...))
	}
	if line.Fill {
		last := points[len(points)-1]
		around := append([]point{{points[0].x, l.plot.bottom}}, points...)
		l.fillSurface(inkUnder, append(around, point{last.x, l.plot.bottom}))
	}
	if len(points) > 1 || line.Knots == nil {
		l.paths = append(l.paths, strokePath(lineInk(i), lineWidth, line.dashes(i), points...))
	}
	for k := 1; k < len(points); k++ {
		l.coverLine([2]point{points[k-1], points[k]})
	}
	l.drawKnots(line.Knots, own, lineInk(i))
}

// lineCorners returns the corners of a line with points at the positions at.
func (line Line) lineCorners(at []point) (points []point) {
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

// drawKnots draws the points of a line as discs and rings, each with its words.
func (l *chartLayout) drawKnots(all []Knot, at []point, of chartInk) {
	for k, n := range all {
		p, shade := at[k], of
		if n.Aside {
			shade = of.fainter()
		}
		disc := scenePath{ink: shade, dots: true, width: knotWidth, parts: [][]point{{p}}}
		l.paths = append(l.paths, disc)
		if n.Hollow {
			disc.ink, disc.width = inkBack, knotWidth-3
			l.paths = append(l.paths, disc)
		}
		if n.Framed {
			l.paths = append(l.paths, framePath(p))
		}
		l.used, l.spots = append(l.used, p), append(l.spots, p)
		if n.Words != "" {
			l.hovers = append(l.hovers, sceneHover{sceneBox{p.x - 6, p.y - 6, p.x + 6, p.y + 6}, n.Words})
		}
	}
}

// framePath is the square around a flagged knot.
func framePath(p point) scenePath {
	const half = 5.5
	corners := boxCorners(sceneBox{p.x - half, p.y - half, p.x + half, p.y + half})
	return strokePath(inkLimit, lineWidth, nil, append(corners, corners[0])...)
}

// ringCorners are those of a ring around a place.
func ringCorners(at point) []point {
	const corners = 12
	all := make([]point, corners+1)
	for k := range all {
		turn := 2 * math.Pi * float64(k) / corners
		all[k] = point{at.x + 2.6*math.Cos(turn), at.y + 2.6*math.Sin(turn)}
	}
	return all
}

// writeKnotName writes the name of a knot next to it, without covering other knots and texts.
func (l *chartLayout) writeKnotName(name string, p point) {
	named := func(o sceneText) bool { // a point of another line at nearly the same position has this name
		return o.text == name && math.Hypot(o.x-p.x, o.y-p.y) < 16
	}
	if name == "" || slices.ContainsFunc(l.texts, named) {
		return
	}
	for _, w := range []sceneText{
		{x: p.x, y: p.y - 7, anchor: middle}, {x: p.x + 6, y: p.y - 3, anchor: start}, {x: p.x, y: p.y + 14, anchor: middle},
		{x: p.x - 6, y: p.y - 3, anchor: end},
	} {
		w.text, w.textLook, w.ink, w.halo = name, small, inkAxis, true
		b := w.textBox()
		covers := func(o sceneText) bool { return b.overlaps(o.textBox()) }
		near := func(o point) bool {
			return o != p && (sceneBox{b.left - 3, b.top - 3, b.right + 3, b.bottom + 3}).containsPoint(o)
		}
		if b.coversWhole(l.plot) && !slices.ContainsFunc(l.texts, covers) && !slices.ContainsFunc(l.spots, near) {
			l.texts = append(l.texts, w)
			return
		}
	}
}

// drawRow draws a bar below its name.
func (l *chartLayout) drawRow(r Row, top float64) {
	value := plain.cutText(r.valueText(), width*.75)
	wide := plain.textWidth(value)
	l.writeCut(r.Name, 0, top+13, width-wide-10, plain, inkText)
	if value != "" {
		l.texts = append(l.texts, sceneText{text: value, x: width, y: top + 13, anchor: end, textLook: plain, ink: inkText})
	}
	at := func(v float64) float64 { return l.x.positionOf(v) }
	if r.High > r.To {
		l.drawLine(inkAxis, 1, point{at(r.Low), top + 23}, point{at(r.High), top + 23})
		l.drawLine(inkAxis, 1, point{at(r.High), top + 20}, point{at(r.High), top + 26})
	}
	l.drawBar(r, sceneBox{at(r.From), top + 18, max(at(r.To), at(r.From)+1.5), top + 28})
	if r.Asked > 0 {
		l.drawLine(inkMark, 2.4, point{at(r.Asked), top + 15.5}, point{at(r.Asked), top + 30.5})
	}
	if r.At > 0 {
		l.drawLine(inkMark, 3, point{at(r.At), top + 16.5}, point{at(r.At), top + 29.5})
	}
	if r.Limit > 0 {
		l.drawLine(inkLimit, 2.4, point{at(r.Limit), top + 15.5}, point{at(r.Limit), top + 30.5})
	}
}

// drawBar fills the bar of a row; that of an INVALID run has an outline and is hatched.
func (l *chartLayout) drawBar(r Row, b sceneBox) {
	if r.Invalid {
		l.paths = append(l.paths, hatchBox(inkFirst, b))
		return
	}
	l.fillSurface(inkFirst, boxCorners(b))
}

// hatchBox is the outline of a box with slanting lines in it.
func hatchBox(k chartInk, b sceneBox) scenePath {
	const apart = 5
	p := scenePath{ink: k, width: 1.2, parts: [][]point{append(boxCorners(b), point{b.left, b.top})}}
	high := b.bottom - b.top
	for x := b.left - high + apart; x < b.right; x += apart {
		from, to := max(x, b.left), min(x+high, b.right)
		p.parts = append(p.parts, []point{{from, b.bottom - (from - x)}, {to, b.bottom - (to - x)}})
	}
	return p
}

// rowEntries returns the key entries for the parts of rows.
func (l *chartLayout) rowEntries() []keyEntry {
	var ranges, marks, limits, asked, invalid bool
	for _, r := range l.Rows {
		ranges, marks, limits = ranges || r.High > r.To, marks || r.At > 0, limits || r.Limit > 0
		asked, invalid = asked || r.Asked > 0, invalid || r.Invalid
	}
	var all []keyEntry
	if ranges {
		all = append(all, keyEntry{"p50 to p99",
			scenePath{ink: inkFirst, fill: true, parts: [][]point{boxCorners(sceneBox{0, -4, 14, 4})}}, inkText},
			keyEntry{"lowest to highest", strokePath(inkAxis, 1, nil, point{0, 0}, point{14, 0}), inkText})
	}
	if marks {
		all = append(all, keyEntry{"judged percentile", strokePath(inkMark, 3, nil, point{7, -6}, point{7, 6}), inkText})
	}
	if asked {
		all = append(all, keyEntry{"rate asked for by the schedule",
			strokePath(inkMark, 2.4, nil, point{7, -6}, point{7, 6}), inkText})
	}
	if invalid {
		all = append(all, keyEntry{invalidWord + " run", hatchBox(inkFirst, sceneBox{0, -4, 14, 4}), inkText})
	}
	if limits {
		all = append(all, keyEntry{"limit", strokePath(inkLimit, 2.4, nil, point{7, -6}, point{7, 6}), inkText})
	}
	return all
}
