package campaign

import (
	"cmp"
	"context"
	"slices"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
)

// Model is the model of a campaign.
type Model struct {
	Name      string   // the plugin's
	RulesKey  string   // in the rules' tables
	Scenarios []string // those of the request
	Left      []string // scenarios that are not run, and why
	ends      string   // ids of the tokens that end its answers, with commas between them; empty: not known
	element   string   // type of its payloads' elements, as the tests name it; empty: their default
	// own is what the plugin's own questions have in each test that opens them; none of a data set of the user's.
	own map[string]audit.Own
}

// Model finds the plugin that serves the request's model, and the scenarios that the request means. Every fault of the
// request is told here, before anything runs.
func (c *Campaign) Model(ctx context.Context) (Model, error) {
	r := c.Request
	r.Load.Mode = bench.ModePerformance
	p, err := bench.NewPlan(ctx, r)
	if err != nil {
		return Model{}, err
	}
	served := p.Served.Model
	m := Model{Name: served.Name, RulesKey: served.RulesKey, Left: p.Left}
	for _, run := range p.Runs {
		m.Scenarios = append(m.Scenarios, run.Scenario.String())
	}
	values := served.ParamValues(ownTokens(p), p.Options.Params)
	// The tests need what type the elements of payloads have, and what ends an answer.
	m.element, m.ends = elementType(served, values), values[served.ParamOf(sdk.RoleEnds)]
	m.own = map[string]audit.Own{}
	for _, test := range offered {
		m.own[test] = ownOf(p, test)
	}
	return m, nil
}

// ownOf is what stands in the plugin for what a round asks in a test: how many questions of its own there are, and what
// the card of its FP32 model measured on them.
func ownOf(p *bench.Plan, test string) (o audit.Own) {
	run := bench.PlannedRun{Test: test}
	served := p.Served.Model
	if p.DatasetPath(p.UseOf(run)) != "" {
		return o
	}
	o.Samples = datasetSize(p, run)
	if !ownTokens(p) || p.Options.Count > 0 {
		return o
	}
	for _, f := range served.Files {
		at := slices.IndexFunc(f.Audits, func(m sdk.Metric) bool { return m.Name == test })
		if f.Embedded && f.Precision == "fp32" && at >= 0 {
			o.Figure = f.Audits[at].Value
		}
	}
	if len(served.Metrics) > 0 {
		o.Share = cmp.Or(served.Metrics[0].EmbeddedLeast, served.Metrics[0].Share)
	}
	return o
}

// ownTokens says whether answers are of the embedded model's tokens: a server's are those of the tokenizer that is
// given.
func ownTokens(p *bench.Plan) bool {
	tokenizer := p.Options.Params[p.Served.Model.ParamOf(sdk.RoleTokenizer)]
	return p.Embedded && (tokenizer == "" || tokenizer == "embedded")
}

// elementType is the type of payloads' elements by the name that the tests have for it: that which answers are written
// in, or are scored as. Empty: their own default has to do.
func elementType(m sdk.ModelInfo, values map[string]string) string {
	return cmp.Or(typeName(values[m.ParamOf(sdk.RoleWritten)]), typeName(values[m.ParamOf(sdk.RoleElement)]))
}

func typeName(text string) string {
	switch text {
	case "int8", "uint8", "byte":
		return "byte"
	case "float32", "int16", "int32", "int64":
		return text
	case "float":
		return "float32"
	}
	return ""
}
