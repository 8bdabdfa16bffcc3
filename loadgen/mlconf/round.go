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

// Rules are the facts of one round of the inference rules: what its submission checker asks for.
type Rules struct {
	Name  string // "v6.1"
	Seeds Seeds

	data     roundFile
	facts    submissionFacts
	defaults func() (confFile, error) // the settings as a configuration file, made once and not changed
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

// Rules ask for other scenarios of each type.
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

// metricPair is a metric's name and its number, written as [name, number].
type metricPair struct {
	Metric string
	Value  float64
}

func (p *metricPair) UnmarshalJSON(data []byte) error {
	fields := [2]any{&p.Metric, &p.Value}
	return json.Unmarshal(data, &fields)
}

// Rounds lists the rounds whose rules are embedded, the newest first. Those of v0.5 to v4.1 are of the configuration
// files and the checkers of these rounds, which had no table of sizes of data sets: DatasetSize is 0. Where v0.5 and
// v0.7 ran other settings than their texts have, they are those that they ran: Origin.Otherwise has the text's.
//
// All that is particular to a round is in its file, rules/vN.N.json, and nothing compares the names of rounds but the
// order of this list: a new round is a new file.
func Rounds() []string {
	names := roundfiles.Names()
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(versionParts(b), versionParts(a)) })
	return names
}

// RoundsWith lists the rounds that have a model, the newest first: those that call it so, and where none does those
// that take the name for another's. Later rounds take ssd-resnet34 for retinanet.
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

// RoundOfSeed is the round that has drawn a seed as its first, that of the query sample library; empty: none has. Each
// round draws its own.
func RoundOfSeed(qsl uint64) string {
	for _, name := range Rounds() {
		if r, err := Round(name); err == nil && r.Seeds.QSL == qsl {
			return name
		}
	}
	return ""
}

// versionParts is the number of a round, whose parts are numbers: v10.0 is later than v6.1.
func versionParts(round string) (parts []int) {
	for part := range strings.SplitSeq(strings.TrimPrefix(round, "v"), ".") {
		n, _ := strconv.Atoi(part) // TestRoundsHaveVersions: they are numbers
		parts = append(parts, n)
	}
	return parts
}

// roundFile is the embedded form of a round.
type roundFile struct {
	Sources       map[string]string          `json:"sources"` // where in the round's text the numbers come from
	Seeds         Seeds                      `json:"seeds"`
	Aliases       map[string]string          `json:"aliases"`
	Features      roundFeatures              `json:"features"`
	Checks        Checks                     `json:"checks"`
	AccuracyFiles map[string]AccuracyFiles   `json:"accuracy_files"`
	Sections      map[string]json.RawMessage `json:"sections"`
	Models        map[string]modelRules      `json:"models"`
	// OfflineSamples are those of Rules.OfflineSamples where they are not the ones of all rounds; "*" for all models.
	OfflineSamples map[string]uint64 `json:"offline_samples"`
	// Guesses are parts of a folder's name and the models that they stand for, in the order in which they are tried;
	// none: those of v4.1 and later.
	Guesses  [][2]string    `json:"guesses"`
	Runs     map[string]int `json:"runs"`
	Settings keyTable       `json:"settings"` // of rounds with settings of their own
	Text     keyTable       `json:"text"`     // what the text says, where the round ran other settings
}

// roundFeatures are what a round has that others have not, or have otherwise.
type roundFeatures struct {
	LoadGenMajor    int           `json:"loadgen_major"`
	Metrics         string        `json:"metrics"` // the table of metrics.json; empty: none is known
	Layout          *Layout       `json:"layout"`
	Nameplate       bool          `json:"nameplate"`
	LogsInteractive bool          `json:"logs_interactive"`
	Endpoints       bool          `json:"endpoints"`
	AuditsSetSeeds  bool          `json:"audits_set_seeds"`
	Audits          AuditFeatures `json:"audits"`
}

// Layout is where a round's submissions have their files.
type Layout struct {
	Source string `json:"source"` // the submitter's folder of programs: "src", before v6.0 "code"
	// Apart says that measurements and audits lie in folders of the submitter, measurements/ and compliance/, as before
	// v6.0, and not in the scenario's folder.
	Apart bool `json:"apart"`
	// Audits is the submitter's folder of audits where it is not compliance/, as in v0.5.
	Audits string `json:"audits"`
	// OneMeter says that the power tools record the settings of one meter, an object, as before v5.1, and not a list.
	OneMeter bool `json:"one_meter"`
	// Only is the most that is done with submissions of the round; empty: all, ToMake included.
	Only Purpose `json:"only"`
}

// Purpose is what a submission is taken for. Each includes those before it.
type Purpose string

// The purposes.
const (
	ToCheck Purpose = "check" // its results are read, and it is checked
	ToMake  Purpose = ""      // and one is made, prepared and packed
)

// Serves says whether submissions of the round are taken for a purpose.
func (l Layout) Serves(purpose Purpose) bool {
	order := []Purpose{ToCheck, ToMake}
	return slices.Index(order, purpose) <= slices.Index(order, l.Only)
}

// AuditFeatures are how a round configures the compliance tests that rounds configure differently.
type AuditFeatures struct {
	// CachingInTwo says that TEST04 is two runs of two configurations, TEST04-A and TEST04-B.
	CachingInTwo bool `json:"test04_in_two"`
	// CachingQueries are the least queries of TEST04 by model and scenario, where LoadGen's own are too few.
	CachingQueries map[string]map[string]uint64 `json:"test04_min_queries"`
	OtherSeeds     OtherSeeds                   `json:"test05"`
	// FixedSeeds are those of TEST05 where they are not those of v0.7 to v2.1.
	FixedSeeds *Seeds `json:"test05_seeds"`
	// LoggedShare is what TEST01 logs where it is a share of the answers; nil: it is a number of them.
	LoggedShare *LoggedShare `json:"test01_share"`
	FirstTokens bool         `json:"test06"` // there is a configuration of TEST06
	// Scores are the numbers that the scripts of TEST01 and TEST05 compare.
	Scores ScoreForm `json:"scores"`
	// SeedsMargin is by which share TEST05's score may be off in either direction; 0: slower by 0.05, and any faster.
	SeedsMargin float64 `json:"test05_margin"`
	// EachSampleOnce says that TEST07 and TEST09 of gpt-oss-120b issue each sample once, and not at random.
	EachSampleOnce bool `json:"each_sample_once"`
}

// ScoreForm names what the scripts of TEST01 and TEST05 take as the score of a run, and where they read it.
type ScoreForm string

// The forms. The first three are read of summaries, and the band's ends are outside.
const (
	// ScoreSamples: SingleStream's 90th percentile, MultiStream's samples per query, the rate that Server's queries were
	// scheduled at (v0.5 to v1.1).
	ScoreSamples ScoreForm = "samples per query"
	// ScorePercentiles: of MultiStream the 99th percentile (v2.0).
	ScorePercentiles ScoreForm = "percentiles"
	// ScoreEstimates: early stopping's estimates, the rate that Server completed (v2.1 to v5.0).
	ScoreEstimates ScoreForm = "estimates"
	// ScoreDetails: the same, and TEST01 reads detail logs (since v5.1).
	ScoreDetails ScoreForm = ""
)

// LoggedShare is a share of all answers, which a seed chooses.
type LoggedShare struct {
	Percent float64           `json:"percent"`
	Seeds   map[string]uint64 `json:"seeds"` // by scenario
}

// OtherSeeds says with which seeds TEST05 runs; empty: the round has no configuration of it.
type OtherSeeds string

// What TEST05 runs with: the three seeds that all old rounds have, or the round's second seeds.
const (
	FixedSeeds  OtherSeeds = "fixed seeds"
	SecondSeeds OtherSeeds = "second seeds"
)

// Round returns the rules of a round; the empty name means the newest.
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
	found, ok := parsed.Load(key)
	if !ok {
		r, err := readRound(name)
		if err != nil {
			return nil, err
		}
		found, _ = parsed.LoadOrStore(key, r)
	}
	r, _ := found.(*Rules)
	own := *r // callers may set the fields of theirs
	return &own, nil
}

// parsed are the rounds that were read: by parsedKey, *Rules. Nobody changes what they hold.
var parsed sync.Map

type parsedKey struct {
	name       string
	generation int // of the files
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

// RoundsWithLayout lists the rounds whose submissions are taken for a purpose: it is known where they have their files.
// The newest is the first. Of the rounds' files it reads the features alone: every start of the harness names these
// rounds in its help.
func RoundsWithLayout(purpose Purpose) []string {
	key := layoutKey{purpose, roundfiles.Generation()}
	found, ok := withLayout.Load(key)
	if !ok {
		found, _ = withLayout.LoadOrStore(key, slices.DeleteFunc(Rounds(), func(name string) bool {
			f, err := featuresOf(name)
			return err != nil || f.Layout == nil || !f.Layout.Serves(purpose)
		}))
	}
	names, _ := found.([]string)
	return slices.Clone(names)
}

// withLayout are the answers of RoundsWithLayout: by layoutKey, []string.
var withLayout sync.Map

type layoutKey struct {
	purpose    Purpose
	generation int // of the files
}

// featuresOf reads a round's features, and its file no further.
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

// Models lists the round's models by the names of its rules ("resnet", "bert-99"), sorted.
func (r *Rules) Models() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.data.Models)) {
		if !r.data.Models[name].Unlisted {
			names = append(names, name)
		}
	}
	return names
}

// Canonical is the rules' name of a model: "resnet" for "resnet50". A name without an alias is its own.
func (r *Rules) Canonical(model string) string {
	if name, ok := r.data.Aliases[model]; ok {
		return name
	}
	return model
}

// Has says whether the round lists the model, by its name or an alias.
func (r *Rules) Has(model string) bool {
	m, ok := r.data.Models[r.Canonical(model)]
	return ok && !m.Unlisted
}

// Family is the name of a model of the rules without the share of accuracy that it has to keep: "bert" for "bert-99.9".
func Family(model string) string {
	for _, share := range []string{"-99.9", "-99", "-95"} {
		if name, ok := strings.CutSuffix(model, share); ok {
			return name
		}
	}
	return model
}

// settingsModel is the name by which the round's defaults know a model: that of configuration files, but of a model
// that the round does not list, where it lists another one of that family, its own, which no line has. So the defaults
// of 3d-unet are those of BraTS up to v1.1, and later of KiTS19.
func (r *Rules) settingsModel(o Options) string {
	if o.RulesModel == "" || r.Has(o.RulesModel) {
		return o.Model
	}
	if slices.ContainsFunc(r.Models(), func(other string) bool { return Family(other) == o.Model }) {
		return o.RulesModel
	}
	return o.Model
}

func (r *Rules) modelOf(name string) modelRules { return r.data.Models[r.Canonical(name)] }

// RequiredScenarios are the scenarios that a closed-division submission of the model must have, in the rules' order;
// none where the model is not for that type of system. A name may be "Interactive".
func (r *Rules) RequiredScenarios(model string, system SystemType) []string {
	return slices.Clone(r.modelOf(model).Scenarios[system].Required)
}

// OptionalScenarios are those that a submission may have besides.
func (r *Rules) OptionalScenarios(model string, system SystemType) []string {
	return slices.Clone(r.modelOf(model).Scenarios[system].Optional)
}

// Scenarios are all that a submission of the model may have: those that it must have, and the others.
func (r *Rules) Scenarios(model string, system SystemType) []string {
	return append(r.RequiredScenarios(model, system), r.OptionalScenarios(model, system)...)
}

// OneOf are scenarios of which a submission must have one at least; none where the rules name each that they want.
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

// Targets are the accuracy metrics of the model with the values to reach, then those with upper limits.
// scenario matters for few models; an empty one means Offline.
func (r *Rules) Targets(model, scenario string) []Target {
	m := r.modelOf(model)
	var list []Target
	for _, p := range entryOf(m.Targets, scenario) {
		list = append(list, Target{Metric: p.Metric, Value: p.Value})
	}
	for _, p := range entryOf(m.UpperLimits, scenario) {
		list = append(list, Target{Metric: p.Metric, Value: p.Value, Upper: true})
	}
	return list
}

// DeltaPercent is by how many percent a metric may differ from its reference in a compliance test: 1, or 0.1 for the
// models of 99.9 %, where the rules name no number of their own.
func (r *Rules) DeltaPercent(model, metric string) float64 {
	if percent, ok := r.modelOf(model).DeltaPercent[metric]; ok {
		return percent
	}
	if strings.Contains(model, "99.9") {
		return 0.1
	}
	return 1
}

// PerformanceSampleCount is the least number of samples to load in performance mode; 0 where the round has none.
func (r *Rules) PerformanceSampleCount(model string) uint64 {
	return r.modelOf(model).PerformanceSamples
}

// AccuracySampleCount is the number of samples of an accuracy run.
func (r *Rules) AccuracySampleCount(model, scenario string) uint64 {
	m := r.modelOf(model)
	if n := entryOf(m.AccuracySamples, scenario); n > 0 {
		return n
	}
	return m.DatasetSize
}

// DatasetSize is the number of samples of the data set; 0 where the round has none.
func (r *Rules) DatasetSize(model string) uint64 { return r.modelOf(model).DatasetSize }

// LatencyLimit is the largest latency limit that a submission may have used; 0 where the rules name none.
func (r *Rules) LatencyLimit(model, scenario string) time.Duration {
	return r.modelOf(model).LatencyLimit[scenario]
}

// MinQueries is the least number of queries of a performance run that does not meet early stopping.
func (r *Rules) MinQueries(model, scenario string) uint64 {
	return r.modelOf(model).MinQueries[scenario]
}

// Runs is how many runs of a scenario must be VALID for a result.
func (r *Rules) Runs(scenario string) int { return max(1, r.data.Runs[scenario]) }

// Audits are the compliance tests of the model: TEST01, ...
func (r *Rules) Audits(model string) []string { return slices.Clone(r.modelOf(model).Audits) }

// AuditFeatures are how the round configures the compliance tests.
func (r *Rules) AuditFeatures() AuditFeatures { return r.data.Features.Audits }

// auditsSetSeeds says that the LoadGen of the round read the seeds and test05 from any file, as it did before v5.0.
func (r *Rules) auditsSetSeeds() bool { return r.data.Features.AuditsSetSeeds }

// Layout is where submissions of the round have their files; ok is false where that is not known.
func (r *Rules) Layout() (layout Layout, ok bool) {
	if r.data.Features.Layout == nil {
		return Layout{}, false
	}
	return *r.data.Features.Layout, true
}

// LoadGenMajor is the first number of the version of the round's LoadGen.
func (r *Rules) LoadGenMajor() int { return r.data.Features.LoadGenMajor }

// HasNameplate says whether the round asks for a description of a system's power supplies.
func (r *Rules) HasNameplate() bool { return r.data.Features.Nameplate }

// LogsInteractive says whether logs of the round name the scenario Interactive; before they name Server.
func (r *Rules) LogsInteractive() bool { return r.data.Features.LogsInteractive }

// HasEndpoints says whether results of the round may be in the form of the endpoints harness.
func (r *Rules) HasEndpoints() bool { return r.data.Features.Endpoints }

// Section decodes a section of the round's file that another package knows the fields of. ok is false where the round
// has none of that name.
func (r *Rules) Section(name string, into any) (ok bool, err error) {
	text, ok := r.data.Sections[name]
	if !ok {
		return false, nil
	}
	return true, decodeStrictly(r.Name+", "+name, text, into)
}

// entryOf is the entry of a scenario, or of all scenarios.
func entryOf[T any](by map[string]T, scenario string) T {
	scenario = cmp.Or(scenario, "Offline")
	if v, ok := by[scenario]; ok {
		return v
	}
	return by["*"]
}
