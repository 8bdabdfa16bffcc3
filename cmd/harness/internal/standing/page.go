package standing

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
)

//go:embed page.html
var pageText string

// pageRules contains the CSS rules of this page in addition to those of reports.
const pageRules = `svg.strip{width:100%;height:auto;display:block;margin-top:.3rem}
svg.strip text{fill:var(--plot-text);font-size:12px}svg.strip text.own{fill:var(--plot-limit);font-weight:650}
svg.strip line{stroke:var(--plot-grid)}svg.strip line.own{stroke:var(--plot-limit);stroke-width:2;stroke-dasharray:5 3}
svg.strip circle{fill:var(--plot-1);fill-opacity:.45}svg.strip circle.best{fill:var(--plot-3);fill-opacity:1}
svg.strip polyline{fill:none;stroke-width:2}svg.strip polyline.best{stroke:var(--plot-3)}
svg.strip polyline.median{stroke:var(--plot-2);stroke-dasharray:4 3}
.entries th[scope=row]{overflow-wrap:anywhere;min-width:9rem}
.entries td{overflow-wrap:break-word}.entries td.on{min-width:9rem}
tr.own>*{background:var(--warn-back);font-weight:650}tr.gap td{color:var(--soft)}`

// maxRows limits the entries of a ranking on the page. The neighbours of own runs are always shown.
const maxRows = 2000

var standing = page.ParseTemplate(pageText, template.FuncMap{
	"count": count, "round": func(v figure.Number) string { return figure.Round(float64(v)) },
	"dict": func(r shownRanking, list []*RankedEntry) listedEntries { return listedEntries{r.Ranking, list} },
})

// pageView contains the data of page.html.
type pageView struct {
	RankingReport
	Head  page.Head
	Shown []shownRanking
}

// shownRanking is a ranking with its charts.
type shownRanking struct {
	Ranking
	Near     []*RankedEntry
	All      []RankedEntry
	More     int // number of omitted entries
	Strip    *distributionStrip
	Progress *roundProgress
}

// listedEntries contains the entries in a table; nil marks omitted entries.
type listedEntries struct {
	Ranking Ranking
	List    []*RankedEntry
}

// AllShown returns all entries that fit on the page.
func (s shownRanking) AllShown() []*RankedEntry {
	entries := make([]*RankedEntry, len(s.All))
	for i := range entries {
		entries[i] = &s.All[i]
	}
	return entries
}

// WriteHTML writes a self-contained page without scripts. It escapes names from trees.
func (r RankingReport) WriteHTML(w io.Writer) error {
	v := pageView{RankingReport: r, Head: page.NewHead("Your run among published results", pageRules)}
	for _, ranking := range r.Rankings {
		s := shownRanking{Ranking: ranking, Near: ranking.Near(neighbourCount), All: ranking.Entries,
			Strip:    newStrip(ranking),
			Progress: newProgress(ranking)}
		if s.More = len(s.All) - maxRows; s.More > 0 {
			s.All = s.All[:maxRows]
		}
		v.Shown = append(v.Shown, s)
	}
	return standing.Execute(w, v)
}

// AgainstMine is Against with the run whose place is shown.
func (r Ranking) AgainstMine(e *RankedEntry) string { return r.Against(*e, r.chosenOwn()) }

// The sizes of the charts, in SVG units.
const (
	chartWidth  = 480
	chartHeight = 230
	marginLeft  = 58
	marginRight = 16
	marginTop   = 22
	marginDown  = 30
	stripHeight = 150
	dotSize     = 3.5
)

// chartPoint is a position in a chart.
type chartPoint struct{ X, Y string }

func newPoint(x, y float64) chartPoint {
	return chartPoint{strconv.FormatFloat(x, 'f', 1, 64), strconv.FormatFloat(y, 'f', 1, 64)}
}

// axisTick is a value on an axis.
type axisTick struct {
	At   string
	Text string
}

// distributionStrip shows the distribution with one dot per result. Results at the same position are stacked.
type distributionStrip struct {
	Dots  []chartPoint
	Ticks []axisTick
	Own   *axisTick
}

func newStrip(r Ranking) *distributionStrip {
	low, high := r.valueBounds()
	x := logPosition(low, high, marginLeft/2, chartWidth-marginLeft/2)
	s := &distributionStrip{Ticks: roundTicks(low, high, x)}
	stack := map[int]int{}
	for _, e := range r.Entries {
		if e.Own {
			continue
		}
		px := x(float64(e.Value))
		column := int(px / (2 * dotSize))
		y := float64(stripHeight-marginDown) - dotSize - 2*dotSize*float64(stack[column])
		stack[column]++
		s.Dots = append(s.Dots, newPoint(px, max(y, dotSize)))
	}
	if o := r.chosenOwn(); o.Text != "" {
		s.Own = &axisTick{newPoint(x(float64(o.Value)), 0).X, o.Text}
	}
	return s
}

// valueBounds returns the smallest and the largest value, including the own ones.
func (r Ranking) valueBounds() (low, high float64) {
	low, high = float64(r.Spread.Least), float64(r.Spread.Largest)
	for _, o := range r.Own {
		if v := float64(o.Value); o.Text != "" && v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// logPosition returns a function that maps values to positions on a logarithmic scale.
func logPosition(low, high, from, to float64) func(float64) float64 {
	if low <= 0 || high <= low {
		return func(float64) float64 { return (from + to) / 2 }
	}
	return func(v float64) float64 {
		share := math.Log(max(v, low)/low) / math.Log(high/low)
		return from + min(share, 1)*(to-from)
	}
}

// roundTicks returns up to seven round values between low and high.
func roundTicks(low, high float64, place func(float64) float64) []axisTick {
	if low <= 0 || high <= low {
		return []axisTick{{newPoint(place(low), 0).X, figure.Short(low)}}
	}
	for _, steps := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		var all []axisTick
		for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
			for _, step := range steps {
				if v := step * math.Pow(10, e); v >= low && v <= high {
					all = append(all, axisTick{newPoint(place(v), 0).X, figure.Short(v)})
				}
			}
		}
		if len(all) > 0 && len(all) <= 7 {
			return all
		}
	}
	return []axisTick{{newPoint(place(low), 0).X, figure.Short(low)}, {newPoint(place(high), 0).X, figure.Short(high)}}
}

// roundProgress shows all results of each round, with the best and the median.
type roundProgress struct {
	Dots         []chartPoint
	Best, Median []chartPoint
	Rounds       []axisTick
	Ticks        []axisTick // on the y axis
	Own          *axisTick
}

func newProgress(r Ranking) *roundProgress {
	if len(r.Rounds) < 2 {
		return nil
	}
	low, high := r.valueBounds()
	y := logPosition(low, high, chartHeight-marginDown, marginTop)
	p := &roundProgress{Ticks: roundTicks(low, high, y)}
	width := float64(chartWidth - marginLeft - marginRight)
	x := map[string]float64{}
	for i, round := range r.Rounds {
		x[round.Name] = marginLeft + width*(float64(i)+.5)/float64(len(r.Rounds))
		p.Rounds = append(p.Rounds, axisTick{newPoint(x[round.Name], 0).X, round.Name})
		p.Best = append(p.Best, newPoint(x[round.Name], y(float64(round.Best.Value))))
		p.Median = append(p.Median, newPoint(x[round.Name], y(float64(round.Median))))
	}
	for _, e := range r.Entries {
		if !e.Own {
			p.Dots = append(p.Dots, newPoint(x[e.Round], y(float64(e.Value))))
		}
	}
	if o := r.chosenOwn(); o.Text != "" {
		p.Own = &axisTick{newPoint(0, y(float64(o.Value))).Y, o.Text}
	}
	return p
}
