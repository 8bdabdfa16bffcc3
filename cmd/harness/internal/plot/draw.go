package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const fontSize = 13

// plot is the chart as gonum/plot draws it.
func (c Chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = nil
	c.X.set(&p.X)
	c.Y.set(&p.Y)
	p.X.Padding, p.Y.Padding = 0, 0
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal = draw.LineStyle{Color: inkGrid, Width: 1}
	p.Add(grid)
	for i, l := range c.Lines {
		if err := l.add(p, i); err != nil {
			return nil, err
		}
	}
	for _, m := range c.Marks {
		m.span(p)
	}
	c.X.round(&p.X)
	c.Y.round(&p.Y)
	for _, m := range c.Marks {
		if err := m.add(p); err != nil {
			return nil, err
		}
	}
	c.legend(p)
	return p, nil
}

// style is how texts look.
func style(k ink) text.Style {
	return text.Style{
		Color: k, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, fontSize),
		Handler: plot.DefaultTextHandler,
	}
}

// set gives an axis of gonum/plot its label, scale and looks.
func (a Axis) set(to *plot.Axis) {
	to.Label.Text = a.Label
	label, ticks := style(inkText), style(inkAxis)
	label.XAlign, label.YAlign = to.Label.TextStyle.XAlign, to.Label.TextStyle.YAlign
	ticks.XAlign, ticks.YAlign = to.Tick.Label.XAlign, to.Tick.Label.YAlign
	to.Label.TextStyle, to.Tick.Label = label, ticks
	to.Label.Padding = 4
	to.LineStyle = draw.LineStyle{Color: inkAxis, Width: 1}
	to.Tick.LineStyle, to.Tick.Length = to.LineStyle, 4
	to.Tick.Marker = plot.TickerFunc(a.ticks)
	if a.Log {
		to.Scale = plot.LogScale{}
	}
	if a.Max > a.Min {
		to.Min, to.Max = a.Min, a.Max
	}
}

// add draws the line, the i-th of its chart.
func (l Line) add(p *plot.Plot, i int) error {
	points := make(plotter.XYs, len(l.X))
	for k := range points {
		points[k] = plotter.XY{X: l.X[k], Y: l.Y[k]}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: lineInk(i), Width: vg.Points(1.4)}
	if i > 0 {
		line.Dashes = []vg.Length{5, 2}
	}
	if l.Step {
		line.StepStyle = plotter.PostStep
	}
	if l.Fill {
		line.FillColor = inkUnder
	}
	p.Add(line)
	return nil
}

func lineInk(i int) ink {
	if i == 0 {
		return inkFirst
	}
	return inkOther
}

// legend names the lines where there are several.
func (c Chart) legend(p *plot.Plot) {
	if len(c.Lines) < 2 {
		return
	}
	p.Legend.TextStyle = style(inkText)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.YOffs = -4
	for i, l := range c.Lines {
		sample := &plotter.Line{LineStyle: draw.LineStyle{Color: lineInk(i), Width: 2}}
		p.Legend.Add(l.Name, sample)
	}
}

// span makes room for the mark.
func (m Mark) span(p *plot.Plot) {
	axis := &p.Y
	if m.Vertical {
		axis = &p.X
	}
	axis.Min, axis.Max = min(axis.Min, m.At), max(axis.Max, m.At)
}

// add draws the mark, across the chart, and its name at its end: of limits at the right, of others at the left.
func (m Mark) add(p *plot.Plot) error {
	k := inkMark
	if m.Limit {
		k = inkLimit
	}
	ends := plotter.XYs{{X: p.X.Min, Y: m.At}, {X: p.X.Max, Y: m.At}}
	if m.Vertical {
		ends = plotter.XYs{{X: m.At, Y: p.Y.Min}, {X: m.At, Y: p.Y.Max}}
	}
	line, err := plotter.NewLine(ends)
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: k, Width: vg.Points(1.4), Dashes: []vg.Length{6, 3}}
	p.Add(line)
	look := style(k)
	at, offset := ends[0], vg.Point{X: 4, Y: 3}
	switch {
	case m.Vertical && p.X.Norm(m.At) < .55:
		at, offset, look.YAlign = ends[1], vg.Point{X: 4, Y: -2}, text.YTop
	case m.Vertical:
		at, offset, look.XAlign, look.YAlign = ends[1], vg.Point{X: -4, Y: -2}, text.XRight, text.YTop
	case m.Limit:
		at, offset, look.XAlign = ends[1], vg.Point{X: -4, Y: 3}, text.XRight
	}
	if !m.Vertical && p.Y.Norm(m.At) > .92 { // there is no room above it
		offset.Y, look.YAlign = -3, text.YTop
	}
	p.Add(&plotter.Labels{XYs: plotter.XYs{at}, Labels: []string{m.Name}, TextStyle: []text.Style{look}, Offset: offset})
	return nil
}
