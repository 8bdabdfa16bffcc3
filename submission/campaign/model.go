package campaign

import (
	"cmp"
	"context"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Model is the model of a campaign.
type Model struct {
	Name      string   // the plugin's
	RulesKey  string   // in the rules' tables
	Scenarios []string // those of the request
	Left      []string // scenarios that are not run, and why
	element   string   // type of its payloads' elements, as the tests name it; empty: their default
}

// Model finds the plugin that serves the request's model, and the scenarios that the request means. Every fault of the
// request is told here, before anything runs.
func (c *Campaign) Model(ctx context.Context) (Model, error) {
	r := c.Request
	r.Mode = bench.ModePerformance
	p, err := bench.NewPlan(ctx, r)
	if err != nil {
		return Model{}, err
	}
	served := p.Served.Model
	m := Model{Name: served.Name, RulesKey: served.RulesKey, Left: p.Left}
	for _, run := range p.Runs {
		m.Scenarios = append(m.Scenarios, run.Scenario.String())
	}
	m.element = elementType(served.Params, c.Request.Params)
	return m, nil
}

// elementType is the type of a model's payloads by the name that the tests have for it; empty where their own default
// has to do. Benchmarks name it by parameters: dtype, as which payloads are scored, and payload, as which a class is
// written.
func elementType(of []sdk.ParamInfo, given []string) string {
	values := map[string]string{}
	for _, param := range of {
		values[param.Name] = param.Default
	}
	for _, text := range given {
		key, value, _ := strings.Cut(text, "=")
		values[key] = value
	}
	return cmp.Or(typeName(values["payload"]), typeName(values["dtype"]))
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
