package mlconf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/internal/roundfiles"
)

// Rules contains the facts of one round of the inference rules, as required by its submission checker.
type Rules struct {
	Name  string // "v6.1"
	Seeds Seeds

	data     roundFile
	facts    submissionFacts
	defaults func() (confFile, error) // the settings as a configuration file, made once and never changed
	metrics  metricTable
}

// Seeds contains a round's three official seeds.
type Seeds struct {
	QSL         uint64 `json:"qsl_rng_seed"`
	SampleIndex uint64 `json:"sample_index_rng_seed"`
	Schedule    uint64 `json:"schedule_rng_seed"`
}

// SystemType is the type of system for which a submission is made.
type SystemType string

// The required scenarios depend on the type.
const (
	Datacenter     SystemType = "datacenter"
	Edge           SystemType = "edge"
	DatacenterEdge SystemType = "datacenter-edge" // submitted for both
)

// ParseSystemType parses a type in the form of system descriptions and flags: "edge", "datacenter", "datacenter,edge".
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

// String returns the type in the form of system descriptions.
func (s SystemType) String() string { return strings.ReplaceAll(string(s), "-", ",") }

// Target is a metric and the value that it must reach. If Upper is true, the value is a maximum, otherwise a minimum.
type Target struct {
	Metric string
	Value  float64
	Upper  bool
}

// modelRules is one model's entry in an embedded round. In maps by scenario, "*" means all scenarios.
type modelRules struct {
	Unlisted           bool                         `json:"unlisted"` // not in the round's list of models
	Scenarios          map[SystemType]scenarioLists `json:"scenarios"`
	Targets            map[string][]metricPair      `json:"targets"`
	UpperLimits        map[string][]metricPair      `json:"upper_limits"`
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

// metricPair is a metric's name and its number. Its JSON form is [name, number].
type metricPair struct {
	Metric string
	Value  float64
}

func (p *metricPair) UnmarshalJSON(data []byte) error {
	fields := [2]any{&p.Metric, &p.Value}
	return json.Unmarshal(data, &fields)
}

// Rounds lists the rounds whose rules are embedded, the newest first. The facts of v0.5 to v4.1 come from the
// configuration files and the checkers of these rounds, which had no sizes of data sets, so DatasetSize is 0. In v0.5
// and v0.7, the settings of the runs differ from the rules' texts. The facts are those of the runs, and
// Origin.Otherwise contains the text's value.
//
// Each round's file, rules/vN.N.json, contains all facts of the round. Only this function compares rounds, to order
// them. A new round is therefore a new file.
func Rounds() []string {
	names := roundfiles.Names()
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(versionParts(b), versionParts(a)) })
	return names
}

// RoundsWith lists the rounds that contain a model, the newest first: the rounds that use this name or, if there are
// none, the rounds that use it as another name. Later rounds accept ssd-resnet34 as a name of retinanet.
func RoundsWith(model string) []string {
	var own, alias []string
	for _, name := range Rounds() {
		switch r, err := Round(name); {
		case err != nil || !r.Has(model):
		case r.Canonical(model) == model:
			own = append(own, name)
		default:
			alias = append(alias, name)
		}
	}
	if len(own) == 0 {
		return alias
	}
	return own
}

// RoundOfSeed returns the round with the given first seed, that of the query sample library, or "". All rounds have
// different seeds.
func RoundOfSeed(qsl uint64) string {
	for _, name := range Rounds() {
		if r, err := Round(name); err == nil && r.Seeds.QSL == qsl {
			return name
		}
	}
	return ""
}

// versionParts returns the numbers in a round's name. Comparing numbers makes v10.0 later than v6.1.
func versionParts(round string) (parts []int) {
	for part := range strings.SplitSeq(strings.TrimPrefix(round, "v"), ".") {
		n, _ := strconv.Atoi(part) // TestRoundsHaveVersions checks that the parts are numbers
		parts = append(parts, n)
	}
	return parts
}

// roundFile is the embedded file of a round.
type roundFile struct {
	Sources       map[string]string          `json:"sources"` // parts of the round's text that contain the numbers
	Seeds         Seeds                      `json:"seeds"`
	Aliases       map[string]string          `json:"aliases"`
	Features      roundFeatures              `json:"features"`
	Checks        Checks                     `json:"checks"`
	AccuracyFiles map[string]AccuracyFiles   `json:"accuracy_files"`
	Sections      map[string]json.RawMessage `json:"sections"`
	Models        map[string]modelRules      `json:"models"`
	// OfflineSamples overrides Rules.OfflineSamples by model; "*" means all models.
	OfflineSamples map[string]uint64 `json:"offline_samples"`
	// Guesses contains pairs of a part of a folder's name and the model that it suggests, in the order of the attempts.
	// Empty means those of v4.1 and later.
	Guesses  [][2]string    `json:"guesses"`
	Runs     map[string]int `json:"runs"`
	Settings keyTable       `json:"settings"` // only in rounds with their own settings
	Text     keyTable       `json:"text"`     // values in the round's text that differ from the settings of the runs
}

// roundFeatures lists the properties that distinguish a round from others.
type roundFeatures struct {
	LoadGenMajor    int           `json:"loadgen_major"`
	Metrics         string        `json:"metrics"` // the table in metrics.json; empty: none is known
	Layout          *Layout       `json:"layout"`
	Nameplate       bool          `json:"nameplate"`
	LogsInteractive bool          `json:"logs_interactive"`
	Endpoints       bool          `json:"endpoints"`
	AuditsSetSeeds  bool          `json:"audits_set_seeds"`
	Audits          AuditFeatures `json:"audits"`
}

// Layout describes where a round's submissions have their files.
type Layout struct {
	Source string `json:"source"` // the submitter's folder of programs: "src", before v6.0 "code"
	// Apart means that measurements and audits are in the submitter's folders measurements/ and compliance/, as before
	// v6.0, and not in the scenario's folder.
	Apart bool `json:"apart"`
	// Audits is the submitter's folder of audits if it is not compliance/, as in v0.5.
	Audits string `json:"audits"`
	// OneMeter means that the power tools record the settings of one meter as an object, as before v5.1, and not as a
	// list.
	OneMeter bool `json:"one_meter"`
	// Only is the last supported purpose of the round's submissions. Empty means that all purposes are supported,
	// including ToMake.
	Only Purpose `json:"only"`
}

// Purpose is a use of a submission. Each purpose includes the ones before.
type Purpose string

// The purposes.
const (
	ToCheck Purpose = "check" // read the results and check the submission
	ToMake  Purpose = ""      // also make, prepare and pack a submission
)

// Serves reports whether this project supports a purpose for submissions of the round.
func (l Layout) Serves(purpose Purpose) bool {
	order := []Purpose{ToCheck, ToMake}
	return slices.Index(order, purpose) <= slices.Index(order, l.Only)
}

// AuditFeatures describes how a round configures the compliance tests that differ between rounds.
type AuditFeatures struct {
	// CachingInTwo means that TEST04 consists of two runs with the configurations TEST04-A and TEST04-B.
	CachingInTwo bool `json:"test04_in_two"`
	// CachingQueries contains the minimum number of TEST04's queries by model and scenario, if LoadGen's own minimum is
	// too low.
	CachingQueries map[string]map[string]uint64 `json:"test04_min_queries"`
	OtherSeeds     OtherSeeds                   `json:"test05"`
	// FixedSeeds contains the seeds of TEST05 if they differ from those of v0.7 to v2.1.
	FixedSeeds *Seeds `json:"test05_seeds"`
	// LoggedShare is the share of the answers that TEST01 logs. nil means that it logs a fixed number.
	LoggedShare *LoggedShare `json:"test01_share"`
	FirstTokens bool         `json:"test06"` // the round has a configuration of TEST06
	// Scores selects the numbers that the scripts of TEST01 and TEST05 compare.
	Scores ScoreForm `json:"scores"`
	// SeedsMargin is the share by which TEST05's score may differ in either direction. 0 means that it may be slower by
	// 0.05 or faster by any share.
	SeedsMargin float64 `json:"test05_margin"`
	// EachSampleOnce means that TEST07 and TEST09 of gpt-oss-120b issue each sample once and not at random.
	EachSampleOnce bool `json:"each_sample_once"`
}

// ScoreForm determines the number that the scripts of TEST01 and TEST05 use as the score of a run, and where they read
// it.
type ScoreForm string

// The forms of scores. The first three are read from summaries, and their bands exclude the limits.
const (
	// ScoreSamples: SingleStream's 90th percentile, MultiStream's samples per query, Server's scheduled rate (v0.5 to
	// v1.1).
	ScoreSamples ScoreForm = "samples per query"
	// ScorePercentiles: MultiStream's 99th percentile (v2.0).
	ScorePercentiles ScoreForm = "percentiles"
	// ScoreEstimates: early stopping's estimates, Server's completed rate (v2.1 to v5.0).
	ScoreEstimates ScoreForm = "estimates"
	// ScoreDetails: like ScoreEstimates, but TEST01 reads detail logs (since v5.1).
	ScoreDetails ScoreForm = ""
)

// LoggedShare is a share of all answers, chosen with a seed.
type LoggedShare struct {
	Percent float64           `json:"percent"`
	Seeds   map[string]uint64 `json:"seeds"` // by scenario
}

// OtherSeeds determines the seeds of TEST05. Empty means that the round has no configuration of TEST05.
type OtherSeeds string

// The seeds of TEST05: the three seeds of all old rounds, or the round's second seeds.
const (
	FixedSeeds  OtherSeeds = "fixed seeds"
	SecondSeeds OtherSeeds = "second seeds"
)

// Round returns the rules of a round. The empty name means the newest.
func Round(name string) (*Rules, error) {
	name = cmp.Or(name, Rounds()[0])
	if !slices.Contains(Rounds(), name) {
		meant := ""
		if v := "v" + strings.TrimLeft(name, "vV"); slices.Contains(Rounds(), v) {
			meant = fmt.Sprintf("; did you mean %s?", v)
		}
		return nil, fmt.Errorf("unknown rules %q, want one of %s%s", name, strings.Join(Rounds(), ", "), meant)
	}
	key := parsedKey{name, roundfiles.Generation()}
	found, ok := parsedRounds.Load(key)
	if !ok {
		r, err := readRound(name)
		if err != nil {
			return nil, err
		}
		found, _ = parsedRounds.LoadOrStore(key, r)
	}
	r, _ := found.(*Rules)
	own := *r // a copy, because callers may set its fields
	return &own, nil
}

// parsedRounds caches the rounds by parsedKey, as *Rules. Their contents are never changed.
var parsedRounds sync.Map

type parsedKey struct {
	name       string
	generation int // generation of the files
}

func readRound(name string) (*Rules, error) {
	r := &Rules{Name: name}
	for file, into := range map[string]any{name: &r.data, "submissions": &r.facts, "metrics": &r.metrics} {
		if err := decodeRules(file, into); err != nil {
			return nil, err
		}
	}
	if err := r.data.checkMetrics(); err != nil {
		return nil, fmt.Errorf("rules %s: %w", name, err)
	}
	r.Seeds = r.data.Seeds
	r.defaults = sync.OnceValues(func() (confFile, error) { return rulesFile(r) })
	return r, nil
}

// RoundsWithLayout lists the rounds for whose submissions a purpose is supported, the newest first. It needs the
// rounds' layouts and reads only the features in their files, because every start of the harness lists these rounds in
// its help.
func RoundsWithLayout(purpose Purpose) []string {
	key := layoutKey{purpose, roundfiles.Generation()}
	found, ok := roundsByPurpose.Load(key)
	if !ok {
		found, _ = roundsByPurpose.LoadOrStore(key, slices.DeleteFunc(Rounds(), func(name string) bool {
			f, err := featuresOf(name)
			return err != nil || f.Layout == nil || !f.Layout.Serves(purpose)
		}))
	}
	names, _ := found.([]string)
	return slices.Clone(names)
}

// roundsByPurpose caches the results of RoundsWithLayout by layoutKey, as []string.
var roundsByPurpose sync.Map

type layoutKey struct {
	purpose    Purpose
	generation int // generation of the files
}

// featuresOf reads only the features in a round's file.
func featuresOf(name string) (f roundFeatures, err error) {
	text, err := roundfiles.Read(name)
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		key, err := d.Token()
		switch key {
		case json.Delim('{'):
		case "features":
			return f, errors.Join(err, d.Decode(&f))
		default:
			var other json.RawMessage
			err = errors.Join(err, d.Decode(&other))
		}
		if err != nil {
			return f, fmt.Errorf("rules %s: %w", name, err)
		}
	}
}

// Models lists the round's models by their names in the rules ("resnet", "bert-99"), sorted.
func (r *Rules) Models() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.data.Models)) {
		if !r.data.Models[name].Unlisted {
			names = append(names, name)
		}
	}
	return names
}

// Canonical returns the rules' name of a model: "resnet" for "resnet50". It returns a name without an alias unchanged.
func (r *Rules) Canonical(model string) string {
	if name, ok := r.data.Aliases[model]; ok {
		return name
	}
	return model
}

// Has reports whether the round contains the model under its name or an alias.
func (r *Rules) Has(model string) bool {
	m, ok := r.data.Models[r.Canonical(model)]
	return ok && !m.Unlisted
}

// Family returns the name of a model without its required share of accuracy: "bert" for "bert-99.9".
func Family(model string) string {
	for _, share := range []string{"-99.9", "-99", "-95"} {
		if name, ok := strings.CutSuffix(model, share); ok {
			return name
		}
	}
	return model
}

// settingsModel returns the name by which the round's defaults refer to a model. This is the model's name in
// configuration files, with one exception: if the round contains only another model of the same family, settingsModel
// returns a name that no default has. The defaults of 3d-unet are therefore those of BraTS up to v1.1, and later those
// of KiTS19.
func (r *Rules) settingsModel(o Options) string {
	if o.RulesModel == "" || r.Has(o.RulesModel) {
		return o.Model
	}
	if slices.ContainsFunc(r.Models(), func(other string) bool { return Family(other) == o.Model }) {
		return o.RulesModel
	}
	return o.Model
}

func (r *Rules) modelEntry(name string) modelRules { return r.data.Models[r.Canonical(name)] }

// RequiredScenarios returns the scenarios that a closed-division submission of the model must contain, in the rules'
// order. It returns none if the model is not for that type of system. A name may be "Interactive".
func (r *Rules) RequiredScenarios(model string, system SystemType) []string {
	return slices.Clone(r.modelEntry(model).Scenarios[system].Required)
}

// OptionalScenarios returns the scenarios that a submission of the model may contain in addition.
func (r *Rules) OptionalScenarios(model string, system SystemType) []string {
	return slices.Clone(r.modelEntry(model).Scenarios[system].Optional)
}

// Scenarios returns the required and then the optional scenarios of the model.
func (r *Rules) Scenarios(model string, system SystemType) []string {
	return append(r.RequiredScenarios(model, system), r.OptionalScenarios(model, system)...)
}

// OneOf returns scenarios of which a submission must contain one or more. It returns none if all requirements are in
// RequiredScenarios.
func (r *Rules) OneOf(model string, system SystemType) []string {
	optional, oneOf := r.OptionalScenarios(model, system), []string{"Server", Interactive}
	if slices.Contains(optional, oneOf[0]) && slices.Contains(optional, oneOf[1]) {
		return oneOf
	}
	return nil
}

// ModelsFor lists the round's models for a type of system.
func (r *Rules) ModelsFor(system SystemType) []string {
	return slices.DeleteFunc(r.Models(), func(m string) bool { return len(r.Scenarios(m, system)) == 0 })
}

// Targets returns the accuracy metrics of the model with their minimum values, then those with maximum values. scenario
// matters for few models; an empty one means Offline.
func (r *Rules) Targets(model, scenario string) []Target {
	m := r.modelEntry(model)
	var list []Target
	for _, p := range scenarioEntry(m.Targets, scenario) {
		list = append(list, Target{Metric: p.Metric, Value: p.Value})
	}
	for _, p := range scenarioEntry(m.UpperLimits, scenario) {
		list = append(list, Target{Metric: p.Metric, Value: p.Value, Upper: true})
	}
	return list
}

// DeltaPercent returns by how many percent a metric may differ from its reference in a compliance test. The default is
// 1, and 0.1 for the 99.9 % models.
func (r *Rules) DeltaPercent(model, metric string) float64 {
	if percent, ok := r.modelEntry(model).DeltaPercent[metric]; ok {
		return percent
	}
	if strings.Contains(model, "99.9") {
		return 0.1
	}
	return 1
}

// PerformanceSampleCount returns the minimum number of samples to load in performance mode, or 0 if the round has none.
func (r *Rules) PerformanceSampleCount(model string) uint64 {
	return r.modelEntry(model).PerformanceSamples
}

// AccuracySampleCount returns the number of samples of an accuracy run.
func (r *Rules) AccuracySampleCount(model, scenario string) uint64 {
	m := r.modelEntry(model)
	if n := scenarioEntry(m.AccuracySamples, scenario); n > 0 {
		return n
	}
	return m.DatasetSize
}

// DatasetSize returns the number of samples of the data set, or 0 if the round has none.
func (r *Rules) DatasetSize(model string) uint64 { return r.modelEntry(model).DatasetSize }

// LatencyLimit returns the largest latency limit that a submission may have used, or 0 if the rules have none.
func (r *Rules) LatencyLimit(model, scenario string) time.Duration {
	return r.modelEntry(model).LatencyLimit[scenario]
}

// MinQueries returns the minimum number of queries of a performance run that does not meet early stopping.
func (r *Rules) MinQueries(model, scenario string) uint64 {
	return r.modelEntry(model).MinQueries[scenario]
}

// Runs returns the number of runs of a scenario that must be VALID for a result.
func (r *Rules) Runs(scenario string) int { return max(1, r.data.Runs[scenario]) }

// Audits returns the names of the model's compliance tests: TEST01, ...
func (r *Rules) Audits(model string) []string { return slices.Clone(r.modelEntry(model).Audits) }

// AuditFeatures returns how the round configures the compliance tests.
func (r *Rules) AuditFeatures() AuditFeatures { return r.data.Features.Audits }

// auditsSetSeeds reports whether the round's LoadGen read the seeds and test05 from any file, as before v5.0.
func (r *Rules) auditsSetSeeds() bool { return r.data.Features.AuditsSetSeeds }

// Layout returns where submissions of the round have their files. ok is false if the layout is unknown.
func (r *Rules) Layout() (layout Layout, ok bool) {
	if r.data.Features.Layout == nil {
		return Layout{}, false
	}
	return *r.data.Features.Layout, true
}

// LoadGenMajor returns the major version of the round's LoadGen.
func (r *Rules) LoadGenMajor() int { return r.data.Features.LoadGenMajor }

// HasNameplate reports whether the round requires a description of a system's power supplies.
func (r *Rules) HasNameplate() bool { return r.data.Features.Nameplate }

// LogsInteractive reports whether logs of the round name the scenario Interactive. Logs of earlier rounds name Server.
func (r *Rules) LogsInteractive() bool { return r.data.Features.LogsInteractive }

// HasEndpoints reports whether results of the round may have the form of the endpoints harness.
func (r *Rules) HasEndpoints() bool { return r.data.Features.Endpoints }

// Section decodes into a value a section of the round's file that only another package interprets. ok is false if the
// round has no such section.
func (r *Rules) Section(name string, into any) (ok bool, err error) {
	text, ok := r.data.Sections[name]
	if !ok {
		return false, nil
	}
	return true, decodeStrictly(r.Name+", "+name, text, into)
}

// scenarioEntry returns the entry of a scenario, or else that of all scenarios.
func scenarioEntry[T any](by map[string]T, scenario string) T {
	scenario = cmp.Or(scenario, "Offline")
	if v, ok := by[scenario]; ok {
		return v
	}
	return by["*"]
}
