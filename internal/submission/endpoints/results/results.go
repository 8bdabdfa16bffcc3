package results

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	formats "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Results contains the results of a submission.
type Results struct {
	Organisation string   `json:"organisation"` // name of the folder
	Submission   string   `json:"submission"`
	Rules        string   `json:"rules"`
	Errors       int      `json:"errors"` // found by the check
	Warnings     int      `json:"warnings"`
	Curves       []Curve  `json:"curves"` // ordered by system and model
	joined       []string // names of the joined submissions; empty for a single one
}

// Curve contains a system's points for a model.
type Curve struct {
	System string            `json:"system"` // name of the folder
	Model  string            `json:"model"`
	CMax   int               `json:"c_max,omitempty"` // 0: the regions are unknown
	Bounds map[string][2]int `json:"regions,omitempty"`
	Points []Point           `json:"points"` // ordered by concurrency
	// Power contains the components of the system's power with their sources. It is empty if the power is unknown.
	Power  []power.Figure `json:"power,omitempty"`
	source []check.Point  // source data of Points
}

// Point contains the figures of a point. A nil figure is unknown, and Notes gives the reason.
type Point struct {
	Name          string           `json:"point"` // name of the folder: rN
	Concurrency   int              `json:"concurrency"`
	Region        endpoints.Region `json:"region,omitempty"`   // region of the concurrency; "": none or unknown
	Declared      string           `json:"declared,omitempty"` // region in point.yaml
	Offline       string           `json:"offline,omitempty"`  // dedicated, elected, or another text in point.yaml
	SystemTPS     *float64         `json:"system_tps"`         // output tokens/s
	TPSPerUser    *float64         `json:"tps_per_user"`       // tokens/s, from the 90th percentile of TPOT
	Interactivity *float64         `json:"e2e_avg_interactivity,omitempty"`
	TTFT          *float64         `json:"ttft_p90_ms"`
	TPOT          *float64         `json:"tpot_p90_ms"`
	QPS           *float64         `json:"qps"`             // completed requests/s
	Utilization   *float64         `json:"tps_utilization"` // from system_desc.json
	KW            *float64         `json:"point_power_kw"`  // power of the used nodes
	TPSPerKW      *float64         `json:"system_tps_per_kw"`
	Status        string           `json:"window_status,omitempty"` // status of the steady window; "": not in point.yaml
	Verdict       string           `json:"window_verdict,omitempty"`
	Window        *Window          `json:"window,omitempty"` // from point.yaml; nil: not in the file
	Notes         []string         `json:"notes,omitempty"`
	events        string           // path of the client's events, which can be missing
	folder        string           // folder of the submission
	isWholeRun    bool             // the rules define no window for the point, so its whole run counts
}

// summaryMissing is the note on a point without figures.
const summaryMissing = "result_summary.json is missing or cannot be read"

// Dedicated reports whether the point is a separate Offline run.
func (p Point) Dedicated() bool { return p.Offline == "dedicated" }

// Elected reports whether the point represents Offline without a separate run.
func (p Point) Elected() bool { return p.Offline == "elected" }

// Agentic reports whether the curve uses the speed of turns, because a point contains it.
func (c Curve) Agentic() bool {
	return slices.ContainsFunc(c.Points, func(p Point) bool { return p.Interactivity != nil })
}

// Read reads the submission in a folder: ORG/SUBMISSION_ID, or ORG with a single submission in it. It returns an error
// if the folder cannot be opened or contains no point.
func Read(folder string, rules *endpoints.Rules) (*Results, error) {
	curves, report, err := check.ReadCurves(folder, rules)
	if err != nil {
		return nil, sdk.Usage(err)
	}
	whole, err := filepath.Abs(report.Folder)
	if err != nil {
		return nil, err
	}
	r := &Results{Organisation: filepath.Base(filepath.Dir(whole)), Submission: filepath.Base(whole), Rules: rules.Name,
		Errors: report.Count(check.Error), Warnings: report.Count(check.Warning)}
	for _, c := range curves {
		r.Curves = append(r.Curves, newCurve(c, whole, rules.AgenticOf(c.Model) != nil))
	}
	if len(r.Curves) == 0 {
		return nil, sdk.Usage(fmt.Errorf("%s has no point of a curve: want results/SYSTEM/MODEL/rN/", folder))
	}
	return r, nil
}

// newCurve returns the figures of a curve in the submission at folder.
func newCurve(c check.Curve, folder string, agentic bool) Curve {
	out := Curve{System: c.System, Model: c.Model, source: c.Points}
	if c.Regions != nil {
		out.CMax, out.Bounds = c.Regions.Bounds(endpoints.High).Last, map[string][2]int{}
		for _, name := range endpoints.RegionNames() {
			b := c.Regions.Bounds(name)
			out.Bounds[string(name)] = [2]int{b.First, b.Last}
		}
	}
	for _, p := range c.Points {
		one := newPoint(p, c.Regions)
		one.folder, one.events = folder, path.Join(p.Dir, formats.EventsFile)
		one.isWholeRun = agentic || one.Dedicated()
		out.Points = append(out.Points, one)
	}
	if c.Power != nil {
		out.Power = c.Power.Figures
	}
	return out
}

func newPoint(p check.Point, regions *endpoints.Regions) Point {
	out := Point{Name: p.Name, Concurrency: p.Concurrency}
	text := func(d *pyvalue.Dict, key string) string {
		s, _ := pyvalue.Field[string](d, key)
		return s
	}
	out.Declared, out.Offline = text(p.Config, "region"), text(p.Config, "offline")
	if regions != nil && !out.Dedicated() {
		out.Region = regions.RegionAt(p.Concurrency)
	}
	block, _ := pyvalue.Field[*pyvalue.Dict](p.Config, "steady_state")
	out.Status, out.Verdict = text(block, "status"), text(block, "verdict")
	out.Window = newWindow(block)
	if p.Config == nil {
		out.addNotef("point.yaml is missing or cannot be read")
	}
	if p.Summary == nil {
		out.addNotef(summaryMissing)
	}
	f := deriveFigures(p.Summary)
	out.SystemTPS = out.knownFigure("system_tps", f.systemTPS)
	out.TPSPerUser = out.knownFigure("tps_per_user", f.tpsPerUser)
	out.QPS = out.knownFigure("qps", f.qps)
	out.TTFT = out.knownFigure("the 90th percentile of ttft", toMillis(metricPercentile(p.Summary, "ttft", "90")))
	out.TPOT = out.knownFigure("the 90th percentile of tpot", f.tpot)
	out.Utilization = out.knownFigure("tps_utilization", numberField(p.System, "tps_utilization"))
	if p.Interactivity > 0 {
		out.Interactivity = out.knownFigure("e2e_avg_interactivity", p.Interactivity)
	}
	if p.KW > 0 {
		out.KW = out.knownFigure("the point's power", p.KW)
	}
	if out.KW != nil && out.SystemTPS != nil {
		perKW := *out.SystemTPS / *out.KW
		out.TPSPerKW = &perKW
	}
	return out
}

func (p *Point) addNotef(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// knownFigure returns a figure that is a finite number, and nil otherwise. It adds a note on a number that is not
// finite.
func (p *Point) knownFigure(name string, v any) *float64 {
	x, ok := toFloat(v)
	switch {
	case !ok:
		return nil
	case math.IsNaN(x) || math.IsInf(x, 0):
		p.addNotef("%s is %s", name, pyvalue.JSON(x))
		return nil
	}
	return &x
}
