package campaign

import (
	"context"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
)

// Model is the model of a campaign.
type Model struct {
	Name      string   // the plugin's
	RulesKey  string   // in the rules' tables
	Scenarios []string // those of the request
	element   string   // type of its payloads' elements; empty: not known
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
	m := Model{Name: served.Name, RulesKey: served.RulesKey}
	for _, run := range p.Runs {
		m.Scenarios = append(m.Scenarios, run.Scenario.String())
	}
	for _, param := range served.Params {
		if param.Name == elementParam {
			m.element = param.Default
		}
	}
	for _, text := range c.Request.Params {
		if key, value, _ := strings.Cut(text, "="); key == elementParam {
			m.element = value
		}
	}
	return m, nil
}

// elementParam is the parameter of benchmarks that names the type of their payloads' elements.
const elementParam = "dtype"

// dtype is that type by the name that the tests have for it; empty where their own default has to do.
func (m Model) dtype() string {
	switch m.element {
	case "int8", "byte":
		return "byte"
	case "float32", "int16", "int32", "int64":
		return m.element
	case "float":
		return "float32"
	}
	return ""
}
