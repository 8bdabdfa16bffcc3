package mlconf

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Rules are the facts of one round of the inference rules: what its submission checker asks for.
type Rules struct {
	Name  string // "v6.1"
	Seeds Seeds

	models   map[string]modelRules
	aliases  map[string]string
	runs     map[string]int
	settings keyTable // of rounds with settings of their own
	text     keyTable // what the round's text says, where the round ran other settings
	facts    submissionFacts
	defaults func() (file, error) // the settings as a configuration file, made once and not changed
	metrics  metricTable
}

// Seeds are a round's three official seeds.
type Seeds struct {
	QSL         uint64 `json:"qsl_rng_seed"`
	SampleIndex uint64 `json:"sample_index_rng_seed"`
	Schedule    uint64 `json:"schedule_rng_seed"`
}

// SystemType is the kind of system that a submission is for.
type SystemType string

// The system types.
const (
	Datacenter     SystemType = "datacenter"
	Edge           SystemType = "edge"
	DatacenterEdge SystemType = "datacenter-edge" // submitted for both
)

// ParseSystemType reads a type as descriptions of systems and flags have it: "edge", "datacenter", "datacenter,edge".
func ParseSystemType(text string) (SystemType, error) {
	switch strings.ReplaceAll(text, " ", "") {
	case "datacenter":
		return Datacenter, nil
	case "edge":
		return Edge, nil
	case "datacenter,edge", "edge,datacenter":
		return DatacenterEdge, nil
	}
	return "", fmt.Errorf("the system type is %q, want datacenter, edge or datacenter,edge", text)
}

// String is the type as descriptions of systems have it.
func (s SystemType) String() string { return strings.ReplaceAll(string(s), "-", ",") }

// Target is a metric and the value that it must reach: at least, or where Upper at most.
type Target struct {
	Metric string
	Value  float64
	Upper  bool
}

// modelRules is one model's entry of an embedded round. Maps from scenario use "*" for all scenarios.
type modelRules struct {
	Unlisted           bool                         `json:"unlisted"` // not in the round's list of models
	Scenarios          map[SystemType]scenarioLists `json:"scenarios"`
	Targets            map[string][]pair            `json:"targets"`
	UpperLimits        map[string][]pair            `json:"upper_limits"`
	DeltaPercent       map[string]float64           `json:"delta_percent"`
	PerformanceSamples uint64                       `json:"performance_samples"`
	AccuracySamples    map[string]uint64            `json:"accuracy_samples"`
	DatasetSize        uint64                       `json:"dataset_size"`
	LatencyLimit       map[string]time.Duration     `json:"latency_limit_ns"`
	MinQueries         map[string]uint64            `json:"min_queries"`
	Audits             []string                     `json:"audits"`
}

type scenarioLists struct {
	Required []string `json:"required"`
	Optional []string `json:"optional"`
}

// pair is a metric's name and its number, written as [name, number].
type pair struct {
	Metric string
	Value  float64
}

func (p *pair) UnmarshalJSON(data []byte) error {
	fields := [2]any{&p.Metric, &p.Value}
	return json.Unmarshal(data, &fields)
}

// Rounds lists the rounds whose rules are embedded, the newest first. Those of v0.7 to v4.1 are of the configuration
// files and the checkers of these rounds, which had no table of sizes of data sets: DatasetSize is 0. The rules of v0.5
// are those of its text, which has no seeds. Where v0.5 and v0.7 ran other settings than their texts have, they are
// those that they ran: Origin.Otherwise has the text's.
func Rounds() []string {
	return []string{
		"v6.1", "v6.0", "v5.1", "v5.0", "v4.1", "v4.0", "v3.1", "v3.0", "v2.1", "v2.0", "v1.1", "v1.0", "v0.7", "v0.5",
	}
}

// roundFile is the embedded form of a round.
type roundFile struct {
	Sources  map[string]string     `json:"sources"` // where in the round's text the numbers come from
	Seeds    Seeds                 `json:"seeds"`
	Aliases  map[string]string     `json:"aliases"`
	Models   map[string]modelRules `json:"models"`
	Runs     map[string]int        `json:"runs"`
	Settings keyTable              `json:"settings"`
	Text     keyTable              `json:"text"`
}

// Round returns the rules of a round; the empty name means the newest.
func Round(name string) (*Rules, error) {
	if name == "" {
		name = Rounds()[0]
	}
	if !slices.Contains(Rounds(), name) {
		return nil, fmt.Errorf("unknown rules %q, want one of %s", name, strings.Join(Rounds(), ", "))
	}
	var data roundFile
	if err := decodeRules(name, &data); err != nil {
		return nil, err
	}
	var facts submissionFacts
	if err := decodeRules("submissions", &facts); err != nil {
		return nil, err
	}
	var metrics metricTable
	if err := decodeRules("metrics", &metrics); err != nil {
		return nil, err
	}
	r := &Rules{
		Name: name, Seeds: data.Seeds, models: data.Models, aliases: data.Aliases, runs: data.Runs,
		settings: data.Settings, text: data.Text, facts: facts, metrics: metrics,
	}
	r.defaults = sync.OnceValues(func() (file, error) { return rulesFile(r) })
	return r, nil
}

// Models lists the round's models by the names of its rules ("resnet", "bert-99"), sorted.
func (r *Rules) Models() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.models)) {
		if !r.models[name].Unlisted {
			names = append(names, name)
		}
	}
	return names
}

// Canonical is the rules' name of a model: "resnet" for "resnet50". A name without an alias is its own.
func (r *Rules) Canonical(model string) string {
	if name, ok := r.aliases[model]; ok {
		return name
	}
	return model
}

// Has says whether the round lists the model, by its name or an alias.
func (r *Rules) Has(model string) bool {
	m, ok := r.models[r.Canonical(model)]
	return ok && !m.Unlisted
}

func (r *Rules) model(name string) modelRules { return r.models[r.Canonical(name)] }

// RequiredScenarios are the scenarios that a closed-division submission of the model must have, in the rules' order;
// none where the model is not for that type of system. A name may be "Interactive".
func (r *Rules) RequiredScenarios(model string, system SystemType) []string {
	return slices.Clone(r.model(model).Scenarios[system].Required)
}

// OptionalScenarios are those that a submission may have besides.
func (r *Rules) OptionalScenarios(model string, system SystemType) []string {
	return slices.Clone(r.model(model).Scenarios[system].Optional)
}

// Scenarios are all that a submission of the model may have: those that it must have, and the others.
func (r *Rules) Scenarios(model string, system SystemType) []string {
	return append(r.RequiredScenarios(model, system), r.OptionalScenarios(model, system)...)
}

// OneOf are scenarios of which a submission must have one at least; none where the rules name each that they want.
func (r *Rules) OneOf(model string, system SystemType) []string {
	optional, oneOf := r.OptionalScenarios(model, system), []string{"Server", "Interactive"}
	if slices.Contains(optional, oneOf[0]) && slices.Contains(optional, oneOf[1]) {
		return oneOf
	}
	return nil
}

// ModelsFor lists the round's models for a type of system.
func (r *Rules) ModelsFor(system SystemType) []string {
	return slices.DeleteFunc(r.Models(), func(m string) bool { return len(r.Scenarios(m, system)) == 0 })
}

// Targets are the accuracy metrics of the model with the values to reach, then those with upper limits.
// scenario matters for few models; an empty one means Offline.
func (r *Rules) Targets(model, scenario string) []Target {
	m := r.model(model)
	var list []Target
	for _, p := range of(m.Targets, scenario) {
		list = append(list, Target{Metric: p.Metric, Value: p.Value})
	}
	for _, p := range of(m.UpperLimits, scenario) {
		list = append(list, Target{Metric: p.Metric, Value: p.Value, Upper: true})
	}
	return list
}

// DeltaPercent is by how many percent a metric may differ from its reference in a compliance test: 1, or 0.1 for the
// models of 99.9 %, where the rules name no number of their own.
func (r *Rules) DeltaPercent(model, metric string) float64 {
	if percent, ok := r.model(model).DeltaPercent[metric]; ok {
		return percent
	}
	if strings.Contains(model, "99.9") {
		return 0.1
	}
	return 1
}

// PerformanceSampleCount is the least number of samples to load in performance mode; 0 where the round has none.
func (r *Rules) PerformanceSampleCount(model string) uint64 { return r.model(model).PerformanceSamples }

// AccuracySampleCount is the number of samples of an accuracy run.
func (r *Rules) AccuracySampleCount(model, scenario string) uint64 {
	m := r.model(model)
	if n := of(m.AccuracySamples, scenario); n > 0 {
		return n
	}
	return m.DatasetSize
}

// DatasetSize is the number of samples of the data set; 0 where the round has none.
func (r *Rules) DatasetSize(model string) uint64 { return r.model(model).DatasetSize }

// LatencyLimit is the largest latency limit that a submission may have used; 0 where the rules name none.
func (r *Rules) LatencyLimit(model, scenario string) time.Duration {
	return r.model(model).LatencyLimit[scenario]
}

// MinQueries is the least number of queries of a performance run that does not meet early stopping.
func (r *Rules) MinQueries(model, scenario string) uint64 { return r.model(model).MinQueries[scenario] }

// Runs is how many runs of a scenario must be VALID for a result.
func (r *Rules) Runs(scenario string) int { return max(1, r.runs[scenario]) }

// Audits are the compliance tests of the model: TEST01, ...
func (r *Rules) Audits(model string) []string { return slices.Clone(r.model(model).Audits) }

// auditsSetSeeds says that the LoadGen of the round read the seeds and test05 from any file, as it did before v5.0.
func (r *Rules) auditsSetSeeds() bool {
	return slices.Index(Rounds(), r.Name) > slices.Index(Rounds(), "v5.0")
}

// of is the entry of a scenario, or of all scenarios.
func of[T any](by map[string]T, scenario string) T {
	if scenario == "" {
		scenario = "Offline"
	}
	if v, ok := by[scenario]; ok {
		return v
	}
	return by["*"]
}
