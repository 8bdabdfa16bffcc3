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
	Name      string   // name in the plugin
	RulesKey  string   // name in the rules' tables
	Scenarios []string // scenarios of the request
	Left      []string // scenarios that are not run, with reasons
	ends      string   // token ids that end its answers, separated by commas; empty: unknown
	element   string   // element type of its payloads in the tests' terms; empty: the tests' defaults
	// own contains the values for the plugin's own questions by test. It is empty for a user's data set.
	own map[string]audit.Own
}

// Model finds the plugin for the request's model and the scenarios that the request selects. It returns all faults of
// the request before anything runs.
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
	// The tests require the type of the payloads' elements and the tokens that end answers.
	m.element, m.ends = elementType(served, values), values[served.ParamOf(sdk.RoleEnds)]
	m.own = map[string]audit.Own{}
	for _, test := range offered {
		m.own[test] = ownOf(p, test)
	}
	return m, nil
}

// ownOf returns the plugin's values that replace a round's requirements in a test: the number of its own questions, and
// the result on its FP32 model's card.
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

// ownTokens reports whether the embedded model's tokens form the answers. A server's answers use the given tokenizer.
func ownTokens(p *bench.Plan) bool {
	tokenizer := p.Options.Params[p.Served.Model.ParamOf(sdk.RoleTokenizer)]
	return p.Embedded && (tokenizer == "" || tokenizer == "embedded")
}

// elementType returns the element type of payloads in the tests' terms: the type in which answers are written or
// scored. Empty: the tests' default.
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
