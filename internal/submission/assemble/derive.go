package assemble

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/prepare"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// deriveResults derives results by copying: results of scenarios that the rules allow to infer, and results of a
// benchmark from its variant with a higher accuracy. It never replaces measured results. It then lists what is still
// missing.
func (p *Plan) deriveResults(o PlanOptions) {
	if !o.NoInfer {
		p.inferRequired()
	}
	if !o.NoLower {
		p.deriveLower()
	}
	slices.SortFunc(p.Derived, func(a, b Derived) int { return strings.Compare(a.Place, b.Place) })
	p.listMissing()
}

// inferRequired copies measured results to required scenarios that were not measured, if the rules allow it.
func (p *Plan) inferRequired() {
	for benchmark, scenarios := range p.measuredScenarios() {
		model, kind := p.rules.Canonical(benchmark.Benchmark), p.workspace.systemGoal(benchmark.System).SystemType
		for _, m := range prepare.InferMissing(p.rules, model, kind, scenarios) {
			if m.From == "" {
				continue
			}
			place, from := benchmark, benchmark
			place.Scenario, from.Scenario = m.Scenario, m.From
			p.copyResult(place, from, "inferred, as no run of "+m.Scenario+" was added: "+m.Why)
		}
	}
}

// measuredScenarios returns the scenarios of each benchmark. The keys are places without a scenario. It omits the open
// division, for which the rules require nothing.
func (p *Plan) measuredScenarios() map[tree.Place][]string {
	all := map[tree.Place][]string{}
	for _, place := range p.resultPlaces() {
		if place.Division == tree.DivisionOpen {
			continue
		}
		scenario := place.Scenario
		place.Scenario = ""
		all[place] = append(all[place], scenario)
	}
	return all
}

// copyResult adds a result that is a copy of a measured one.
func (p *Plan) copyResult(place, from tree.Place, reason string) {
	r := *p.results[from]
	r.place, r.original, r.reason = place, from, reason
	p.results[place] = &r
	p.Derived = append(p.Derived, Derived{place.String(), from.String(), reason})
}

// deriveLower copies the results of if the round contains both and X-99 was not measured.
func (p *Plan) deriveLower() {
	all := p.measuredScenarios()
	for _, from := range p.resultPlaces() {
		name, high := strings.CutSuffix(from.Benchmark, "-99.9")
		place := from
		place.Benchmark = name + "-99"
		benchmark := place
		benchmark.Scenario = ""
		if high && p.rules.Has(place.Benchmark) && len(all[benchmark]) == 0 && place.Division != tree.DivisionOpen {
			p.copyResult(place, from, "low accuracy: "+from.Benchmark+" asks for more, and no "+place.Benchmark+" was added")
		}
	}
}

// listMissing lists the scenarios and audits that the rules require and that are missing.
func (p *Plan) listMissing() {
	for benchmark, scenarios := range p.measuredScenarios() {
		model, kind := p.rules.Canonical(benchmark.Benchmark), p.workspace.systemGoal(benchmark.System).SystemType
		for _, m := range prepare.InferMissing(p.rules, model, kind, scenarios) {
			p.Missing = append(p.Missing, path.Join(benchmark.String(), m.Scenario)+": "+m.Why)
		}
		if oneOf := p.rules.OneOf(model, kind); len(oneOf) > 0 && !slices.ContainsFunc(scenarios, func(s string) bool {
			return slices.Contains(oneOf, s)
		}) {
			p.Missing = append(p.Missing, path.Join(benchmark.String(), strings.Join(oneOf, " or "))+": one of them is needed")
		}
	}
	for _, place := range p.resultPlaces() {
		if place.Division == tree.DivisionOpen {
			continue
		}
		for _, test := range p.rules.Audits(p.rules.Canonical(place.Benchmark)) {
			if len(p.results[place].audits[test]) == 0 {
				p.Missing = append(p.Missing, p.Layout.Audit(place, test)+": add the output of harness audit")
			}
		}
	}
	slices.Sort(p.Missing)
}
