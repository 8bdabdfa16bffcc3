package metrics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/measure"
)

// DashboardPath is the URL path of Grafana's dashboard.
const DashboardPath = "/dashboard.json"

// DashboardJSON returns a dashboard for Grafana 10 and later, as JSON. It contains one panel per measure. For
// distributions it contains a panel over time and one of whole runs. The user chooses the Prometheus server at import
// and the runs on the page.
func DashboardJSON() []byte {
	d := dashboard{
		Title: "Plumbline", UID: "plumbline", Tags: []string{"plumbline"}, SchemaVersion: 39, Refresh: "5s",
		Time: timeSpan{From: "now-15m", To: "now"}, Panels: []dashboardPanel{},
		Templating: dashboardTemplating{List: []dashboardVariable{
			{Name: "datasource", Label: "Prometheus", Type: "datasource", Query: "prometheus"},
			{Name: "run", Label: "Run", Type: "query", Query: "label_values(" + elapsedMetric + ", run)",
				Datasource: &chosenPrometheus,
				Multi:      true, IncludeAll: true, AllValue: ".*", Refresh: refreshOnTimeRange, Sort: sortNumerically},
		}},
	}
	place := panelLayout{}
	for _, kind := range []func(measure.Measure) bool{isTable, isDistribution, isSeries} {
		for _, m := range measure.AllMeasures() {
			if kind(m) {
				for _, p := range measurePanels(m) {
					p.ID, p.GridPos = len(d.Panels)+1, place.nextPosition(p.width)
					d.Panels = append(d.Panels, p)
				}
			}
		}
	}
	text, _ := json.MarshalIndent(d, "", "  ") // strings and numbers cannot fail
	return append(text, '\n')
}

// elapsedMetric is a metric that each run has from its start.
const elapsedMetric = "plumbline_run_elapsed_seconds"

// Options of Grafana's variables: reload when the time range changes, and sort by number.
const (
	refreshOnTimeRange = 2
	sortNumerically    = 3
)

var chosenPrometheus = dataSource{Type: "prometheus", UID: "${datasource}"}

// The part of Grafana's dashboard schema used here.
type (
	dashboard struct {
		Title         string              `json:"title"`
		UID           string              `json:"uid"`
		Tags          []string            `json:"tags"`
		SchemaVersion int                 `json:"schemaVersion"`
		Refresh       string              `json:"refresh"`
		Time          timeSpan            `json:"time"`
		Templating    dashboardTemplating `json:"templating"`
		Panels        []dashboardPanel    `json:"panels"`
	}
	timeSpan struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	dashboardTemplating struct {
		List []dashboardVariable `json:"list"`
	}
	dashboardVariable struct {
		Name       string      `json:"name"`
		Label      string      `json:"label"`
		Type       string      `json:"type"`
		Query      string      `json:"query"`
		Datasource *dataSource `json:"datasource,omitempty"`
		Multi      bool        `json:"multi,omitempty"`
		IncludeAll bool        `json:"includeAll,omitempty"`
		AllValue   string      `json:"allValue,omitempty"`
		Refresh    int         `json:"refresh,omitempty"`
		Sort       int         `json:"sort,omitempty"`
	}
	dataSource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	dashboardPanel struct {
		ID          int           `json:"id"`
		Title       string        `json:"title"`
		Description string        `json:"description"`
		Type        string        `json:"type"`
		Datasource  dataSource    `json:"datasource"`
		GridPos     panelPosition `json:"gridPos"`
		FieldConfig fieldConfig   `json:"fieldConfig"`
		Targets     []panelTarget `json:"targets"`

		width int
	}
	panelPosition struct {
		X int `json:"x"`
		Y int `json:"y"`
		W int `json:"w"`
		H int `json:"h"`
	}
	fieldConfig struct {
		Defaults fieldDefaults `json:"defaults"`
	}
	fieldDefaults struct {
		Unit string `json:"unit"`
	}
	panelTarget struct {
		RefID        string     `json:"refId"`
		Datasource   dataSource `json:"datasource"`
		Expr         string     `json:"expr"`
		LegendFormat string     `json:"legendFormat"`
		Instant      bool       `json:"instant"`
		Range        bool       `json:"range"`
		Format       string     `json:"format"`
	}
)

// panelLayout places panels in rows of 24 columns.
type panelLayout struct{ x, y int }

const (
	gridColumns = 24
	panelHeight = 8
)

func (l *panelLayout) nextPosition(width int) panelPosition {
	if l.x+width > gridColumns {
		l.x, l.y = 0, l.y+panelHeight
	}
	p := panelPosition{X: l.x, Y: l.y, W: width, H: panelHeight}
	l.x += width
	return p
}

func isTable(m measure.Measure) bool        { return len(m.Labels) > 0 }
func isDistribution(m measure.Measure) bool { return m.Kind == measure.Distribution }
func isSeries(m measure.Measure) bool       { return !isTable(m) && !isDistribution(m) }

// quantiles lists the displayed quantiles of distributions.
var quantiles = []string{"0.5", "0.9", "0.99"}

// measurePanels returns the panels of a measure.
func measurePanels(m measure.Measure) []dashboardPanel {
	name, unit := m.PrometheusName()+`{run=~"$run"}`, "short"
	if m.Unit == "s" {
		unit = "s"
	}
	p := dashboardPanel{Title: measureTitle(m), Description: m.Help, Type: "timeseries", Datasource: chosenPrometheus,
		width:       gridColumns / 2,
		FieldConfig: fieldConfig{fieldDefaults{Unit: unit}}}
	switch {
	case isTable(m):
		p.Type = "table"
		p.Targets = []panelTarget{{Expr: name + phaseFilter(m), Instant: true, Format: "table"}}
	case isDistribution(m):
		whole := p
		p.Title, whole.Title, whole.Type = measureTitle(m)+" over time", measureTitle(m)+" of the whole run", "bargauge"
		for _, q := range quantiles {
			legend := "{{run}} {{model}} {{scenario}} p" + strings.TrimPrefix(q+"0", "0.")[:2]
			bucket := m.PrometheusName() + `_bucket{run=~"$run"}`
			p.Targets = append(p.Targets, panelTarget{Range: true, LegendFormat: legend,
				Expr: fmt.Sprintf("histogram_quantile(%s, rate(%s[$__rate_interval]))", q, bucket)})
			whole.Targets = append(whole.Targets, panelTarget{Instant: true, LegendFormat: legend,
				Expr: fmt.Sprintf("histogram_quantile(%s, %s)", q, bucket)})
		}
		return []dashboardPanel{p.completeQueries(), whole.completeQueries()}
	case m.Kind == measure.Counter:
		p.Title += " per second"
		p.Targets = []panelTarget{{Expr: "rate(" + name + "[$__rate_interval])", Range: true}}
	default:
		p.Targets = []panelTarget{{Expr: name, Range: true}}
	}
	return []dashboardPanel{p.completeQueries()}
}

// phaseFilter adds a filter that omits the phases other than the current one.
func phaseFilter(m measure.Measure) string {
	if m.Name == measure.PhaseName {
		return " == 1"
	}
	return ""
}

// completeQueries sets the common fields of the panel's queries.
func (p dashboardPanel) completeQueries() dashboardPanel {
	for i := range p.Targets {
		t := &p.Targets[i]
		t.RefID, t.Datasource = string(rune('A'+i)), chosenPrometheus
		t.LegendFormat = cmp.Or(t.LegendFormat, "{{run}} {{model}} {{scenario}}")
		t.Format = cmp.Or(t.Format, "time_series")
	}
	return p
}

// measureTitle returns a measure's name in words: "samples issued".
func measureTitle(m measure.Measure) string {
	words := strings.NewReplacer("plumbline.", "", ".", " ", "_", " ").Replace(m.Name)
	return strings.ToUpper(words[:1]) + words[1:]
}
