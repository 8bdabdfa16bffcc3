package suite

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// AllBenchmarks selects all benchmarks of a round instead of a model.
const AllBenchmarks = "all"

// Flags with another meaning for all benchmarks than for one.
const (
	scenarioFlag = "scenario"
	paramFlag    = "param"
)

// RoundModels contains the models that run a round's benchmarks.
type RoundModels struct {
	All []sdk.ModelInfo
	// Missing is the reason why benchmarks without a model have none; empty: no plugin has one.
	Missing string
}

// NewRoundSuite returns the suite of all benchmarks of a round for which there is a model, in the round's scenarios and
// with the flags in given. Of several models for the same scenarios of a benchmark it uses the first. A parameter
// applies to the models that have it.
func NewRoundSuite(rules *mlconf.Rules, models RoundModels, given []Flag) (Suite, error) {
	s := Suite{Name: "round " + rules.Name, Out: "round-" + rules.Name, Independent: true, MixedSizes: true}
	r := roundSuite{Rules: rules, models: models.All, missingReason: models.Missing, runs: map[string][]string{}}
	r.others, r.params = splitParams(given)
	_, err := rules.Section("implementations", &r.named)
	if err = errors.Join(err, r.readScenarios(given), r.requireKnownParams()); err != nil {
		return s, err
	}
	for _, name := range rules.Models() {
		s.Benchmarks = append(s.Benchmarks, r.findBenchmark(name))
	}
	f := suiteFile{defaults: append([]Flag{{"rules", rules.Name}}, r.others...)}
	for i, m := range r.order {
		e := suiteEntry{index: i, models: []string{m.Name}, repeat: 1, flags: modelParams(m, r.params)}
		for _, scenario := range r.runs[m.Name] {
			if flag := (Flag{scenarioFlag, scenario}); !slices.Contains(e.flags, flag) {
				e.flags = append(e.flags, flag)
			}
		}
		f.entries = append(f.entries, e)
	}
	s.Jobs, err = f.listJobs()
	return s, err
}

// NewModelSuite returns the suite of the named models in that order, with the flags in given. models contains all known
// models. A parameter applies to the models that have it. It is an error if a name occurs twice or means all
// benchmarks. The plan reports unknown names.
func NewModelSuite(names []string, models []sdk.ModelInfo, given []Flag) (Suite, error) {
	var params []Flag
	for _, f := range given {
		if f.Name == paramFlag {
			params = append(params, f)
		}
	}
	var chosen []sdk.ModelInfo
	for _, m := range models {
		if slices.Contains(names, m.Name) {
			chosen = append(chosen, m)
		}
	}
	r := roundSuite{models: chosen,
		params: params}
	var others []Flag
	for _, f := range given {
		if f.Name != paramFlag {
			others = append(others, f)
		}
	}
	f := suiteFile{defaults: others}
	for i, name := range names {
		switch {
		case name == AllBenchmarks:
			return Suite{}, fmt.Errorf("%s: %q means every model; give it alone, or name models", strings.Join(names, " "), name)
		case slices.Contains(names[:i], name):
			return Suite{}, fmt.Errorf("%s: %s is named twice; name each model once, and repeat runs with a suite",
				strings.Join(names, " "), name)
		}
		e := suiteEntry{index: i, models: []string{name}, repeat: 1}
		for _, m := range r.models {
			if m.Name == name {
				e.flags = modelParams(m, params)
			}
		}
		f.entries = append(f.entries, e)
	}
	shown := names[:min(len(names), maxNamedModels)]
	s := Suite{Name: strings.Join(names, ", "), Out: strings.Join(shown, "+"), MixedSizes: true}
	if more := len(names) - len(shown); more > 0 {
		s.Out += fmt.Sprintf("+%d", more)
	}
	var err error
	s.Jobs, err = f.listJobs()
	if len(r.models) == len(names) {
		err = errors.Join(err, r.requireKnownParams())
	}
	return s, err
}

// maxNamedModels limits the models in the name of a folder of results.
const maxNamedModels = 4

// roundSuite is a suite of a round during its creation.
type roundSuite struct {
	*mlconf.Rules
	models         []sdk.ModelInfo
	missingReason  string            // reason why a benchmark has no model
	named          map[string]string // models of benchmarks whose names have other meanings in other rounds
	others, params []Flag
	scenarios      []string // scenarios; empty: all
	order          []sdk.ModelInfo
	runs           map[string][]string // scenarios by model
}

// findBenchmark finds the models of a benchmark and records their scenarios.
func (r *roundSuite) findBenchmark(name string) record.Benchmark {
	b := record.Benchmark{Name: name}
	var wanted []string
	for _, s := range r.allScenarios(name) {
		if len(r.scenarios) == 0 || slices.Contains(r.scenarios, s) {
			wanted = append(wanted, s)
		}
	}
	for _, m := range r.candidateModels(name) {
		var takes []string
		takes, wanted = splitScenarios(m, name, wanted)
		if len(takes) == 0 {
			continue
		}
		if r.runs[m.Name] == nil {
			r.order = append(r.order, m)
		}
		r.runs[m.Name] = append(r.runs[m.Name], takes...)
		b.Models = append(b.Models, m.Name)
		r.describeStandIn(&b, m)
	}
	if len(b.Models) == 0 {
		b.Left = r.leftOutReason(name)
	}
	return b
}

// describeStandIn adds the stand-in for a benchmark's model to its description.
func (r *roundSuite) describeStandIn(b *record.Benchmark, m sdk.ModelInfo) {
	own := func(f Flag) bool { return f.Name == "backend" || f.Name == "model" }
	if !slices.ContainsFunc(r.others, own) {
		b.StandIn = cmp.Or(b.StandIn, m.StandIn())
	}
}

// readScenarios reads the scenarios in the flags.
func (r *roundSuite) readScenarios(given []Flag) error {
	for _, f := range given {
		if f.Name != scenarioFlag || f.Value == AllBenchmarks {
			continue
		}
		name := f.Value
		if name != mlconf.Interactive {
			s, err := loadgen.ParseScenario(name)
			if err != nil {
				return fmt.Errorf("--scenario: %w", err)
			}
			name = s.String()
		}
		r.scenarios = append(r.scenarios, name)
	}
	return nil
}

// splitParams separates scenarios and parameters from the other flags.
func splitParams(given []Flag) (others, params []Flag) {
	for _, f := range given {
		switch f.Name {
		case paramFlag:
			params = append(params, f)
		case scenarioFlag:
		default:
			others = append(others, f)
		}
	}
	return others, params
}

// requireKnownParams requires that each parameter belongs to a model.
func (r *roundSuite) requireKnownParams() error {
	for _, p := range r.params {
		if !slices.ContainsFunc(r.models, func(m sdk.ModelInfo) bool { return len(modelParams(m, []Flag{p})) > 0 }) {
			return fmt.Errorf("--param %s: no model has such an option; harness describe MODEL lists those of one", p.Value)
		}
	}
	return nil
}

// modelParams returns the parameters that a model has.
func modelParams(m sdk.ModelInfo, params []Flag) flagList {
	var own []Flag
	for _, f := range params {
		key, _, _ := strings.Cut(f.Value, "=")
		if slices.ContainsFunc(m.Params, func(p sdk.ParamInfo) bool { return p.Name == key }) {
			own = append(own, f)
		}
	}
	return own
}

// allScenarios returns all scenarios of a benchmark in the round, for any type of system.
func (r *roundSuite) allScenarios(name string) []string {
	var all []string
	for _, system := range []mlconf.SystemType{mlconf.Edge, mlconf.Datacenter, mlconf.DatacenterEdge} {
		for _, s := range r.Scenarios(name, system) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// candidateModels returns the models for a benchmark, the best match first: by its name, by its key in the rules, and
// by its family, whose accuracy target differs. If the round names a model, it returns only that one.
func (r *roundSuite) candidateModels(name string) []sdk.ModelInfo {
	distance := func(m sdk.ModelInfo) int {
		key := r.Canonical(m.RulesKey)
		switch {
		case r.named[name] != "":
			return slices.Index([]string{"", r.named[name]}, m.Name)
		case m.Name == name:
			return 1
		case key == name:
			return 2
		case mlconf.Family(name) == m.Name, mlconf.Family(name) == mlconf.Family(key):
			return 3
		}
		return -1
	}
	var all []sdk.ModelInfo
	for _, m := range r.models {
		if distance(m) > 0 {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b sdk.ModelInfo) int { return cmp.Compare(distance(a), distance(b)) })
	return all
}

// splitScenarios returns those wanted scenarios that a model can run for a benchmark, and the remaining ones.
func splitScenarios(m sdk.ModelInfo, name string, wanted []string) (takes, rest []string) {
	own := m.Name == mlconf.Family(name) // a round may list Interactive as its own benchmark in Server
	for _, w := range wanted {
		i := slices.IndexFunc(m.Scenarios, func(s loadgen.Scenario) bool {
			return mlconf.ScenarioOf(s.String(), m.LoadGenKey) == w || own && s.String() == w
		})
		if i < 0 {
			rest = append(rest, w)
			continue
		}
		takes = append(takes, m.Scenarios[i].String())
	}
	return takes, rest
}

// leftOutReason returns the reason why no model runs a benchmark.
func (r *roundSuite) leftOutReason(name string) string {
	has := strings.Join(r.allScenarios(name), ", ")
	switch {
	case len(r.candidateModels(name)) == 0:
		return cmp.Or(r.missingReason, "not in this build, no plugin here has it")
	case len(r.scenarios) > 0:
		return fmt.Sprintf("not in %s, the round has it in %s", strings.Join(r.scenarios, ", "), has)
	}
	if r.missingReason != "" {
		return r.missingReason + ", or does not run in " + has
	}
	return "no model here runs it in " + has
}
