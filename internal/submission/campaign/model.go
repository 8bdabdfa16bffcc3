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
	Name        string   // name in the plugin
	RulesKey    string   // name in the rules' tables
	Scenarios   []string // scenarios of the request
	LeftOut     []string // scenarios that are not run, with reasons
	endTokens   string   // token ids that end its answers, separated by commas; empty: unknown
	elementType string   // element type of its payloads in the tests' terms; empty: the tests' defaults
	// own contains the values for the plugin's own questions by test. It is empty for a user's data set.
	ownData map[string]audit.OwnData
}

// FindModel finds the plugin for the request's model and the scenarios that the request selects. It returns all faults
// of the request before anything runs.
func (c *Campaign) FindModel(ctx context.Context) (Model, error) {
	r := c.Request
	r.Load.Mode = bench.ModePerformance
	p, err := bench.NewPlan(ctx, r)
	if err != nil {
		return Model{}, err
	}
	served := p.Served.Model
	m := Model{Name: served.Name, RulesKey: served.RulesKey, LeftOut: p.Left}
	for _, run := range p.Runs {
		m.Scenarios = append(m.Scenarios, run.Scenario.String())
	}
	values := served.ParamValues(answersInOwnTokens(p), p.Options.Params)
	// The tests require the type of the payloads' elements and the tokens that end answers.
	m.elementType, m.endTokens = elementType(served, values), values[served.ParamOf(sdk.RoleEnds)]
	m.ownData = map[string]audit.OwnData{}
	for _, test := range offeredTests {
		m.ownData[test] = ownDataOf(p, test)
	}
	return m, nil
}

// ownDataOf returns the plugin's values that replace a round's requirements in a test: the number of its own questions,
// and the result on its FP32 model's card.
func ownDataOf(p *bench.Plan, test string) (o audit.OwnData) {
	run := bench.PlannedRun{Test: test}
	served := p.Served.Model
	if p.DatasetPath(p.UseOf(run)) != "" {
		return o
	}
	o.Samples = datasetSize(p, run)
	if !answersInOwnTokens(p) || p.Options.Count > 0 {
		return o
	}
	for _, f := range served.Files {
		at := slices.IndexFunc(f.Audits, func(m sdk.Metric) bool { return m.Name == test })
		if f.Embedded && f.Precision == "fp32" && at >= 0 {
			o.CardFigure = f.Audits[at].Value
		}
	}
	if len(served.Metrics) > 0 {
		o.MinShare = cmp.Or(served.Metrics[0].EmbeddedLeast, served.Metrics[0].Share)
	}
	return o
}

// answersInOwnTokens reports whether the embedded model's tokens form the answers. A server's answers use the given
// tokenizer.
func answersInOwnTokens(p *bench.Plan) bool {
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
