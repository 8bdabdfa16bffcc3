package curves

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	formats "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/results"
)

//go:embed curves.html
var curvesText string

// curveRules contains the CSS rules of this page in addition to those of reports.
const curveRules = `.points td{overflow-wrap:normal}
.points th,.points td{padding-right:.55rem}.wide+.wide{margin-top:1.2rem}`

var curvesPage = page.ParseTemplate(curvesText, template.FuncMap{
	"figure": results.Shown, "region": regionName, "number": func(x float64) string { return results.Shown(&x) },
})

// curvesView contains the data of curves.html.
type curvesView struct {
	*results.Results
	Head   page.Head
	Models []modelCurves
}

// modelCurves contains the curves of a model on one or several systems.
type modelCurves struct {
	Model   string
	Agentic bool
	Charts  []curveChart
	Curves  []results.Curve
	// Regions describes the regions in the charts with their numbers of users, or explains why there are none.
	Regions string
	// Windows contains charts of the steady windows of points with the client's events. Faults contains the reasons for
	// missing charts.
	Windows []curveChart
	Faults  []string
	// Comparison compares the curves; nil for a single curve.
	Comparison *results.Comparison
}

// curveChart is a chart on the page.
type curveChart struct {
	ID, Title, Alt string
	Notes          []string
	SVG            template.HTML
}

// writeCurves writes a self-contained page without scripts. It escapes names from the tree. If between is true, the
// charts contain straight lines between points.
func writeCurves(w io.Writer, r *results.Results, between bool) error {
	view := curvesView{Results: r, Head: page.NewHead("Curves of "+r.Name(), curveRules)}
	for _, c := range r.Curves {
		i := slices.IndexFunc(view.Models, func(m modelCurves) bool { return m.Model == c.Model })
		if i < 0 {
			i = len(view.Models)
			view.Models = append(view.Models, modelCurves{Model: c.Model})
		}
		view.Models[i].Curves = append(view.Models[i].Curves, c)
	}
	for _, c := range r.Compare() {
		i := slices.IndexFunc(view.Models, func(m modelCurves) bool { return m.Model == c.Model })
		view.Models[i].Comparison = &c
	}
	for i, m := range view.Models {
		var err error
		m.Agentic = slices.ContainsFunc(m.Curves, results.Curve.Agentic)
		if m.Charts, err = m.drawCurves(fmt.Sprintf("model-%d", i+1), between); err != nil {
			return err
		}
		m.Regions = regionText(m.Curves)
		view.Models[i] = m
		if err := view.Models[i].drawWindows(fmt.Sprintf("model-%d-window", i+1)); err != nil {
			return err
		}
	}
	return curvesPage.Execute(w, view)
}

// drawCurves draws the charts of the curves. id is the prefix of their IDs.
func (m *modelCurves) drawCurves(id string, between bool) (all []curveChart, err error) {
	o := plot.StairsOptions{User: "tokens/s of one user (1000 / TPOT p90 in ms)", Regions: regionEnds(m.Curves),
		Between: between}
	if m.Agentic {
		o.User = "tokens/s of one user (output tokens / time of turns)"
	}
	var stairs []plot.Stairs
	for _, c := range m.Curves {
		stairs = append(stairs, toStairs(c, m.Agentic))
	}
	for _, c := range plot.OfStairs(stairs, o) {
		svg, err := c.SVG()
		if err != nil {
			return nil, err
		}
		all = append(all, curveChart{id + "-" + c.ID, c.Title, c.Alt, c.Notes, template.HTML(svg)}) // SVG with escaped texts
	}
	return all, nil
}

// drawWindows draws the runs with events and their steady windows.
func (m *modelCurves) drawWindows(id string) error {
	for _, c := range m.Curves {
		for _, p := range c.Points {
			name := c.System + "/" + p.Name
			course, err := p.Course()
			if err != nil {
				m.Faults = append(m.Faults, fmt.Sprintf("%s: %s is not drawn: %v", name, formats.EventsFile, err))
			}
			if course == nil {
				continue
			}
			chart := plot.Window(name, course.Ends, course.PerSec, plot.Shade{From: course.From, To: course.To})
			svg, err := chart.SVG()
			if err != nil {
				return err
			}
			m.Windows = append(m.Windows, curveChart{fmt.Sprintf("%s-%d", id, len(m.Windows)+1), chart.Title, chart.Alt,
				chart.Notes, template.HTML(svg)}) // SVG with escaped texts
		}
	}
	return nil
}

// toStairs returns the points of a curve for charts. A dedicated Offline run becomes a ceiling.
func toStairs(c results.Curve, agentic bool) plot.Stairs {
	s := plot.Stairs{Name: c.System}
	value := func(x *float64, scale float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x * scale
	}
	for _, p := range c.Points {
		if p.Dedicated() || p.Elected() {
			s.Offline, s.OfflineName = value(p.SystemTPS, 1), "Offline ("+p.Offline+")"
		}
		if p.Dedicated() {
			continue
		}
		user := p.TPSPerUser
		if agentic {
			user = p.Interactivity
		}
		s.Points = append(s.Points, plot.Stair{Users: float64(p.Concurrency), Tokens: value(p.SystemTPS, 1),
			User: value(user, 1), TTFT: value(p.TTFT, 1e6), Power: value(p.TPSPerKW, 1),
			Words: fmt.Sprintf("%s, %d users: %s tokens/s, %s of one user, TTFT p90 %s ms", c.System, p.Concurrency,
				results.Shown(p.SystemTPS), results.Shown(user), results.Shown(p.TTFT))})
	}
	return s
}

// regionEnds returns the ends of the regions if they are known and equal for all curves.
func regionEnds(curves []results.Curve) (all []plot.Until) {
	for _, name := range endpoints.RegionNames() {
		bounds, known := curves[0].Bounds[string(name)]
		for _, c := range curves[1:] {
			known = known && c.Bounds[string(name)] == bounds
		}
		if known && bounds[1] >= bounds[0] {
			all = append(all, plot.Until{Name: regionName(name), Users: float64(bounds[1])})
		}
	}
	return all
}

// regionText describes the numbers of users in each region.
func regionText(curves []results.Curve) string {
	ends := regionEnds(curves)
	if len(ends) == 0 && len(curves) > 1 {
		return "The regions of these curves differ, or are not known: the charts do not shade them."
	} else if len(ends) == 0 {
		return "The regions are not known: C_min or C_max is missing."
	}
	words, from := make([]string, len(ends)), 1.0
	for i, r := range ends {
		words[i] = fmt.Sprintf("%s %.0f to %.0f", r.Name, from, r.Users)
		if r.Users == from {
			words[i] = fmt.Sprintf("%s %.0f", r.Name, from)
		}
		from = r.Users + 1
	}
	return "Regions of users, shaded in turn: " + strings.Join(words, ", ") + "."
}

// regionName returns the name of a region on the page.
func regionName(r endpoints.Region) string {
	if r == "" {
		return "-"
	}
	if r == endpoints.Medium {
		return "medium"
	}
	return strings.ReplaceAll(strings.TrimSuffix(string(r), "_concurrency"), "_", " ")
}
