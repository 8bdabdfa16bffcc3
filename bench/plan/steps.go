package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// maxUsers is the maximum number of users of a closed loop.
const maxUsers = 100_000

// runStep is one run of a plan before its settings are determined.
type runStep struct {
	scenario loadgen.Scenario
	mode     loadgen.Mode
	streams  bool // search for the largest samples_per_query
	ranging  bool
	users    int // number of users of a closed loop; 0: none
	replay   bool
}

// readSteps returns the runs to make and the command line's settings for them. If there are faults, it returns no
// steps.
func (p *Plan) readSteps(r Request) ([]runStep, []mlconf.Override, []error) {
	model := p.Served.Model
	if len(model.Scenarios) == 0 {
		err := errors.New("plugin " + p.Served.Name + " lists no scenario for " + model.Name)
		return nil, nil, []error{plugin.Fault(err)}
	}
	scenarios, left, err1 := r.Load.scenarios(model, p.Division, r.Rules)
	p.Left = left
	steps, err2 := r.steps(scenarios, p.Division.Scenarios(model.Scenarios))
	steps = r.Power.withRanging(replaceByReplays(steps, model))
	overrides, faults := r.Rules.readOverrides()
	if faults = append(faults, err1, err2); errors.Join(faults...) != nil {
		return nil, nil, faults
	}
	var running []loadgen.Scenario
	for _, st := range steps {
		if !slices.Contains(running, st.scenario) {
			running = append(running, st.scenario)
		}
	}
	faults = nil
	for _, o := range overrides {
		if !o.Means(running...) {
			faults = append(faults, fmt.Errorf("--set %v: it means nothing in %v", o, running))
		}
	}
	if len(faults) > 0 {
		return nil, nil, faults
	}
	return steps, overrides, nil
}

// scenarios returns the distinct requested scenarios that the division allows, in the order of the model's rules. left
// lists those that the submission does not include, with the reason.
func (l Load) scenarios(m sdk.ModelInfo, d division.Division, rules Rules) (in []loadgen.Scenario, left []string,
	err error) {
	served := d.Scenarios(m.Scenarios)
	if len(served) == 0 {
		return nil, nil, fmt.Errorf("--division %s runs Server and Offline, and %s has %s", d, m.Name,
			strings.Join(scenarioNames(m.Scenarios), ", "))
	}
	if len(l.Scenarios) == 0 {
		return rules.submittedScenarios(m, d, served)
	}
	wanted := map[loadgen.Scenario]bool{}
	for _, name := range l.Scenarios {
		if strings.EqualFold(name, everyScenario) {
			return served, nil, nil
		}
		s, err := loadgen.ParseScenario(name)
		if err != nil {
			return nil, nil, fmt.Errorf("--scenario: %w", rules.unknownScenario(name, m, served))
		}
		wanted[s] = true
	}
	for _, s := range served {
		if wanted[s] {
			in = append(in, s)
			delete(wanted, s)
		}
	}
	for s := range wanted {
		if slices.Contains(m.Scenarios, s) {
			return nil, nil, fmt.Errorf("--scenario %v: --division %s runs Server and Offline alone, the datacenter suite", s,
				d)
		}
		return nil, nil, fmt.Errorf("--scenario: the rules have no %v scenario for %s; it runs %s", s, m.Name,
			strings.Join(scenarioNames(served), ", "))
	}
	return in, nil, nil
}

func scenarioNames(scenarios []loadgen.Scenario) []string {
	names := make([]string, len(scenarios))
	for i, scenario := range scenarios {
		names[i] = scenario.String()
	}
	return names
}

// submittedScenarios returns the scenarios that a submission of the model may include on systems of the request's type.
// The open division allows all.
func (r Rules) submittedScenarios(m sdk.ModelInfo, d division.Division,
	served []loadgen.Scenario) (in []loadgen.Scenario,
	left []string, err error) {
	if r.SystemType == "" || d == division.Open {
		return served, nil, nil
	}
	round, err := mlconf.Round(r.Round)
	if err != nil {
		return nil, nil, err
	}
	has := round.Scenarios(m.RulesKey, r.SystemType)
	if len(has) == 0 {
		return nil, nil, fmt.Errorf("rules %s have no %s for systems of type %s, they have %s: run another model, choose "+
			"another --system-type, or name the scenarios with --scenario", round.Name, cmp.Or(m.RulesKey, m.Name),
			r.SystemType,
			cmp.Or(strings.Join(round.ModelsFor(r.SystemType), ", "), "none"))
	}
	for _, s := range served {
		if slices.Contains(has, mlconf.ScenarioOf(s.String(), m.LoadGenKey)) {
			in = append(in, s)
			continue
		}
		left = append(left, fmt.Sprintf("%v: rules %s have none of %s for systems of type %s", s, round.Name, m.RulesKey,
			r.SystemType))
	}
	for _, name := range round.RequiredScenarios(m.RulesKey, r.SystemType) {
		runs := func(s loadgen.Scenario) bool { return mlconf.ScenarioOf(s.String(), m.LoadGenKey) == name }
		if !slices.ContainsFunc(in, runs) {
			left = append(left, fmt.Sprintf("%s: rules %s ask for it of %s for systems of type %s, and %s does not run it",
				name, round.Name, m.RulesKey, r.SystemType, m.Name))
		}
	}
	if len(in) == 0 {
		return nil, nil, fmt.Errorf("rules %s have %s of %s for systems of type %s, and %s runs %s", round.Name,
			strings.Join(has, ", "), m.RulesKey, r.SystemType, m.Name, strings.Join(scenarioNames(served), ", "))
	}
	return in, left, nil
}

// unknownScenario returns the error for a scenario that LoadGen does not have. Interactive is a scenario of submissions
// only: LoadGen runs it as Server, with the limits of a separate model.
func (r Rules) unknownScenario(name string, m sdk.ModelInfo, served []loadgen.Scenario) error {
	known := append(scenarioNames(served), everyScenario)
	if !strings.EqualFold(name, mlconf.Interactive) {
		return suggest.Unknown("scenario", name, known)
	}
	server := loadgen.Server.String()
	if mlconf.ScenarioOf(server, m.LoadGenKey) == mlconf.Interactive {
		return fmt.Errorf("%s runs %s as %s: give --scenario %s, or leave it out", m.Name, name, server, server)
	}
	round, err := mlconf.Round(r.Round)
	if err != nil {
		return err
	}
	for _, system := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
		if slices.Contains(round.Scenarios(m.RulesKey, system), mlconf.Interactive) {
			return fmt.Errorf("%s is %s under the limits of another model: name %s-interactive, with --scenario %s", name,
				server, m.Name, server)
		}
	}
	return fmt.Errorf("rules %s have no %s of %s (known: %s)", round.Name, name, m.Name, strings.Join(known, ", "))
}

// steps lists the runs in order. If accuracy was not requested by scenario, it is measured once, in the fastest
// scenario: Server would spread it over the schedule of target_qps.
func (r Request) steps(scenarios, served []loadgen.Scenario) ([]runStep, error) {
	performance, accuracy := eachScenario(scenarios, loadgen.PerformanceOnly), eachScenario(scenarios,
		loadgen.AccuracyOnly)
	if r.Load.Concurrency != 0 || r.Load.Requests != 0 || r.Load.Duration != 0 {
		return r.closedLoop(served)
	}
	switch r.Load.Mode {
	case "":
		if r.Rules.Audit != "" || r.Rules.Test.Name != "" { // audits are performance runs
			return performance, nil
		}
		return append(performance, runStep{scenario: fastestScenario(served), mode: loadgen.AccuracyOnly}), nil
	case ModePerformance:
		return performance, nil
	case ModeAccuracy:
		if len(r.Load.Scenarios) == 0 {
			return []runStep{{scenario: fastestScenario(served), mode: loadgen.AccuracyOnly}}, nil
		}
		return accuracy, nil
	case ModeSubmission:
		var both []runStep
		for i := range scenarios {
			both = append(both, performance[i], accuracy[i])
		}
		return both, nil
	case ModeFindPeak:
		return r.Load.findPeak(scenarios)
	}
	return nil, fmt.Errorf("--mode: %w", unknownMode(r.Load.Mode))
}

// unknownMode returns the error for an unknown mode. If the name lists two modes or means all, the error names the mode
// that makes both kinds of runs.
func unknownMode(name string) error {
	lower := strings.ToLower(name)
	two := strings.Contains(lower, ModePerformance) && strings.Contains(lower, ModeAccuracy)
	if two || lower == "both" || lower == everyScenario {
		return fmt.Errorf("unknown mode %q; did you mean %q? It makes a performance run and an accuracy run of each "+
			"scenario; without --mode the accuracy is measured once", name, ModeSubmission)
	}
	return suggest.Unknown("mode", name, []string{ModePerformance, ModeAccuracy, ModeSubmission, ModeFindPeak})
}

// findPeak returns the search for the highest target_qps of Server or, if only MultiStream was requested, for its
// largest samples_per_query.
func (l Load) findPeak(scenarios []loadgen.Scenario) ([]runStep, error) {
	switch {
	case len(l.Scenarios) == 0 && slices.Contains(scenarios, loadgen.Server),
		slices.Equal(scenarios, []loadgen.Scenario{loadgen.Server}):
		return []runStep{{scenario: loadgen.Server, mode: loadgen.FindPeakPerformance}}, nil
	case slices.Equal(scenarios, []loadgen.Scenario{loadgen.MultiStream}):
		return []runStep{{scenario: loadgen.MultiStream, mode: loadgen.PerformanceOnly, streams: true}}, nil
	}
	return nil, fmt.Errorf("--mode %s searches for the highest target_qps of Server, or for the largest "+
		"samples_per_query of MultiStream with --rules v0.5 to v1.1, and runs no other scenario, found %s; give --scenario "+
		"Server or --scenario MultiStream alone", ModeFindPeak, strings.Join(scenarioNames(scenarios), ", "))
}

// closedLoop returns the only step of a closed loop, which uses neither LoadGen nor its settings.
func (r Request) closedLoop(served []loadgen.Scenario) ([]runStep, error) {
	switch {
	case r.Load.Concurrency == 0:
		return nil, errors.New("--requests and --duration are of --concurrency; how long a scenario of LoadGen takes, its " +
			"settings say: --set min_query_count, --set min_duration")
	case r.Load.Concurrency < 1 || r.Load.Concurrency > maxUsers:
		return nil, fmt.Errorf("--concurrency %d: want the number of users, from 1 to %d", r.Load.Concurrency, maxUsers)
	case r.Load.Requests < 0 || r.Load.Requests > arrival.MostRequests:
		return nil, fmt.Errorf("--requests %d: want a number from 1 to %d", r.Load.Requests, arrival.MostRequests)
	case r.Load.Duration < 0 || r.Load.Duration > arrival.MostTime:
		return nil, fmt.Errorf("--duration %v: want a time above 0, up to %v", r.Load.Duration, arrival.MostTime)
	}
	var other []string
	for _, of := range []struct {
		flag  string
		given bool
	}{
		{"--scenario", len(r.Load.Scenarios) > 0}, {"--mode", r.Load.Mode != "" && r.Load.Mode != ModePerformance},
		{"--set", len(r.Rules.Set) > 0}, {"--user-conf", r.Rules.UserConf != ""},
		{"--audit", r.Rules.Audit != "" || r.Rules.Test.Name != ""},
		{"--loadgen " + LoadGenOfficial, r.Rules.LoadGen == LoadGenOfficial},
		{"--power", r.Power.Meter != "" || r.Power.Logs != ""},
		{"--export", len(r.Output.Exports) > 0}, {"--trace", r.Output.Trace}, {"--abort-early", r.Load.AbortEarly},
	} {
		if of.given {
			other = append(other, of.flag)
		}
	}
	if len(other) > 0 {
		return nil, fmt.Errorf("--concurrency and %s: a closed loop is no scenario of LoadGen, which has no part in it; "+
			"leave one of them out", strings.Join(other, ", "))
	}
	if !slices.Contains(served, loadgen.Server) {
		return nil, errors.New("--concurrency is for models that have the scenario Server")
	}
	return []runStep{{scenario: loadgen.Server, mode: loadgen.PerformanceOnly, users: r.Load.Concurrency}}, nil
}

// replaceByReplays replaces timed runs by replays if the model's timed runs are replays.
func replaceByReplays(steps []runStep, m sdk.ModelInfo) []runStep {
	if !m.Replay {
		return steps
	}
	for i := range steps {
		if st := &steps[i]; st.mode != loadgen.AccuracyOnly {
			st.users, st.replay = 1, true
		}
	}
	return steps
}

// withRanging inserts a ranging run before each timed step if ranging was requested.
func (w Power) withRanging(steps []runStep) []runStep {
	if !w.Ranging {
		return steps
	}
	var all []runStep
	for _, st := range steps {
		if st.mode == loadgen.PerformanceOnly && !st.streams {
			all = append(all, runStep{scenario: st.scenario, mode: st.mode, ranging: true})
		}
		all = append(all, st)
	}
	return all
}

func eachScenario(scenarios []loadgen.Scenario, m loadgen.Mode) []runStep {
	steps := make([]runStep, len(scenarios))
	for i, s := range scenarios {
		steps[i] = runStep{scenario: s, mode: m}
	}
	return steps
}

// fastestScenario returns the scenario for a single accuracy run: Offline, which every model supports and which forms
// the largest batches, or else the last one.
func fastestScenario(scenarios []loadgen.Scenario) loadgen.Scenario {
	for _, s := range scenarios {
		if s == loadgen.Offline {
			return s
		}
	}
	return scenarios[len(scenarios)-1]
}

// readOverrides parses the values of --set.
func (r Rules) readOverrides() (all []mlconf.Override, faults []error) {
	for _, text := range r.Set {
		o, err := mlconf.ParseOverride(text)
		if err == nil && o.Key == "mode" {
			err = errors.New("the mode is chosen with --mode")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--set %s: %w", text, err))
			continue
		}
		all = append(all, o)
	}
	return all, faults
}
