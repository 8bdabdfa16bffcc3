package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
)

// Load is which runs are made, and how the model is asked in them.
type Load struct {
	Scenarios []string `flag:"scenario,split"` // names or "all"; empty: all that the model's rules list
	// Mode is "performance", "accuracy", "submission" or "findpeak"; empty: performance of each scenario, then accuracy
	// once, and with audit settings performance alone.
	Mode string `flag:"mode"`
	// Concurrency asks for a closed loop in place of LoadGen's scenarios: so many users wait for answers. It is for
	// benchmarks of language models. 0: none.
	Concurrency int `flag:"concurrency"`
	// Requests and Duration are how long a closed loop lasts: so many requests, or so long, whichever comes first. Both 0:
	// a minute and a hundred requests, or four requests of each user under smoke settings.
	Requests int           `flag:"requests"`
	Duration time.Duration `flag:"duration"`

	Pace       string `flag:"pace"`        // how Server queries are timed: "default" or "precise"; empty: default
	AbortEarly bool   `flag:"abort-early"` // end a run as soon as it can only end INVALID
	// KeepProcessors leaves GOMAXPROCS alone. Else it is 1 while SingleStream runs, as for every query another thread
	// would be woken, on a core that the model is about to compute on.
	KeepProcessors bool
}

// The modes of a request.
const (
	ModePerformance = "performance"
	ModeAccuracy    = "accuracy"
	ModeSubmission  = "submission"
	ModeFindPeak    = "findpeak"
)

// ModeRanging is the mode of runs that come before those of ModePerformance with PowerRanging; no request asks for it.
const ModeRanging = "ranging"

// everyScenario is the word for all scenarios of a model.
const everyScenario = "all"

// The ways to time Server queries.
const (
	PaceDefault = "default"
	PacePrecise = "precise" // spin before each due time
)

// resolve reads the way to time Server queries.
func (l Load) resolve(p *Plan) []error {
	pace, err := l.pace()
	p.Pace = pace
	return []error{err}
}

// pace is the way to time Server queries that was asked for.
func (l Load) pace() (string, error) {
	switch l.Pace {
	case "":
		return PaceDefault, nil
	case PaceDefault, PacePrecise:
		return l.Pace, nil
	}
	return "", fmt.Errorf("--pace: %w", suggest.Unknown("pace", l.Pace, []string{PaceDefault, PacePrecise}))
}

// scenarios returns those asked for, of the ones that the division has, in the order of the model's rules, without
// doubles; and which are left out since the submission does not have them, with the reason.
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
	return lists.Map(scenarios, loadgen.Scenario.String)
}

// runStep is one run of a plan, before its settings are known.
type runStep struct {
	scenario loadgen.Scenario
	mode     loadgen.Mode
	streams  bool // search for the largest samples_per_query
	ranging  bool
	users    int // of a closed loop
	replay   bool
}

// steps lists what to run, in order. The accuracy that nobody asked for by scenario is measured once, in the fastest
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

// unknownMode is the error of a mode that there is not. Where two are named, or all, it says which one makes both kinds
// of run.
func unknownMode(name string) error {
	lower := strings.ToLower(name)
	two := strings.Contains(lower, ModePerformance) && strings.Contains(lower, ModeAccuracy)
	if two || lower == "both" || lower == everyScenario {
		return fmt.Errorf("unknown mode %q; did you mean %q? It makes a performance run and an accuracy run of each "+
			"scenario; without --mode the accuracy is measured once", name, ModeSubmission)
	}
	return suggest.Unknown("mode", name, []string{ModePerformance, ModeAccuracy, ModeSubmission, ModeFindPeak})
}

// findPeak is a search: for the highest target_qps of Server, or where MultiStream alone is asked for, for its largest
// samples_per_query.
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

func eachScenario(scenarios []loadgen.Scenario, m loadgen.Mode) []runStep {
	return lists.Map(scenarios, func(s loadgen.Scenario) runStep { return runStep{scenario: s, mode: m} })
}

// fastestScenario is the scenario for a single accuracy run: Offline, which every model has and which batches best;
// without it the last one.
func fastestScenario(scenarios []loadgen.Scenario) loadgen.Scenario {
	for _, s := range scenarios {
		if s == loadgen.Offline {
			return s
		}
	}
	return scenarios[len(scenarios)-1]
}
