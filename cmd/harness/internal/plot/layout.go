package plot

import (
	"math"
	"slices"
)

// The sizes of a chart in points: the width of the picture, the height of the plot area, and the height of a row.
const (
	width      = 440
	plotHeight = 190
	rowHeight  = 36
	lineHeight = 16 // height of a line of text
	keySample  = 18 // width of the sample before a name in the key
)

// chartLayout places the parts of a chart from top to bottom. It places all texts, so that no text covers another or
// leaves the picture.
type chartLayout struct {
	Chart
	drawnScene
	x, y  placedAxis
	plot  sceneBox // inside the axes
	inKey []bool
	used  []point // drawn points that texts should not cover
	spots []point // dots and knots, which no text covers
}

// layOut places the chart. If alone is true, it adds the title.
func (c Chart) layOut(alone bool) *drawnScene {
	inKey := make([]bool, len(c.Marks))
	for {
		l := &chartLayout{Chart: c, inKey: inKey}
		l.w = width
		l.spanAxes()
		if alone {
			l.drawHead()
		}
		l.drawKey()
		l.drawFrame()
		l.drawShades()
		l.drawValues()
		if l.drawMarks() {
			l.nameShades()
			l.drawFoot()
			return &l.drawnScene
		}
	}
}

// writeCut writes a left-aligned text, cut to a width.
func (l *chartLayout) writeCut(text string, x, y, maxWidth float64, look textLook, k chartInk) {
	if text != "" {
		l.texts = append(l.texts, sceneText{text: look.cutText(text, maxWidth), x: x, y: y, textLook: look, ink: k})
	}
}

// nextBaseline reserves a line of text and returns its baseline.
func (l *chartLayout) nextBaseline(height float64) float64 {
	l.h += height
	return l.h - .3*height
}

// drawHead draws the title and the names of the runs.
func (l *chartLayout) drawHead() {
	for _, line := range heading.wrapText(l.Title, width, 2) {
		l.writeCut(line, 0, l.nextBaseline(20), width, heading, inkText)
	}
	for _, line := range small.wrapText(l.Of, width, 3) {
		l.writeCut(line, 0, l.nextBaseline(lineHeight), width, small, inkAxis)
	}
	l.h += 6
}

// keyEntry is an entry of the key.
type keyEntry struct {
	name   string
	sample scenePath
	ink    chartInk // of the name
}

// keyEntries returns the entries of the key.
func (l *chartLayout) keyEntries() []keyEntry {
	var all []keyEntry
	if d := l.Dots; d != nil && d.Name != "" {
		sample := scenePath{ink: inkDots, dots: true, width: dotWidth + 1, parts: [][]point{{{9, 0}}}}
		all = append(all, keyEntry{d.Name, sample, inkText})
	}
	if b := l.Band; b != nil {
		sample := scenePath{ink: inkBand, fill: true, parts: [][]point{boxCorners(sceneBox{0, -5, 14, 5})}}
		all = append(all, keyEntry{b.Name, sample, inkText})
	}
	all = append(all, l.lineEntries()...)
	for i, m := range l.Marks {
		if l.inKey[i] {
			all = append(all, keyEntry{m.Name, strokePath(m.markInk(), markWidth, markDash, point{0, 0}, point{14, 0}),
				m.nameInk()})
		}
	}
	if slices.ContainsFunc(l.Lines, func(line Line) bool { return line.Between }) {
		sample := strokePath(inkAxis, lineWidth, betweenDash, point{0, 0}, point{14, 0})
		all = append(all, keyEntry{"interpolated, not measured", sample, inkAxis})
	}
	return append(all, l.rowEntries()...)
}

// lineEntries returns the entries of the lines, and of the signs on them.
func (l *chartLayout) lineEntries() []keyEntry {
	var all []keyEntry
	for i, line := range l.Lines {
		if len(l.Lines) > 1 || line.Invalid || line.Name != "" && (l.Dots != nil || l.Band != nil) {
			sample := strokePath(lineInk(i), 2, line.dashes(i), point{0, 0}, point{14, 0})
			all = append(all, keyEntry{line.keyName(), sample, inkText})
		}
	}
	if l.Rings != "" && slices.ContainsFunc(l.Lines, Line.hasRings) {
		all = append(all, keyEntry{l.Rings, strokePath(inkAxis, lineWidth, nil, ringCorners(point{7, 0})...), inkText})
	}
	if slices.ContainsFunc(l.Lines, Line.hasFrames) {
		all = append(all, keyEntry{"change larger than the spread", framePath(point{7, 0}), inkText})
	}
	return all
}

// drawKey draws the key: lines, dots, the band, and the marks whose names do not fit next to them.
func (l *chartLayout) drawKey() {
	x, y := 0.0, 0.0
	for _, e := range l.keyEntries() {
		name := plain.cutText(e.name, width-keySample)
		wide := keySample + plain.textWidth(name)
		if y == 0 || x+wide > width {
			x, y = 0, l.nextBaseline(lineHeight+1)
		}
		for _, part := range e.sample.parts {
			for i := range part {
				part[i] = point{part[i].x + x, part[i].y + y - 4}
			}
		}
		l.paths = append(l.paths, e.sample)
		l.writeCut(name, x+keySample, y, wide, plain, e.ink)
		x += wide + 14
	}
	if y > 0 {
		l.h += 4
	}
}

// spanAxes sets the spans of the axes.
func (l *chartLayout) spanAxes() {
	x, y := l.valueSpans()
	for _, m := range l.Marks {
		if m.Vertical || len(l.Rows) > 0 {
			x.addValues(m.At)
		} else {
			y.addValues(m.At)
		}
	}
	l.keepBarsWhole(&x, &y)
	l.x, l.y = l.X.spanValues(x.low, x.high), l.Y.spanValues(y.low, y.high)
}

// keepBarsWhole makes linear axes of bars and of filled surfaces begin at 0 or below: their lengths are compared.
func (l *chartLayout) keepBarsWhole(x, y *valueSpan) {
	if len(l.Rows) > 0 && l.X.Scale == Linear {
		x.addValues(0)
	}
	if l.Y.Scale == Linear && slices.ContainsFunc(l.Lines, func(line Line) bool { return line.Fill }) {
		y.addValues(0)
	}
}

// valueSpan is a range of values.
type valueSpan struct{ low, high float64 }

func (s *valueSpan) addValues(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
}

// valueSpans returns the ranges of all values in X and Y.
func (l *chartLayout) valueSpans() (x, y valueSpan) {
	x, y = valueSpan{math.Inf(1), math.Inf(-1)}, valueSpan{math.Inf(1), math.Inf(-1)}
	if d := l.Dots; d != nil {
		x.addValues(d.X...)
		y.addValues(d.Y...)
	}
	if b := l.Band; b != nil {
		x.addValues(b.X...)
		y.addValues(b.Low...)
		y.addValues(b.High...)
	}
	for _, line := range l.Lines {
		x.addValues(line.X...)
		y.addValues(line.Y...)
	}
	for _, r := range l.Rows {
		x.addValues(r.From, r.To)
		if r.High > r.To {
			x.addValues(r.Low, r.High)
		}
		for _, v := range []float64{r.Limit, r.Asked} {
			if v > 0 {
				x.addValues(v)
			}
		}
	}
	if x.low > x.high {
		x = valueSpan{}
	}
	if y.low > y.high {
		y = valueSpan{}
	}
	return x, y
}

// drawFrame draws the axes: ticks with labels, a grid, titles.
func (l *chartLayout) drawFrame() {
	left, top := 0.0, 0.0
	if len(l.Rows) > 0 {
		top = l.h
		l.plot = sceneBox{0, top, width, top + float64(len(l.Rows))*rowHeight + 4}
	} else {
		l.writeCut(l.y.axisTitle()+l.y.startText(), 0, l.nextBaseline(lineHeight), width, plain, inkText)
		top = l.h + 4
		l.plot = sceneBox{0, top, width, top + plotHeight}
		l.y.from, l.y.to = l.plot.bottom, l.plot.top
		left = l.drawVerticalAxis()
		l.plot.left, l.plot.right = left, width-4
	}
	l.h = l.plot.bottom
	l.drawHorizontalAxis()
}

// drawVerticalAxis draws the ticks of Y and the grid, and returns the width of the labels.
func (l *chartLayout) drawVerticalAxis() (left float64) {
	chosen := chooseTicks(&l.y, func(t axisTick) sceneBox {
		at := l.y.positionOf(t.at)
		return sceneBox{0, at - 7, 1, at + 7}
	}, sceneBox{0, l.plot.top - 10, 1, l.plot.bottom + 10})
	for _, t := range chosen {
		left = max(left, plain.textWidth(t.label)+8)
	}
	for _, t := range chosen {
		at := l.y.positionOf(t.at)
		if t.label == "" {
			continue
		}
		l.drawLine(inkGrid, 1, point{left, at}, point{width - 4, at})
		l.texts = append(l.texts, sceneText{text: t.label, x: left - 6, y: at + 4, anchor: end, textLook: plain,
			ink: inkAxis})
	}
	return left
}

// drawHorizontalAxis draws the axis X with its ticks and labels.
func (l *chartLayout) drawHorizontalAxis() {
	l.x.from, l.x.to = l.plot.left, l.plot.right
	if len(l.Rows) > 0 { // keeps the label of the highest value inside
		l.x.to -= 6
	}
	y := l.nextBaseline(lineHeight + 8) // below the lowest label of Y
	chosen := chooseTicks(&l.x, func(t axisTick) sceneBox {
		b := l.labelBelow(t, y).textBox()
		return sceneBox{b.left - 5, b.top, b.right + 5, b.bottom}
	}, sceneBox{-5, 0, width + 5, math.Inf(1)})
	if len(l.Rows) == 0 {
		l.drawLine(inkAxis, 1, point{l.plot.left, l.plot.bottom}, point{l.plot.right, l.plot.bottom})
		l.drawLine(inkAxis, 1, point{l.plot.left, l.plot.top}, point{l.plot.left, l.plot.bottom})
	}
	for _, t := range chosen {
		at := l.x.positionOf(t.at)
		long := 3.0
		if t.label != "" {
			long = 5
			l.texts = append(l.texts, l.labelBelow(t, y))
		}
		if len(l.Rows) > 0 && t.label != "" {
			l.drawLine(inkGrid, 1, point{at, l.plot.top}, point{at, l.plot.bottom + long})
		} else if len(l.Rows) == 0 {
			l.drawLine(inkAxis, 1, point{at, l.plot.bottom}, point{at, l.plot.bottom + long})
		}
	}
	title := plain.cutText(l.x.axisTitle(), width)
	l.texts = append(l.texts, sceneText{text: title, x: l.keepInside((l.plot.left+l.plot.right)/2, plain.textWidth(title)),
		y: l.nextBaseline(lineHeight), anchor: middle, textLook: plain, ink: inkText})
}

// labelBelow returns the label of a tick of X, moved into the picture if necessary.
func (l *chartLayout) labelBelow(t axisTick, y float64) sceneText {
	return sceneText{text: t.label, x: l.keepInside(l.x.positionOf(t.at), plain.textWidth(t.label)), y: y, anchor: middle,
		textLook: plain,
		ink:      inkAxis}
}

// keepInside moves the centre x of an element of a width into the picture.
func (l *chartLayout) keepInside(x, wide float64) float64 { return min(max(x, wide/2), width-wide/2) }

// chooseTicks returns the first set of ticks whose labels do not overlap and fit within a box. If no set fits, it
// returns the last set without the labels that do not fit.
func chooseTicks(a *placedAxis, place func(axisTick) sceneBox, within sceneBox) []axisTick {
	sets := a.tickChoices()
	for _, set := range sets {
		if kept := removeOverlaps(set, place, within); countLabels(kept) == countLabels(set) {
			return set
		}
	}
	return removeOverlaps(sets[len(sets)-1], place, within)
}

// removeOverlaps removes the labels that overlap an earlier one or leave the box.
func removeOverlaps(set []axisTick, place func(axisTick) sceneBox, within sceneBox) []axisTick {
	var taken []sceneBox
	out := slices.Clone(set)
	for i, t := range out {
		if t.label == "" {
			continue
		}
		b := place(t)
		if !b.coversWhole(within) || slices.ContainsFunc(taken, b.overlaps) {
			out[i].label = ""
			continue
		}
		taken = append(taken, b)
	}
	return out
}

// drawFoot writes the notes below the axes.
func (l *chartLayout) drawFoot() {
	for _, note := range l.Notes {
		for _, line := range small.wrapText(note, width, 3) {
			l.writeCut(line, 0, l.nextBaseline(lineHeight-1), width, small, inkAxis)
		}
	}
	for _, h := range l.Hover {
		from, to := l.x.positionOf(h.From), l.x.positionOf(h.To)
		if to > from {
			l.hovers = append(l.hovers, sceneHover{sceneBox{from, l.plot.top, to, l.plot.bottom}, h.Words})
		}
	}
	l.h += 2
}
