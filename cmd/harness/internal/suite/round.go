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

// Everything is the word in the place of a model that stands for all benchmarks of a round.
const Everything = "all"

// Flags that mean another thing to all benchmarks than to one.
const (
	scenarioFlag = "scenario"
	paramFlag    = "param"
)

// Models contains the models that run a round's benchmarks.
type Models struct {
	All []sdk.ModelInfo
	// Missing says why a benchmark has none of them; empty: no plugin has it.
	Missing string
}

// OfRound is the suite of all benchmarks of a round that any of the models runs, in the scenarios that the round has of
// them, with the flags. Of several models that run the same scenarios of a benchmark it takes the first. A parameter
// goes to the models that have it.
func OfRound(rules *mlconf.Rules, models Models, given []Flag) (Suite, error) {
	s := Suite{Name: "round " + rules.Name, Out: "round-" + rules.Name, Apart: true, Mixed: true}
	r := roundSuite{Rules: rules, models: models.All, missing: models.Missing, runs: map[string][]string{}}
	r.others, r.params = splitParams(given)
	_, err := rules.Section("implementations", &r.named)
	if err = errors.Join(err, r.readScenarios(given), r.knowParams()); err != nil {
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

// OfModels is the suite of the named models, in that order, each with the flags. A parameter goes to the models that
// have it; models are all that there are. A name that occurs twice, or one of all benchmarks, is an error; one that no
// model has is left to the plan.
func OfModels(names []string, models []sdk.ModelInfo, given []Flag) (Suite, error) {
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
		case name == Everything:
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
	shown := names[:min(len(names), maxNamed)]
	s := Suite{Name: strings.Join(names, ", "), Out: strings.Join(shown, "+"), Mixed: true}
	if more := len(names) - len(shown); more > 0 {
		s.Out += fmt.Sprintf("+%d", more)
	}
	var err error
	s.Jobs, err = f.listJobs()
	if len(r.models) == len(names) {
		err = errors.Join(err, r.knowParams())
	}
	return s, err
}

// maxNamed is how many models a folder of results is named after.
const maxNamed = 4

// roundSuite is a suite of a round as it is made.
type roundSuite struct {
	*mlconf.Rules
	models         []sdk.ModelInfo
	missing        string            // why a benchmark has no model
	named          map[string]string // models of benchmarks whose names mean something else in other rounds
	others, params []Flag
	only           []string // scenarios; none: all
	order          []sdk.ModelInfo
	runs           map[string][]string // scenarios by model
}

// findBenchmark finds the models of a benchmark, and notes what they run.
func (r *roundSuite) findBenchmark(name string) record.Benchmark {
	b := record.Benchmark{Name: name}
	var wanted []string
	for _, s := range r.allScenarios(name) {
		if len(r.only) == 0 || slices.Contains(r.only, s) {
			wanted = append(wanted, s)
		}
	}
	for _, m := range r.candidateModels(name) {
		var takes []string
		takes, wanted = takeScenarios(m, name, wanted)
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
		b.Left = r.whyLeftOut(name)
	}
	return b
}

// describeStandIn says of a benchmark what stands in for its model.
func (r *roundSuite) describeStandIn(b *record.Benchmark, m sdk.ModelInfo) {
	own := func(f Flag) bool { return f.Name == "backend" || f.Name == "model" }
	if !slices.ContainsFunc(r.others, own) {
		b.StandIn = cmp.Or(b.StandIn, m.StandIn())
	}
}

// readScenarios reads those that flags ask for.
func (r *roundSuite) readScenarios(given []Flag) error {
	for _, f := range given {
		if f.Name != scenarioFlag || f.Value == Everything {
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
		r.only = append(r.only, name)
	}
	return nil
}

// splitParams takes scenarios and parameters out of flags.
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

// knowParams wants a model for each parameter.
func (r *roundSuite) knowParams() error {
	for _, p := range r.params {
		if !slices.ContainsFunc(r.models, func(m sdk.ModelInfo) bool { return len(modelParams(m, []Flag{p})) > 0 }) {
			return fmt.Errorf("--param %s: no model has such an option; harness describe MODEL lists those of one", p.Value)
		}
	}
	return nil
}

// modelParams are the parameters that a model has.
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

// allScenarios are all that the round has of a benchmark, for systems of any type.
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

// candidateModels are the models that run a benchmark, the nearest first: of its name, of its key in the rules, of its
// family, which keeps another share of the accuracy. Where the round names one, there is no other.
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

// takeScenarios are the scenarios, as LoadGen calls them, that a model runs of those that a benchmark still wants.
func takeScenarios(m sdk.ModelInfo, name string, wanted []string) (takes, rest []string) {
	own := m.Name == mlconf.Family(name) // a round may list Interactive as a benchmark of its own, in Server
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

// whyLeftOut says why no model runs a benchmark.
func (r *roundSuite) whyLeftOut(name string) string {
	has := strings.Join(r.allScenarios(name), ", ")
	switch {
	case len(r.candidateModels(name)) == 0:
		return cmp.Or(r.missing, "not in this build, no plugin here has it")
	case len(r.only) > 0:
		return fmt.Sprintf("not in %s, the round has it in %s", strings.Join(r.only, ", "), has)
	}
	if r.missing != "" {
		return r.missing + ", or does not run in " + has
	}
	return "no model here runs it in " + has
}
